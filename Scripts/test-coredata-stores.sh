#!/bin/sh
# Imports every store of ../shared/corpus/stores that Core Data wrote, and compares row by row,
# value by value and link by link what SQL finds in the old store with what the runtime says of the
# new one. Then migrates those of Wire to the newest version of their model. Prints both tables.
#
#   Scripts/test-coredata-stores.sh
#
# Without the corpus it says so and succeeds. It takes Python 3.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
corpus=$root/../shared/corpus
command -v python3 > /dev/null || { echo "python3 is needed, and not there." >&2; exit 1; }
# First, whether the comparison finds what is wrong.
python3 -B "$root/Tests/CoreDataStores/test_compare.py"
if [ ! -d "$corpus/stores" ]; then
    echo "There is no ../shared/corpus/stores: nothing was imported."
    exit 0
fi
. "$(dirname "$0")/setup.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$root"
flags="$strict --package-path Tests/CoreDataStores --scratch-path .build/coredata-stores"
# shellcheck disable=SC2086
swiftpm build --product CambiumTool $strict
# shellcheck disable=SC2086
swiftpm build --product ObjectDump $flags
tool=$(products)/CambiumTool
# shellcheck disable=SC2086
dump=$(products $flags)/ObjectDump
python3 -B Tests/CoreDataStores/check.py "$tool" "$dump" "$corpus" "$work"
