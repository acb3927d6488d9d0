#!/bin/sh
# Builds everything and runs the demo; arguments go to it (--help says which there are). With
# --release first it is built with optimization, which takes longer and suits long lists. With
# --postgres before all others it runs on a PostgreSQL server, which it starts and stops, and prints
# its figures beside those of SQLite.
set -eu
caller=$(pwd)
demo=package-index
if [ "${1:-}" = --postgres ]; then
    shift
    demo=package-index-postgres
fi
. "$(dirname "$0")/setup.sh"

# The tests are built with the same flags, so that whoever runs both builds once.
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
# One that runs already is left running.
if ! url=$(sh "$scripts/postgres.sh" url 2>/dev/null); then
    url=$(sh "$scripts/postgres.sh" start)
    trap 'sh "$scripts/postgres.sh" stop --version 15' EXIT
    trap 'exit 1' HUP INT TERM
fi
cd "$caller"
"$program" --store "$url" "$@"
