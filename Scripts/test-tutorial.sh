#!/bin/sh
# Performs the tutorial in a clean folder, beside a clean copy of the checkout. It writes each file
# of the page, runs each command, and compares the output with the page. Then it runs the tests of
# the page on testing, and the tests of examples on other pages.
#
#   Scripts/test-tutorial.sh
#
# CAMBIUM_SCRATCH names a folder for the package and its products; it speeds up the next run.
set -u
. "$(dirname "$0")/setup.sh"
root=$(pwd)
. Scripts/checks.sh
page=$root/Sources/Cambium/Cambium.docc/Tutorial.md
work=${CAMBIUM_SCRATCH:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
trap 'exit 1' HUP INT TERM
mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 1
output=$work/output
package=$work/shelf
rm -rf "$package/Sources" "$package/Tests" "$package"/library.sqlite* "$work/parts"
mkdir -p "$package" "$work/parts" "$work/Cambium"
git ls-files --cached --others --exclude-standard | while IFS= read -r path; do
    if [ -f "$path" ]; then echo "$path"; fi
done | tar -cf - -T - | tar -xf - -C "$work/Cambium" || exit 1

# Writes the parts of the page in their order: a file (its name in LINE.name), a command, or an
# output.
awk -v folder="$work/parts" '
    /^`[^`]+`:$/ { name = substr($0, 2, length($0) - 3); next }
    /^```/ && writing { writing = 0; close(path); next }
    /^```/ {
        number = sprintf("%04d", FNR)
        kind = name != "" ? "file" : $0 == "```sh" ? "command" : $0 == "```" ? "output" : ""
        if (kind == "file") { print name > (folder "/" number ".name"); close(folder "/" number ".name") }
        path = kind == "" ? "/dev/null" : folder "/" number "." kind
        name = ""
        writing = 1
        next
    }
    writing { print > path }
' "$page"

# is_expected EXPECTED: checks whether the output has exactly these lines. A line "…" matches any
# lines. A line that ends with "…" matches a line with the same beginning.
is_expected() {
    awk -v expected="$1" '
        BEGIN { while ((getline line < expected) > 0) want[++count] = line; next_line = 1 }
        function fits(line, pattern) {
            if (pattern !~ /…$/) return line == pattern
            sub(/…$/, "", pattern)
            return index(line, pattern) == 1
        }
        want[next_line] == "…" { if (next_line < count && fits($0, want[next_line + 1])) next_line += 2; next }
        { if (next_line > count || !fits($0, want[next_line])) bad = 1; else next_line++ }
        END { exit bad || (next_line <= count && !(next_line == count && want[count] == "…")) }
    ' "$work/printed"
}

for part in "$work/parts"/*; do
    line=$(basename "$part" | sed 's/^0*//; s/\..*//')
    case $part in
        *.file)
            path=$package/$(cat "${part%.file}.name")
            mkdir -p "$(dirname "$path")"
            cp "$part" "$path"
            ;;
        *.command)
            command=$(cat "$part")
            # shellcheck disable=SC2086
            (cd "$package" && set -- ${command#swift } && verb=$1 && shift &&
                swiftpm "$verb" $system "$@") >"$work/printed" 2>"$output"
            ended=$?
            # The command lines of the compiler are long.
            cut -c 1-200 "$output" >"$work/short" && cat "$work/short" "$work/printed" >"$output"
            result $ended "Tutorial.md:$line: $command"
            ;;
        *.output)
            is_expected "$part"
            result $? "Tutorial.md:$line: it prints what the page says"
            ;;
    esac
done

# The tests of the pages, in the same package
mkdir -p "$package/Sources/ShopData" "$package/Tests/ShopTests"
cp -R Tests/Documentation/Shop.cambium "$package/Sources/ShopData/"
cp Tests/Documentation/ExamplesTests.swift "$package/Tests/ShopTests/"
echo '@_exported import Cambium' >"$package/Sources/ShopData/Shop.swift"
# Without the test of stored files, because they do not exist here.
{
    printf 'import Foundation\nimport ShopData\nimport Testing\n'
    awk '
        /^```/ && inside { inside = 0; if (block !~ /Fixtures/) print block; next }
        $0 == "```swift" { inside = 1; block = ""; next }
        inside && !/^import / { block = block $0 "\n" }
    ' "$root/Sources/Cambium/Cambium.docc/Testing.md"
} >"$package/Tests/ShopTests/PageTests.swift"
sed 's/^    targets: \[$/&\
        .target(name: "ShopData", dependencies: ["Cambium"],\
            plugins: [.plugin(name: "CambiumBuildPlugin", package: "Cambium")]),\
        .testTarget(name: "ShopTests", dependencies: ["ShopData"]),/' "$package/Package.swift" >"$work/manifest"
cp "$work/manifest" "$package/Package.swift"
# shellcheck disable=SC2086
(cd "$package" && swiftpm test $system --filter ShopTests) >"$output" 2>&1
result $? "the tests of the page on testing, and of the examples of other pages"
says "with 1[3-9] tests" "all of them run"
end_of_checks
