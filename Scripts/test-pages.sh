#!/bin/sh
# Compiles the Swift and XML blocks of the pages in Sources/Cambium/Cambium.docc and of comments,
# with the models and names of Tests/Documentation. It also checks the statements of pages about
# options, tests and errors.
#
#   Scripts/test-pages.sh TOOL [PAGE…]      all pages, or those that are named
#
# The modules are in the tool's folder of products. The blocks of a page are one function, and each
# block is inside the block before it. A block can therefore use earlier declarations, and declare
# the same names again. A block with only declarations is outside of the function. Other names that
# a block needs are in Names.swift. A manifest, or a part of one, is compiled as a manifest. SwiftUI
# exists only on Apple's systems. On other systems, its blocks are only parsed.
set -u
. "$(dirname "$0")/setup.sh"
root=$(pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
output=$work/output
. Scripts/checks.sh
pages=Sources/Cambium/Cambium.docc
examples=Tests/Documentation
tool=$1
shift
modules=$(modules "$(dirname "$tool")")
platform=
if [ "$(uname -s)" = Darwin ]; then
    platform="-sdk $(xcrun --show-sdk-path) -target $(uname -m)-apple-macosx15.0"
fi
manifests=$(dirname "$(dirname "$(readlink -f "$(command -v swiftc)")")")/lib/swift/pm/ManifestAPI

# compile MODULES ARGUMENT…: compiles up to SIL, because isolation is checked after the types.
compile() {
    folder=$1
    shift
    # shellcheck disable=SC2086,SC2046
    swiftc $platform -Onone -swift-version 6 -parse-as-library -suppress-warnings \
        -I "$modules" -I "$folder" -Xcc -fmodule-map-file="$root/Sources/CSQLite/module.modulemap" \
        -Xcc -fmodule-map-file="$root/Sources/CPostgres/module.modulemap" \
        $(pkg-config --cflags libpq 2>/dev/null | sed 's/-I */-Xcc -I/g') "$@" >"$output" 2>&1
}

# names FOLDER MODEL…: creates the module Names with the names that the blocks may use.
names() {
    folder=$work/$1
    shift
    for model in "$@"; do
        "$tool" compile "$model" --output "$folder" >"$output" 2>&1 ||
            return 1
    done
    compile "$folder" -emit-module -enable-testing -module-name Names -o "$folder/Names.swiftmodule" \
        "$folder"/*.swift $extra
}
extra=$examples/Names.swift
names shop $examples/Shop.cambium $examples/Library.cambium
result $? "the names of the examples compile"
extra=
names contacts $examples/Contacts.cambium
result $? "the names of the examples with steps compile"

# swift_of PAGE: writes the Swift of a page's blocks to main.swift, manifests to manifest-LINE.swift, and
# blocks of SwiftUI to interface-LINE.swift, into $work/page.
swift_of() {
    rm -rf "$work/page"
    mkdir "$work/page"
    awk -v page="$1" -v folder="$work/page" -v apple="$(uname -s)" '
        function emit(   first, i, n, lines, all, path) {
            if (block ~ /import PackageDescription/ || block ~ /^\./) {
                path = folder "/manifest-" start ".swift"
                if (block ~ /^\./) {
                    sub(/,[ \n]*$/, "", block)
                    block = "import PackageDescription\nfunc target() -> Target {\n" block "\n}"
                }
                print block > path
                close(path)
                return
            }
            if (block ~ /import SwiftUI/ && apple != "Darwin") {
                path = folder "/interface-" start ".swift"
                print block > path
                close(path)
                return
            }
            n = split(block, lines, "\n")
            block = ""
            all = 1
            for (i = 1; i <= n; i++) {
                if (lines[i] ~ /^(@[A-Za-z]+ )?(public )?import /) {
                    imports = imports lines[i] "\n"
                    lines[i] = ""
                }
                if (lines[i] ~ /^[^ \t})\/#]/ &&
                    lines[i] !~ /^(@main|@MainActor|@Test|@Suite|@available|nonisolated |private |public |final |extension |struct |enum |actor |class |protocol |func )/) all = 0
                block = block lines[i] "\n"
            }
            place = "#sourceLocation(file: \"" page ".md\", line: " start ")\n"
            if (all && block ~ /[^ \n]/) outside = outside place block
            else if (block ~ /[^ \n]/) { inside = inside "do {\n" place block; depth++ }
        }
        /^```/ && writing { writing = 0; emit(); next }
        $0 == "```swift" { writing = 1; block = ""; start = FNR + 1; next }
        writing { block = block (block == "" ? "" : "\n") $0 }
        END {
            path = folder "/main.swift"
            if (inside outside == "") exit
            print "import Cambium\nimport Foundation\n@testable import Names\n" imports > path
            print outside > path
            if (inside == "") exit
            print "@MainActor func page() async throws {\n" inside > path
            for (i = 0; i <= depth; i++) print "}" > path
        }
    ' "$pages/$1.md"
}

# xml_of PAGE: writes the blocks of XML of a page to $work/xml, and its Swift to $work/xml/LINE.swift.
xml_of() {
    rm -rf "$work/xml"
    mkdir "$work/xml"
    awk -v folder="$work/xml" '
        /^```/ && path { close(path); path = ""; next }
        $0 == "```xml" || $0 == "```swift" {
            path = folder "/" sprintf("%04d", FNR) "." substr($0, 4)
            next
        }
        path { print > path }
    ' "$pages/$1.md"
}

# model FILE FOLDER: the XML as a version of a model in the folder. A version that is not the first
# comes after that of Tests/Documentation. A part of a model or of an entity is completed.
model() {
    name=$(sed -n 's/.*<model .*name="\([A-Za-z]*\)".*/\1/p' "$1")
    number=$(sed -n 's/.*<model .* version="\([0-9]*\)".*/\1/p' "$1")
    bundle=$2/${name:-Shop}.cambium
    rm -rf "$2"
    mkdir -p "$bundle"
    if [ -n "$name" ]; then
        [ "$number" -eq 1 ] || cp "$examples/$name.cambium/1.xml" "$bundle/"
        cp "$1" "$bundle/$number.xml"
        return
    fi
    {
        echo '<model xmlns="urn:cambium:model:1" name="Shop" version="1">'
        if grep -q '^<entity\|^<enum\|^<composite' "$1"; then
            cat "$1"
        else
            echo '<entity name="Product"><attribute name="stock" type="int32"/>'
            cat "$1"
            echo '</entity>'
        fi
        echo '</model>'
    } >"$bundle/1.xml"
}

if [ $# -eq 0 ]; then
    # shellcheck disable=SC2046
    set -- $(cd "$pages" && grep -l '^```swift$\|^```xml$' -- *.md | sed 's/\.md$//')
fi
for page in "$@"; do
    case $page in
        # Its files are a program that Scripts/test-tutorial.sh builds and runs.
        Tutorial) continue ;;
        # Each block uses the model before it. test-docs.sh checks the models.
        ModelLanguage)
            xml_of "$page"
            for block in "$work/xml"/*; do
                case $block in
                    *.xml) before=$block; continue ;;
                esac
                folder=$work/xml/module
                if grep -q '^extension' "$block"; then
                    sed 's/ codegen="base"//' "$before" >"$work/xml/plain" && before=$work/xml/plain
                fi
                model "$before" "$work/xml/model"
                "$tool" compile "$work/xml/model/Shop.cambium" --output "$folder" >"$output" 2>&1 &&
                    compile "$folder" -emit-sil -whole-module-optimization -module-name Page \
                        -o "$work/sil" "$folder"/*.swift "$block"
                result $? "the Swift of $page.md:$(basename "$block" .swift) compiles"
            done
            continue
            ;;
        # test-docs.sh checks their models.
        Postgres | StoreTables | XcodeModels) ;;
        *)
            xml_of "$page"
            for block in "$work/xml"/*.xml; do
                [ -e "$block" ] || continue
                model "$block" "$work/model"
                "$tool" check "$work/model/"*.cambium >"$output" 2>&1
                result $? "the model in $page.md:$(basename "$block" .xml)"
            done
            ;;
    esac
    swift_of "$page"
    case $page in
        MigrationSteps) models=contacts ;;
        *) models=shop ;;
    esac
    if [ -e "$work/page/main.swift" ]; then
        compile "$work/$models" -emit-sil -module-name Page -o "$work/sil" "$work/page/main.swift"
        result $? "the Swift of $page.md compiles"
    fi
    for file in "$work/page"/manifest-*.swift; do
        [ -e "$file" ] || continue
        compile "$manifests" -typecheck -swift-version 5 -package-description-version 6.1 "$file"
        result $? "the manifest in $page.md:$(basename "$file" .swift | sed 's/.*-//') compiles"
    done
    for file in "$work/page"/interface-*.swift; do
        [ -e "$file" ] || continue
        compile "$work/$models" -parse "$file"
        result $? "the views in $page.md:$(basename "$file" .swift | sed 's/.*-//') are Swift"
    done
done

# The blocks in the comments of the public modules: a function each, in one module
libraries="Cambium CambiumCoreData CambiumCustomStores CambiumExchange CambiumMigrationCommand
    CambiumNotificationCenter CambiumPostgres"
{
    for library in $libraries Foundation Observation; do echo "import $library"; done
    echo "@testable import Names"
    # shellcheck disable=SC2046,SC2086
    awk -f Scripts/comments-to-swift.awk $(
        for module in $libraries CambiumEngine CambiumMigration; do
            grep -rl '/// ```swift' "Sources/$module" --include='*.swift'
        done)
} >"$work/comments.swift"
[ "$(grep -c '^@MainActor func block' "$work/comments.swift")" -ge 60 ]
result $? "comments have blocks of Swift"
compile "$work/shop" -emit-sil -whole-module-optimization -module-name Comments -o "$work/sil" \
    "$work/comments.swift" "$examples/CommentNames.swift"
result $? "the Swift in the comments of public modules compiles"

# Every option has a row on its page.
options() { # type, file, page
    awk -v type="$1" '
        $0 ~ "^public struct " type { inside = 1 }
        inside && /^}/ { exit }
        inside && /^    public var [a-zA-Z]+[ :]/ { sub(/:$/, "", $3); print $3 }
    ' "$2" >"$work/options"
    [ "$(wc -l <"$work/options")" -ge 8 ]
    result $? "$2 has the options of $1"
    while read -r option; do
        echo "Write a row for $1.$option." >"$output"
        grep -q "^| .*\`\`$1/$option\`\`" "$pages/$3.md"
        result $? "$3.md has the option $1.$option"
    done <"$work/options"
}
options StoreOptions Sources/CambiumEngine/StoreOptions.swift StoresAndOptions
options PostgresOptions Sources/CambiumPostgres/PostgresOptions.swift Postgres

# Every test that is named as evidence exists.
grep -o 'swift test --filter [^`]*' "$pages/Reliability.md" |
    sed -e 's/.*--filter //' -e "s/'//g" -e 's/\\|/\n/g' | sort -u >"$work/tests"
while read -r test; do
    echo "No test is called $test." >"$output"
    [ -d "Tests/$test" ] || grep -rqE "(class|struct|enum) [A-Za-z]*$test" Tests --include='*.swift'
    result $? "Reliability.md names the test $test"
done <"$work/tests"
grep -o '`Scripts/[a-z-]*\.sh' "$pages/Reliability.md" | tr -d '`' | sort -u >"$work/tests"
while read -r script; do
    echo "There is no $script." >"$output"
    [ -e "$script" ]
    result $? "Reliability.md names $script"
done <"$work/tests"

# The texts of errors must be in the sources: the parts between "…" are searched in string literals.
find Sources -name '*.swift' -exec cat {} + | grep -v '^ *//' | tr '\n' ' ' | sed -e 's/" *+ *"//g' -e 's/\\"/"/g' >"$work/sources"
sed -n '/^## The program/,/^## Opening/!p' "$pages/Troubleshooting.md" | grep '^| `' |
    sed -e 's/^| `//' -e 's/` |.*//' | grep -v '^shop' >"$work/texts"
[ "$(wc -l <"$work/texts")" -ge 20 ]
result $? "Troubleshooting.md has the texts of twenty errors"
while read -r text; do
    echo "$text" | sed -e 's/ *\[[A-Z]*[0-9]*\]$//' -e "s/'…'/…/g" -e 's/[()]//g' -e 's/…/\n/g' | sed -e 's/^ *//' -e 's/ *$//' |
        grep '....' >"$work/parts"
    status=0
    while read -r part; do
        grep -qF -e "$part" "$work/sources" || { echo "No literal has: $part" >"$output"; status=1; }
    done <"$work/parts"
    result $status "Troubleshooting.md quotes: $text"
done <"$work/texts"
end_of_checks
