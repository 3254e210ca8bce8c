# Completion of superstep for bash. Made by: superstep completion bash
_superstep()
{
    local line current=${COMP_WORDS[COMP_CWORD]}
    COMPREPLY=()
    while IFS= read -r line; do
        if [ "$line" = :files ]; then
            compopt -o filenames
            COMPREPLY+=($(compgen -f -- "$current"))
        else
            # Names are not ours: nothing in them is expanded.
            COMPREPLY+=("$(printf %q "$line")")
        fi
    done < <(superstep completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _superstep superstep
complete -o default -W '--listen --db --store --lease-ms --heartbeat-ms --crashes-max --log-failures --advertise --name --cluster-lease-ms --store-connections --processes --drain-ms --keys --insecure --connections-max --connections-per-address --connections-rate --messages-rate --unread-max --metrics --check --log-json --verbose --help --version' superstep-coordinator
complete -o default -W '--app --app-arg --connect --label --capacity --processes --name --ended --keys --metrics --log-json --help --version' superstep-worker
