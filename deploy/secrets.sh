#!/bin/sh
# secrets.sh - makes what the cluster keeps secret: deploy/secrets.sh
#
# In deploy/secrets, each a file that the engine gives to the services that need
# it: the database's password, and the DSN that holds it. What is there is left
# alone. The folder is for its owner only; the files inside can be read, as the
# services run under another user.
set -eu
folder=${SUPERSTEP_SECRETS:-$(cd "$(dirname "$0")" && pwd)/secrets}
umask 077
mkdir -p "$folder"

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
