# Completion of the superstep command for bash. Made by: superstep completion bash
# Names of graphs, threads, runs and workers come from the coordinator, if one answers.
_superstep()
{
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command='' words=none options='--coordinator --keys --json --help --version' i
    local commands='new dev run resume attach explain cancel migrate release state history update graphs threads runs workers drain pause unpause health draw journal copy delete prune retain import export keys show top doctor completion'
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${COMP_WORDS[i]}" in
        --coordinator|--keys) ((i++)) ;;
        -*) ;;
        *) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    if [ -z "$command" ]; then
        COMPREPLY=($(compgen -W "$commands $options" -- "$word"))
        return
    fi
    case "$command" in
    new) words=none options='--coordinator --keys --json --help' ;;
    dev) words=file options='--app-arg --workers --capacity --db --store --listen --lease-ms --verbose --coordinator --keys --json --help' ;;
    run) words=graphs options='--input --thread --stream --subgraphs --at --ns --map --command --run --detach --progress --durability --recursion-limit --max-concurrency --priority --interrupt-before --interrupt-after --output-keys --context --config --strict-resume --if-busy --coordinator --keys --json --help' ;;
    resume) words=threads options='--value --answer --graph --stream --subgraphs --run --detach --progress --durability --recursion-limit --max-concurrency --priority --interrupt-before --interrupt-after --output-keys --context --config --strict-resume --if-busy --coordinator --keys --json --help' ;;
    attach) words=runs options='--thread --stream --subgraphs --after --progress --coordinator --keys --json --help' ;;
    explain) words=runs options='--thread --coordinator --keys --json --help' ;;
    cancel) words=runs options='--thread --rollback --coordinator --keys --json --help' ;;
    migrate) words=runs options='--thread --graph --from --to --coordinator --keys --json --help' ;;
    release) words=runs options='--thread --coordinator --keys --json --help' ;;
    state) words=threads options='--at --ns --graph --subgraphs --all --coordinator --keys --json --help' ;;
    history) words=threads options='--limit --ns --graph --coordinator --keys --json --help' ;;
    update) words=threads options='--values --as --at --graph --ns --coordinator --keys --json --help' ;;
    graphs) words=none options='--names --coordinator --keys --json --help' ;;
    threads) words=none options='--limit --after --names --coordinator --keys --json --help' ;;
    runs) words=none options='--thread --failed --status --graph --since --limit --after --names --coordinator --keys --json --help' ;;
    workers) words=none options='--names --coordinator --keys --json --help' ;;
    drain) words=workers options='--coordinator --keys --json --help' ;;
    pause) words=graphs options='--reason --all --of-version --coordinator --keys --json --help' ;;
    unpause) words=graphs options='--all --of-version --coordinator --keys --json --help' ;;
    health) words=none options='--live --coordinator --keys --json --help' ;;
    draw) words=graphs options='--xray --coordinator --keys --json --help' ;;
    journal) words=threads options='--from --limit --coordinator --keys --json --help' ;;
    copy) words=threads options='--coordinator --keys --json --help' ;;
    delete) words=threads options='--coordinator --keys --json --help' ;;
    prune) words=threads options='--coordinator --keys --json --help' ;;
    retain) words=none options='--delete-after --prune-after --every --coordinator --keys --json --help' ;;
    import) words=file options='--graph --thread --as --coordinator --keys --json --help' ;;
    export) words=file options='--replace --class --thread --as --coordinator --keys --json --help' ;;
    keys) words=none options='--coordinator --keys --json --help' ;;
    show) words=none options='--limit --coordinator --keys --json --help' ;;
    top) words=none options='--interval-ms --once --coordinator --keys --json --help' ;;
    doctor) words=none options='--coordinator --keys --json --help' ;;
    completion) words=none options='--coordinator --keys --json --help' ;;
    esac
    case "$previous" in
    --graph) words=graphs ;;
    --thread) words=threads ;;
    --run) words=runs ;;
    --db|--keys) words=file ;;
    --stream) COMPREPLY=($(compgen -W 'values updates custom messages tasks checkpoints debug progress' -- "$word")); return ;;
    --durability) COMPREPLY=($(compgen -W 'sync async exit' -- "$word")); return ;;
    --if-busy) COMPREPLY=($(compgen -W 'reject enqueue interrupt rollback' -- "$word")); return ;;
    *) case "$word" in
       -*) COMPREPLY=($(compgen -W "$options" -- "$word")); return ;;
       esac ;;
    esac
    case "$words" in
    none) ;;
    file) compopt -o filenames; COMPREPLY=($(compgen -f -- "$word")) ;;
    *) local bound=''
       case "$words" in threads|runs) bound='--limit 10000' ;; esac
       while IFS= read -r i; do
           # Names are not ours: compgen -W would expand what is in them.
           [[ $i == "$word"* ]] && COMPREPLY+=("$(printf %q "$i")")
       done < <(superstep "$words" --names $bound 2>/dev/null) ;;
    esac
}
complete -F _superstep superstep
complete -o default -W '--listen --db --store --lease-ms --heartbeat-ms --crashes-max --log-failures --advertise --name --cluster-lease-ms --store-connections --drain-ms --keys --insecure --connections-max --connections-per-address --connections-rate --messages-rate --unread-max --metrics --check --log-json --verbose --help --version' superstep-coordinator
complete -o default -W '--app --app-arg --connect --label --capacity --processes --name --ended --keys --metrics --log-json --help --version' superstep-worker
