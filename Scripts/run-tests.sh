#!/bin/sh
# Runs `swift test` with the arguments, and says again at the end what failed: a reader of the last
# of a few thousand lines finds each recorded issue, what explains it (a seed to replay is there),
# and every suite and test that failed. Ends as `swift test` does.
set -eu

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
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
# The status goes through a file, since a pipe's own is that of its last command.
{
    status=0
    swift test "$@" 2>&1 || status=$?
    echo "$status" >"$folder/status"
} | tee "$folder/log"
status=$(cat "$folder/status")
if [ "$status" -ne 0 ]; then
    printf '\n== What failed\n'
    what_failed "$folder/log"
fi
exit "$status"
