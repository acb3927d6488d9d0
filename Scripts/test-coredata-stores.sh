#!/bin/sh
# Imports every store of Core Data in ../shared/corpus/stores. It compares each row, value and link
# of the old store, read with SQL, with the new store, read with the runtime. Then it migrates the
# stores of Wire to the newest version of their model. It prints both tables.
#
#   Scripts/test-coredata-stores.sh
#
# Without the corpus, it prints a message and succeeds. It requires Python 3.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
corpus=$root/../shared/corpus
command -v python3 > /dev/null || { echo "python3 is needed, and not there." >&2; exit 1; }
# First, a check that the comparison finds differences.
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
