#!/bin/sh
# Compiles the cases of Tests/CompileFail against the built modules. Each case is valid, but
# contains a mistake if MISTAKE is set. A comment `// error: TEXT` ends the line of the mistake. The
# compiler must report an error with this text there, and no other error.
#
#   Scripts/test-compile-fail.sh [BUILD-FOLDER]
#
# The folder is the output of `swift build --show-bin-path`. Without a folder, the modules are built
# first.
set -eu
. "$(dirname "$0")/setup.sh"

products=${1:-}
if [ -z "$products" ]; then
    for target in ShopModel EverythingModel ExtendedModel ContactsModel CambiumMigrationCommand; do
        # shellcheck disable=SC2086
        swiftpm build --target "$target" $strict
    done
    products=$(products)
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0
failed=0

# The options that SwiftPM passes for the platform.
platform=
if [ "$(uname -s)" = Darwin ]; then
    platform="-sdk $(xcrun --show-sdk-path) -target $(uname -m)-apple-macosx15.0"
fi

# compile FILE...: compiles the files as a user's module. Isolation is checked on SIL, after the
# types, so -typecheck would not be sufficient.
compile() {
    # shellcheck disable=SC2086
    swiftc $platform -emit-sil -whole-module-optimization -o "$work/sil" -swift-version 6 \
        -module-name Cases -parse-as-library -warnings-as-errors -I "$(modules "$products")" \
        -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap "$@" >"$work/output" 2>&1
}

# result STATUS NAME: counts a check. If it failed, the output of the compiler is shown.
result() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        sed 's/^/    /' "$work/output"
    fi
}

# Checks whether the errors in the output are exactly the ones that the file expects, at their
# lines.
errors_are_expected() { # file
    FILE=$1 awk '
        BEGIN {
            file = ENVIRON["FILE"]
            while ((getline line < file) > 0) {
                number++
                if (match(line, /\/\/ error: /)) {
                    expected[number] = substr(line, RSTART + RLENGTH)
                    count++
                }
            }
            if (!count) { print "The case expects no error."; bad = 1 }
        }
        /^[^ ].*:[0-9]+:[0-9]+: error: / {
            split(substr($0, index($0, ".swift:") + 7), place, ":")
            if (!((place[1]) in expected)) { print "Not expected: " $0; bad = 1 }
            else if (index($0, expected[place[1]])) met[place[1]] = 1
        }
        /^(<unknown>:0: )?error: / { print "Not expected: " $0; bad = 1 }
        END {
            for (number in expected)
                if (!(number in met)) {
                    print "Missing at line " number ": " expected[number]; bad = 1
                }
            exit bad
        }' "$work/output" >"$work/findings"
}

# The valid forms of all cases are one module.
find Tests/CompileFail -name '*.swift' | sort >"$work/cases"
# shellcheck disable=SC2046
if compile $(cat "$work/cases"); then status=0; else status=1; fi
result "$status" "the legal forms compile, without warnings"

while read -r case; do
    name=$(basename "$case" .swift)
    if compile -D MISTAKE "$case"; then
        echo "The mistake compiles." >>"$work/output"
        result 1 "$name"
    elif errors_are_expected "$case"; then
        result 0 "$name"
    else
        cat "$work/findings" >>"$work/output"
        result 1 "$name"
    fi
done <"$work/cases"

# A target may have the main actor as its default isolation (Swift 6.2 and later). Generated code
# must behave in the same way as without it.
generated=$(find .build/plugins/outputs -path '*/ShopModel/*' -name '*.swift')
if [ -z "$generated" ]; then
    echo "There is no generated code of ShopModel in .build/plugins." >"$work/output"
    result 1 "the generated code is found"
elif swiftc -help-hidden | grep -q -e '-default-isolation'; then
    # shellcheck disable=SC2086
    if compile -default-isolation MainActor $generated; then status=0; else status=1; fi
    result "$status" "generated code compiles where the main actor is the default isolation"
else
    echo "This compiler has no default isolation; that part is left out."
fi

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
