# containers.sh - what the scripts beside it share. Sourced; $here is this folder.

complain()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
}

if command -v docker-compose >/dev/null; then
    program="docker-compose"
elif docker compose version >/dev/null 2>&1; then
    program="docker compose"
else
    complain "neither docker-compose nor docker compose is here"
    exit 1
fi

# What .env beside us sets, where the environment does not: as Compose reads it.
if [ -r "$here/.env" ]; then
    while IFS= read -r line || [ -n "$line" ]; do
        name=${line%%=*} value=${line#*=}
        case $name in
        "$line" | '' | [0-9]* | *[!A-Za-z0-9_]*) continue ;;
        esac
        case $value in
        \"*\" | \'*\') value=${value#?} value=${value%?} ;;
        esac
        eval "[ -n \"\${$name+set}\" ] || export $name=\$value"
    done <"$here/.env"
fi

compose()
{
    $program -f "$here/docker-compose.yml" "$@"
}

# An image of the user's, where it is not here.
pull()
{
    docker image inspect "$1" >/dev/null 2>&1 || docker pull "$1"
}

# "ID NAME STATE" of each container of the project, or of the services named; a
# container without a health check is healthy while it runs.
states()
{
    containers=$(compose ps -a -q "$@") && [ -n "$containers" ] || return 0
    # shellcheck disable=SC2086
    states_of $containers
}

states_of()
{
    docker inspect --format \
        '{{.Id}} {{.Name}} {{with .State.Health}}{{.Status}}{{end}} {{.State.Status}}' \
        "$@" | awk '{
            state = NF == 4 && $4 == "running" ? $3 : $NF
            if (NF == 3 && state == "running") state = "healthy"
            sub("^/", "", $2)
            print $1, $2, state }'
}

# Wait until all are healthy, and say for which ones. Fails when the time is over:
# then the last lines of each that is not are told. wait_healthy COMMAND...: says
# An image of the user's, where it is not here.
pull()
{
    docker image inspect "$1" >/dev/null 2>&1 || docker pull "$1"
}

# "ID NAME STATE" of each.
wait_healthy()
{
    end=$(($(date +%s) + ${UP_WAIT_S:-120}))
    told=
    while waits=$("$@" | awk '$3 != "healthy" {
        printf "%s%s (%s)", sep, $2, $3; sep = ", " }') && [ -n "$waits" ]; do
        if [ "$waits" != "$told" ]; then
            printf 'Waiting for %s.\n' "$waits"
            told=$waits
        fi
        if [ "$(date +%s)" -ge "$end" ]; then
            complain "after ${UP_WAIT_S:-120} s (UP_WAIT_S) not healthy: $waits"
            "$@" | tell_logs >&2
            return 1
        fi
        sleep 0.5
    done
}

tell_logs()
{
    while read -r id name state; do
        [ "$state" != healthy ] || continue
        printf '\n%s (%s) logged last:\n' "$name" "$state"
        docker logs --tail 15 "$id" 2>&1 | sed 's/^/    /'
    done
}
