#!/bin/sh
# Builds everything and runs the demo with the arguments (--help lists them). If the first argument
# is --release, the demo is built with optimization. This takes longer, and is useful for long
# lists. If the first argument is --postgres, the demo runs on a PostgreSQL server, which the script
# starts and stops. It then prints the figures beside those of SQLite.
set -eu
caller=$(pwd)
demo=package-index
if [ "${1:-}" = --postgres ]; then
    shift
    demo=package-index-postgres
fi
. "$(dirname "$0")/setup.sh"

# The tests are built with the same flags, so that both share one build.
flags=$strict
note="without optimization, which is enough for some thousand packages: --release for long lists"
if [ "${1:-}" = --release ]; then
    shift
    flags="$system -c release"
    note="with optimization, which takes some minutes"
fi
echo "Building Cambium and the demo, $note" >&2

# shellcheck disable=SC2086
swiftpm build $flags --product $demo >&2
# shellcheck disable=SC2086
program=$(products $flags)/$demo
if [ $demo = package-index ]; then
    cd "$caller"  # files in the arguments are meant from here
    exec "$program" "$@"
fi

scripts=$(pwd)/Scripts
# A server that was already running is not stopped.
if ! url=$(sh "$scripts/postgres.sh" url 2>/dev/null); then
    url=$(sh "$scripts/postgres.sh" start)
    trap 'sh "$scripts/postgres.sh" stop --version 15' EXIT
    trap 'exit 1' HUP INT TERM
fi
cd "$caller"
"$program" --store "$url" "$@"
