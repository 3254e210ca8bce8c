# Completion of superstep for fish. Made by: superstep completion fish
function __superstep_words
    set -l typed (commandline -opc)
    set -l current (commandline -ct)
    for line in (superstep completion words -- $typed[2..-1] "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path "$current"
        else
            echo $line
        end
    end
end
complete -c superstep -f -a '(__superstep_words)'
complete -c superstep-coordinator -l listen
complete -c superstep-coordinator -l db
complete -c superstep-coordinator -l store
complete -c superstep-coordinator -l lease-ms
complete -c superstep-coordinator -l heartbeat-ms
complete -c superstep-coordinator -l crashes-max
complete -c superstep-coordinator -l log-failures
complete -c superstep-coordinator -l advertise
complete -c superstep-coordinator -l name
complete -c superstep-coordinator -l cluster-lease-ms
complete -c superstep-coordinator -l store-connections
complete -c superstep-coordinator -l processes
complete -c superstep-coordinator -l drain-ms
complete -c superstep-coordinator -l keys
complete -c superstep-coordinator -l insecure
complete -c superstep-coordinator -l connections-max
complete -c superstep-coordinator -l connections-per-address
complete -c superstep-coordinator -l connections-rate
complete -c superstep-coordinator -l messages-rate
complete -c superstep-coordinator -l unread-max
complete -c superstep-coordinator -l metrics
complete -c superstep-coordinator -l check
complete -c superstep-coordinator -l log-json
complete -c superstep-coordinator -l verbose
complete -c superstep-worker -l app
complete -c superstep-worker -l app-arg
complete -c superstep-worker -l connect
complete -c superstep-worker -l label
complete -c superstep-worker -l capacity
complete -c superstep-worker -l processes
complete -c superstep-worker -l name
complete -c superstep-worker -l ended
complete -c superstep-worker -l keys
complete -c superstep-worker -l metrics
complete -c superstep-worker -l log-json
