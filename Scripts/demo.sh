#!/bin/sh
# Builds everything and runs the demo; arguments go to it (--help says which there are). With
# --release first it is built with optimization, which takes longer and suits long lists.
set -eu
caller=$(pwd)
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
swiftpm build $flags --product package-index >&2
# shellcheck disable=SC2086
program=$(products $flags)/package-index
cd "$caller"  # files in the arguments are meant from here
exec "$program" "$@"
