#!/bin/sh
# Prints what failed from the output of `swift test`: each recorded issue with the lines that
# explain it (a seed to replay is in them), and each suite and test that failed.
#
#   failures.sh LOG
set -eu
[ $# -eq 1 ] || { echo "usage: failures.sh LOG" >&2; exit 64; }
awk '
    /^[^ ]+ (Test|Suite) .*(recorded an issue|recorded a known issue| failed after )/ {
        told = 1; lines = 0; print; next
    }
    /^[^ ]+ (Test|Suite) / { told = 0 }
    /(error:|Fatal error|signal code)/ { print; next }
    told && lines < 60 { print; lines++ }
' "$1"
