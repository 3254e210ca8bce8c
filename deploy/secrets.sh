#!/bin/sh
# secrets.sh - makes what the cluster keeps secret: deploy/secrets.sh
#
# In deploy/secrets, each a file that the engine gives to the services that need
# it: the database's password, the DSN that holds it, and keys for everybody. What
# is there is left alone. The folder is for its owner only; what services read in
# there can be read, as they run under another user.
#
# Keys are made by `superstep keys`: the one in the path, or the one of the image.
set -eu
folder=${SUPERSTEP_SECRETS:-$(cd "$(dirname "$0")" && pwd)/secrets}
umask 077
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)

# make NAME VALUE: whole or not at all.
make()
{
    printf '%s' "$2" >"$folder/$1.new"
    chmod 0444 "$folder/$1.new"
    mv "$folder/$1.new" "$folder/$1"
    printf 'made %s\n' "$1"
}

if [ ! -e "$folder/postgres_password" ]; then
    password=$(od -An -N 24 -tx1 /dev/urandom | tr -d ' \n')
    rm -f "$folder/store"
    make postgres_password "$password"
fi
if [ ! -e "$folder/store" ]; then
    make store "postgres://superstep:$(cat "$folder/postgres_password")@postgres/superstep"
fi
if [ ! -e "$folder/keys/allowed" ]; then
    rm -rf "$folder/keys" "$folder/keys.new"
    if command -v superstep >/dev/null; then
        superstep keys new --keys "$folder/keys.new" >/dev/null
    else
        docker run --rm --user "$(id -u):$(id -g)" --volume "$folder:/secrets" \
            --entrypoint superstep "${COORDINATOR_IMAGE:-superstep-coordinator}" \
            keys new --keys /secrets/keys.new >/dev/null
    fi
    for name in coordinator.key coordinator.pub worker.key allowed; do
        chmod 0444 "$folder/keys.new/$name"
    done
    mv "$folder/keys.new" "$folder/keys"
    printf 'made keys\n'
fi
