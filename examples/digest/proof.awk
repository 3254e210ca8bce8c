# proof.awk - which tasks ran once, and which again, by the bodies' own trace.
#
# Reads lines of task, node, attempt, process and name (trial.h). From the
# environment: VICTIM, the worker that was killed; LINES_WORKER and
# LINES_COORDINATOR, how many lines stood there when it and the coordinator died;
# HELD, the names of what was under way then, one a line.
# Writes the number of tasks that were taken from pending writes to RESTORED_FILE.
BEGIN {
    FS = "\t"
    victim = ENVIRON["VICTIM"]
    at_worker = ENVIRON["LINES_WORKER"] + 0
    at_coordinator = ENVIRON["LINES_COORDINATOR"] + 0
    count_held = split(ENVIRON["HELD"], names, "\n")
    for (i = 1; i <= count_held; i++)
        is_held[names[i]] = 1
}

{
    if (!times[$1]++)
        order[++tasks] = $1
    node[$1] = $2
    name[$1] = $5
    if (NR <= at_worker && $4 == victim)
        lost[$1] = 1
    if (NR <= at_coordinator) {
        before[$1] = 1
        under_way = $2 # the node of the superstep that was interrupted
    } else {
        after[$1] = 1
    }
}

function row(what, count, why)
{
    printf "%-34s %4s  %s\n", what, count, why
}

function reason(task)
{
    if (times[task] == 1) {
        if (after[task])
            return "once"
        if (is_held[name[task]])
            return "once: it went on with its worker"
        restored++
        return "once: taken from pending writes"
    }
    if (lost[task])
        return "again: its worker was killed" \
            (after[task] ? ", then the coordinator" : "")
    return after[task] ? "again: the coordinator was killed" : "again"
}

END {
    row("TASK", "RAN", "")
    for (i = 1; i <= tasks; i++) {
        task = order[i]
        if (before[task] && node[task] == under_way) {
            row(node[task] " " name[task], times[task], reason(task))
        } else {
            group = node[task] " " times[task]
            if (!in_group[group]++)
                groups[++count] = group
        }
    }
    for (i = 1; i <= count; i++) {
        split(groups[i], part, " ")
        many = in_group[groups[i]] > 1 ? ", " in_group[groups[i]] " tasks" : ""
        why = part[2] == 1 ? "once" : "again"
        if (part[1] == "approve" && part[2] > 1)
            why = "again: with the answer"
        row(part[1] many, part[2], why)
    }
    print restored + 0 >ENVIRON["RESTORED_FILE"]
}
