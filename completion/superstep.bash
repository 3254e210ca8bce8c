# Completion of the superstep command for bash. Made by: superstep completion bash
# Names of graphs, threads and runs come from the coordinator, if one answers.
_superstep()
{
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
    local command='' words=none options='--coordinator --json --help --version' i
    local commands='dev run resume attach cancel state history update graphs threads runs workers draw journal copy delete prune completion'
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "${COMP_WORDS[i]}" in
        --coordinator) ((i++)) ;;
        -*) ;;
        *) command=${COMP_WORDS[i]}; break ;;
        esac
    done
    if [ -z "$command" ]; then
        COMPREPLY=($(compgen -W "$commands $options" -- "$word"))
        return
    fi
    case "$command" in
    dev) words=file options='--app-arg --workers --capacity --db --store --listen --lease-ms --verbose --coordinator --json --help' ;;
    run) words=graphs options='--input --thread --stream --subgraphs --at --durability --recursion-limit --interrupt-before --interrupt-after --context --run --if-busy --detach --progress --coordinator --json --help' ;;
    resume) words=threads options='--value --answer --graph --stream --subgraphs --run --detach --progress --coordinator --json --help' ;;
    attach) words=runs options='--stream --subgraphs --after --progress --coordinator --json --help' ;;
    cancel) words=runs options='--rollback --coordinator --json --help' ;;
    state) words=threads options='--at --ns --graph --subgraphs --coordinator --json --help' ;;
    history) words=threads options='--limit --ns --graph --coordinator --json --help' ;;
    update) words=threads options='--values --as --at --graph --ns --coordinator --json --help' ;;
    graphs) words=none options='--names --coordinator --json --help' ;;
    threads) words=none options='--limit --after --names --coordinator --json --help' ;;
    runs) words=none options='--thread --limit --after --names --coordinator --json --help' ;;
    workers) words=none options='--coordinator --json --help' ;;
    draw) words=graphs options='--xray --coordinator --json --help' ;;
    journal) words=threads options='--from --limit --coordinator --json --help' ;;
    copy) words=threads options='--coordinator --json --help' ;;
    delete) words=threads options='--coordinator --json --help' ;;
    prune) words=threads options='--coordinator --json --help' ;;
    completion) words=none options='--coordinator --json --help' ;;
    esac
    case "$previous" in
    --graph) words=graphs ;;
    --thread) words=threads ;;
    --run) words=runs ;;
    --db) words=file ;;
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
    *) while IFS= read -r i; do
           # Names are not ours: compgen -W would expand what is in them.
           [[ $i == "$word"* ]] && COMPREPLY+=("$(printf %q "$i")")
       done < <(superstep "$words" --names 2>/dev/null) ;;
    esac
}
complete -F _superstep superstep
