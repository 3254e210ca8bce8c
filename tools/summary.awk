# summary.awk - the output of ctest --output-on-failure, short.
#
# A line for each group of tests (the name up to its first dot), the output of
# those that failed, and "N passed, N failed". Fails if any failed or none ran.

function group_of(name)
{
    sub(/\..*/, "", name)
    return name
}

# " 3/8 Test #2: unit.base.buf ......   Passed    0.02 sec"
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    name = $0
    sub(/^[^:]*: /, "", name)
    sub(/ .*/, "", name)
    group = group_of(name)
    if (!(group in seen)) {
        seen[group] = 1
        order[++groups] = group
    }
    seconds = $0
    sub(/ sec.*/, "", seconds)
    sub(/.* /, "", seconds)
    time[group] += seconds
    quoting = 0
    if ($0 ~ / Passed +[0-9.]+ sec/) {
        passed[group]++
        all_passed++
    } else if ($0 ~ /\*\*\*(Skipped|Not Run \(Disabled\))/) {
        skipped[group]++
        all_skipped++
    } else {
        failed[group]++
        all_failed++
        quoting = 1
        output = output "\n--- " name " failed\n"
    }
    next
}

/^ +Start +[0-9]+: / || /^[0-9]+% tests passed/ {
    if ($0 ~ /^[0-9]+%/)
        quoting = ended = 1
    if (ended)
        quoting = 0
    next
}

quoting && !ended {
    output = output $0 "\n"
}

END {
    if (output != "")
        printf "%s\n", output
    for (i = 1; i <= groups; i++) {
        group = order[i]
        line = sprintf("%-12s %4d passed", group, passed[group])
        if (failed[group])
            line = line sprintf(", %d failed", failed[group])
        if (skipped[group])
            line = line sprintf(", %d skipped", skipped[group])
        printf "%-48s %7.1f s\n", line, time[group]
    }
    if (all_passed + all_failed + all_skipped == 0) {
        print "ctest ran no test"
        all_failed = 1
    }
    line = sprintf("%d passed, %d failed", all_passed, all_failed)
    if (all_skipped)
        line = line sprintf(", %d skipped", all_skipped)
    print line
    exit all_failed > 0
}
