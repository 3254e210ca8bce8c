#!/bin/sh
# start.sh - makes the database when it is not there, then becomes the server.
#
# The password of the role superstep is read from POSTGRES_PASSWORD_FILE. A start
# that was cut off is repeated from its beginning: the marker comes last.
set -eu
data=/var/lib/postgresql/data
marker=$data/superstep.ready
socket=/tmp
password_file=${POSTGRES_PASSWORD_FILE:?names the file with the password}

if [ ! -e "$marker" ]; then
    find "$data" -mindepth 1 -delete 2>/dev/null || true
    initdb -D "$data" --encoding=UTF8 --locale=C.UTF-8 \
        --auth-local=trust --auth-host=scram-sha-256 >/dev/null
    echo 'host all all all scram-sha-256' >>"$data/pg_hba.conf"
    pg_ctl -D "$data" -w -o "-c listen_addresses= -k $socket" start >/dev/null
    password=$(cat "$password_file")
    psql -q -v ON_ERROR_STOP=1 -v password="$password" -h "$socket" \
        -d postgres <<'SQL'
CREATE ROLE superstep LOGIN PASSWORD :'password';
CREATE DATABASE superstep OWNER superstep;
SQL
    pg_ctl -D "$data" -w stop >/dev/null
    touch "$marker"
fi

# A server that was killed leaves its lock; its process number may be ours now.
rm -f "$data/postmaster.pid"
exec postgres -D "$data" -k "$socket" -c listen_addresses='*' \
    -c max_connections="${POSTGRES_CONNECTIONS:-50}"
