# Sourced by the scripts that run tests: the servers that these use, where they can be had.
# CAMBIUM_POSTGRES_15, CAMBIUM_POSTGRES_18 and CAMBIUM_POSTGRES_TLS (of version 15) are their URLs.
# With CAMBIUM_POSTGRES=required, it is a failure if version 15 is not available. POSIX sh.

postgres() { # start, url or stop, then 15, 18 or TLS
    case $2 in
        TLS) sh Scripts/postgres.sh "$1" --tls ;;
        *) sh Scripts/postgres.sh "$1" --version "$2" ;;
    esac
}

started=

# Servers that were already running are not stopped.
start_servers() {
    for server in 15 18 TLS; do
        status=0
        if ! url=$(postgres url $server 2>/dev/null); then
            url=$(postgres start $server) || status=$?
            started="$started $server"
        fi
        case $status/$server in
            0/*) export "CAMBIUM_POSTGRES_$server=$url" ;;
            69/*) echo "not run: the tests on PostgreSQL $server"
                [ $server = 18 ] || [ "${CAMBIUM_POSTGRES:-}" != required ] || exit 1 ;;
            *) exit 1 ;;
        esac
    done
}

# Stops the servers that were started here.
stop_servers() {
    for server in $started; do postgres stop "$server"; done
}
