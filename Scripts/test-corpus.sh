#!/bin/sh
# Compiles the models of other projects in ../shared/corpus: the current version of every bundle,
# and every tenth version of bundles with a long history. The Swift code of each is type-checked
# with warnings as errors. The steps between all versions of the three long histories are proven and
# counted.
#
#   Scripts/test-corpus.sh
#
# Without the corpus, it prints a message and succeeds.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
corpus=$root/../shared/corpus
if [ ! -d "$corpus" ]; then
    echo "There is no ../shared/corpus: nothing was checked."
    exit 0
fi
. "$(dirname "$0")/setup.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$root"
# shellcheck disable=SC2086
swiftpm build --product CambiumTool $strict
# shellcheck disable=SC2086
swiftpm build --target Cambium $strict
products=$(products)
passed=0
failed=0
refused=0

# check BUNDLE VERSION: emits a version as the only one of a bundle, and type-checks it. The steps
# between versions are not tested here.
check() {
    rm -rf "$work/out" "$work/single"
    single=$work/single/$(basename "$1")
    mkdir -p "$work/out" "$single" && cp -R "$1/$2" "$single/" && chmod -R u+w "$single"
    name="$(basename "$1") $2"
    if ! "$products/CambiumTool" compile "$single" --output "$work/out" > "$work/log" 2>&1; then
        refused=$((refused + 1))
        echo "refused: $name"
        grep -m 3 'error:' "$work/log" | sed 's/^/    /' || true
        return 0
    fi
    if swiftc -typecheck -warnings-as-errors -swift-version 6 -parse-as-library \
        -module-name Checked -module-cache-path "$work/cache" -I "$(modules "$products")" \
        -Xcc "-fmodule-map-file=$root/Sources/CSQLite/module.modulemap" \
        "$work/out"/*.swift > "$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $name"
        grep -m 5 'error:' "$work/log" | sed 's/^/    /' || true
    fi
}

find "$corpus/models" -type d -name '*.xcdatamodeld' | sort > "$work/bundles"
while IFS= read -r bundle; do
    find "$bundle" -mindepth 1 -maxdepth 1 -name '*.xcdatamodel' -exec basename {} \; | sort -V \
        > "$work/versions"
    current=$(sed -n 's/.*<string>\(.*\.xcdatamodel\)<.string>.*/\1/p' \
        "$bundle/.xccurrentversion" 2> /dev/null || true)
    if [ -z "$current" ] || [ ! -d "$bundle/$current" ]; then
        current=$(tail -n 1 "$work/versions")
    fi
    if [ -z "$current" ] || [ ! -f "$bundle/$current/contents" ]; then
        echo "no XML: $(basename "$bundle")"
        continue
    fi
    check "$bundle" "$current"
    if [ "$(wc -l < "$work/versions")" -ge 80 ]; then
        awk 'NR % 10 == 0' "$work/versions" > "$work/tenths"
        while IFS= read -r version; do check "$bundle" "$version"; done < "$work/tenths"
    fi
done < "$work/bundles"
# verify BUNDLE COUNT: proves all steps of a history, and checks their number.
histories=$root/Tests/CambiumCompilerTests/Histories
verify() {
    name=$(basename "$1" .xcdatamodeld)
    if ! "$products/CambiumTool" migrate verify --json --no-proof-cache --model "$corpus/models/$1" \
        --declarations "$histories/$name.history.xml" > "$work/report" 2> "$work/log"; then
        failed=$((failed + 1))
        echo "FAILED: the steps of $name"
        grep -m 5 -e 'error' -e '"failure"' "$work/log" "$work/report" | sed 's/^/    /' || true
        return 0
    fi
    count=$(grep -c '"rowsIn"' "$work/report")
    if [ "$count" -eq "$2" ]; then
        echo "$name: $count steps proven"
    else
        failed=$((failed + 1))
        echo "FAILED: $name has $count steps, not $2"
    fi
}
verify woocommerce+woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld 116
verify wireapp+wire-ios-data-model/Resources/zmessaging.xcdatamodeld 89
verify ptsochantaris+trailer/Shared/Trailer.xcdatamodeld 43

echo "$passed type-checked, $refused refused with a reason, $failed failed"
[ "$failed" -eq 0 ]
