#!/bin/sh
# Runs what does not fit into the two minutes of test.sh, as far as a budget goes:
#
#   test-long.sh [--budget MINUTES]      default: 60
#
# A part that has started is never cut off; once the budget is spent no further part starts, and
# the end says which were left out. Ends with 1 where a part failed.
set -eu
usage="usage: test-long.sh [--budget MINUTES]"
budget=60
while [ $# -gt 0 ]; do
    case $1 in
        --budget) [ $# -ge 2 ] || { echo "$usage" >&2; exit 64; }; budget=$2; shift 2 ;;
        --budget=*) budget=${1#--budget=}; shift ;;
        *) echo "$usage" >&2; exit 64 ;;
    esac
done
case $budget in
    '' | *[!0-9]*) echo "$usage" >&2; exit 64 ;;
esac
. "$(dirname "$0")/setup.sh"

start=$(date +%s)
deadline=$((start + budget * 60))
done_parts=
failed_parts=
left_out=

# Runs a part where there is budget left: its name, then the command.
part() {
    name=$1
    shift
    now=$(date +%s)
    if [ "$now" -ge "$deadline" ]; then
        left_out="$left_out
    $name"
        return 0
    fi
    printf '\n== %s (%d of %d minutes used)\n' "$name" $(((now - start) / 60)) "$budget"
    if "$@"; then result=passed; else result=failed; fi
    line="
    $name: $result in $(($(date +%s) - now)) s"
    done_parts="$done_parts$line"
    if [ "$result" = failed ]; then failed_parts="$failed_parts$line"; fi
}

plugin() { sh Scripts/test-plugin.sh; }

# Random cases for a third of the budget, at least one minute: the tests read the variable, and
# print the seeds that they use.
generators() {
    seconds=$((budget * 60 / 3))
    [ "$seconds" -ge 60 ] || seconds=60
    CAMBIUM_GENERATOR_SECONDS=$seconds swift test
}

# Leaks are left to other tools: SQLite's and libxml2's caches that live as long as the process
# would be reported.
addresses() {
    ASAN_OPTIONS=detect_leaks=0 swift test --sanitize=address --scratch-path .build/address
}

threads() { swift test --sanitize=thread --scratch-path .build/thread; }

part "the plugin on packages of its own" plugin
part "generators at full count" generators
part "address sanitizer" addresses
part "thread sanitizer" threads

printf '\n== Done:%s\n' "${done_parts:- nothing}"
if [ -n "$left_out" ]; then
    printf 'Left out, the budget of %d minutes being spent:%s\n' "$budget" "$left_out"
fi
if [ -n "$failed_parts" ]; then
    printf 'Failed:%s\n' "$failed_parts"
    exit 1
fi
