#!/bin/sh
# Runs `swift test` with the arguments in the root of the checkout. At the end it prints the
# failures again: each recorded issue with its explanation (such as a seed to replay), and every
# failed suite and test. So the last lines of a long output are sufficient. The exit code is that of
# `swift test`.
set -eu
. "$(dirname "$0")/setup.sh"

# The random tests of one commit always run the same cases, so that a failure on another machine
# also occurs here. The next commit has other cases.
if [ -z "${CAMBIUM_SEED_BASE:-}" ] && commit=$(git rev-parse --short=12 HEAD 2>/dev/null); then
    CAMBIUM_SEED_BASE=$((0x$commit))
    export CAMBIUM_SEED_BASE
    echo "CAMBIUM_SEED_BASE=$CAMBIUM_SEED_BASE"
fi

. Scripts/servers.sh
start_servers

# The output of `swift test` without passed tests.
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

# Runs `swift test`, prints its output, and stores the output and the exit code under a name.
run() { # name, arguments
    name=$1
    shift
    # The exit code is written to a file, because a pipe has the exit code of its last command.
    {
        status=0
        swiftpm test "$@" 2>&1 || status=$?
        echo "$status" >"$folder/$name.status"
    } | tee "$folder/$name.log"
}

# If all tests run, the ones that mostly wait for servers run in parallel with the others.
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
