#!/bin/sh
# Creates stores with an earlier edition of this package. The tests of OldStoreTests open, migrate,
# save and change them, because users have stores of this age.
#
#   Scripts/old-stores.sh             makes Tests/OldStoreTests/Stores.tar.gz again
#   Scripts/old-stores.sh --corpus    makes stores of the models of ../shared/corpus, which nobody
#                                     here wrote, and runs the same tests on them
#
# The program that creates them is Tests/OldStoreTests/Maker. It is compiled in a copy of the
# earlier edition. Stores have random identifiers, so a new archive always differs. Replace the
# archive only to add stores. CAMBIUM_SCRATCH names a folder for the copy and its products; it
# speeds up the next run. CAMBIUM_CORPUS names another folder than ../shared/corpus.
set -eu
# The last commit of the first edition.
edition=1393a133
root=$(cd "$(dirname "$0")/.." && pwd)
corpus=${CAMBIUM_CORPUS:-$root/../shared/corpus}
case ${1:-} in
    "") ;;
    --corpus)
        if [ ! -d "$corpus" ]; then
            echo "There is no ../shared/corpus: no stores were made."
            exit 0
        fi
        ;;
    *)
        echo "usage: Scripts/old-stores.sh [--corpus]" >&2
        exit 2
        ;;
esac
. "$(dirname "$0")/setup.sh"
scratch=${CAMBIUM_SCRATCH:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
if [ -z "$scratch" ]; then scratch=$work/scratch; fi
mkdir -p "$scratch" && scratch=$(cd "$scratch" && pwd)
git cat-file -e "$edition^{commit}" 2>/dev/null ||
    fail "This clone has no commit $edition: fetch the whole history (git fetch --unshallow)."

# The earlier edition, with the program as one of its products.
package=$scratch/edition
if [ ! -f "$package/Package.swift" ]; then
    mkdir -p "$package"
    git archive "$edition" | tar -xf - -C "$package"
fi
mkdir -p "$package/Sources/StoreMaker"
cp "$root"/Tests/OldStoreTests/Maker/*.swift \
    "$root/Tests/OldStoreTests/Support/StoreContents.swift" "$package/Sources/StoreMaker/"
# SwiftPM's next build system requires one product for a program, with the name of its target.
git show "$edition:Package.swift" | awk '
    /\.executable\(name: "cambium"/ { next }
    { print }
    /^    targets: \[/ {
        print "        .executableTarget("
        print "            name: \"StoreMaker\","
        print "            dependencies: [\"Cambium\", \"CambiumCompiler\", \"ContactsModel\"],"
        print "            swiftSettings: settings),"
    }
' >"$package/Package.swift"
# shellcheck disable=SC2086
swiftpm build --package-path "$package" --product StoreMaker $strict
maker=$(cd "$package" && products)/StoreMaker

if [ "${1:-}" = --corpus ]; then
    "$maker" corpus "$corpus" "$root" "$work/stores"
    CAMBIUM_OLD_STORES=$work/stores
    export CAMBIUM_OLD_STORES
    # shellcheck disable=SC2086
    swiftpm test $strict --filter OldStoreTests
else
    "$maker" ours "$package" "$work/stores"
    (cd "$work/stores" && find . -type f | LC_ALL=C sort | tar -cf - -T - | gzip -9n) \
        >"$work/Stores.tar.gz"
    mv "$work/Stores.tar.gz" "$root/Tests/OldStoreTests/Stores.tar.gz"
    ls -l "$root/Tests/OldStoreTests/Stores.tar.gz"
fi
