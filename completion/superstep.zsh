#compdef superstep superstep-coordinator superstep-worker
# Completion of superstep for zsh. Made by: superstep completion zsh
_superstep()
{
    local line
    local -a found
    for line in "${(@f)$(superstep completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        if [[ $line == :files ]]; then
            _files
        elif [[ -n $line ]]; then
            found+=("$line")
        fi
    done
    (( $#found )) && compadd -- "${found[@]}"
}
case $service in
superstep) _superstep ;;
superstep-coordinator) compadd -- --listen --db --store --lease-ms --heartbeat-ms --crashes-max --log-failures --advertise --name --cluster-lease-ms --store-connections --processes --drain-ms --keys --insecure --connections-max --connections-per-address --connections-rate --messages-rate --unread-max --metrics --check --log-json --verbose --help --version; _files ;;
superstep-worker) compadd -- --app --app-arg --connect --label --capacity --processes --name --ended --keys --metrics --log-json --help --version; _files ;;
*) compdef _superstep superstep ;;
esac
