#!/bin/sh
# Runs `swift test` with the arguments, in the root of the checkout, and says again at the end what
# failed: a reader of the last of a few thousand lines finds each recorded issue, what explains it (a
# seed to replay is there), and every suite and test that failed. Ends as `swift test` does.
set -eu
. "$(dirname "$0")/setup.sh"

# The random tests of one commit always go through the same cases, so that what fails elsewhere
# fails here, and those of the next commit through others.
if [ -z "${CAMBIUM_SEED_BASE:-}" ] && commit=$(git rev-parse --short=12 HEAD 2>/dev/null); then
    CAMBIUM_SEED_BASE=$((0x$commit))
    export CAMBIUM_SEED_BASE
    echo "CAMBIUM_SEED_BASE=$CAMBIUM_SEED_BASE"
fi

. Scripts/servers.sh
start_servers

# What `swift test` printed, without what passed.
what_failed() {
    awk '
        /^[^ ]+ (Test|Suite) .*(recorded an issue| failed after )/ { told = 1; lines = 0; print; next }
        /^[^ ]+ (Test|Suite) / { told = 0 }
        /(error:|Fatal error|signal code)/ { print; next }
        told && lines < 60 { print; lines++ }
    ' "$1"
}

folder=$(mktemp -d)
end() {
    rm -rf "$folder"
    stop_servers
}
trap end EXIT
trap 'exit 1' HUP INT TERM

# Runs `swift test`, says what it says, and keeps that and how it ended under a name.
run() { # name, arguments
    name=$1
    shift
    # The status goes through a file, since a pipe's own is that of its last command.
    {
        status=0
        swiftpm test "$@" 2>&1 || status=$?
        echo "$status" >"$folder/$name.status"
    } | tee "$folder/$name.log"
}

# Where all tests run that are built, those that wait for servers most of the time run beside those that
# compute.
waiting='^Cambium(Postgres|EngineSpecification)Tests\.'
case " $* " in
    *' --filter '* | *' --skip '*) run tests "$@" ;;
    *' --skip-build '*)
        run waiting "$@" --ignore-lock --filter "$waiting" >/dev/null &
        run computing "$@" --skip "$waiting"
        wait
        cat "$folder/waiting.log"
        ;;
    *) run tests "$@" ;;
esac

ended=0
for name in tests computing waiting; do
    [ -f "$folder/$name.log" ] || continue
    status=$(cat "$folder/$name.status")
    [ "$status" -ne 0 ] || continue
    ended=$status
    printf '\n== What failed\n'
    what_failed "$folder/$name.log"
done
exit "$ended"
