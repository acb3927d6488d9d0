#!/bin/sh
# Builds users' packages with the real plugins, and checks the output of the builds and the files
# that are built again. The packages are Tests/Packages/Shop (with generated sources, with a
# prebuilt tool, unchanged and with mistakes), Tests/Packages/Ported (with a model of Xcode), and
# the example of the README.
#
#   Scripts/test-plugin.sh
#
# CAMBIUM_SCRATCH names a folder for the packages and their products; it speeds up the next run.
set -u

. "$(dirname "$0")/setup.sh"
root=$(pwd)
. Scripts/checks.sh
work=${CAMBIUM_SCRATCH:-}
if [ -z "$work" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
trap 'exit 1' HUP INT TERM
mkdir -p "$work" && work=$(cd "$work" && pwd) || exit 1
package=$work/Shop
scratch=$work/build
output=$work/output
# All packages use Cambium at the same path beside them, so that it is built once.
rm -f "$work/Cambium" && ln -s "$root" "$work/Cambium" || exit 1
CAMBIUM_PATH=$work/Cambium
export CAMBIUM_PATH
# The commands that a build runs. SwiftPM's next build system prints them only with an option.
case $system in
    *swiftbuild) verbose=--verbose ;;
    *) verbose= ;;
esac
compiling_app='Compiling App\|Swift module App '

# The package as it is in the checkout.
restore() {
    rm -rf "$package/Sources"
    mkdir -p "$package"
    cp "$root/Tests/Packages/Shop/Package.swift" "$package/"
    cp -R "$root/Tests/Packages/Shop/Sources" "$package/Sources"
}

# change FILE SED-SCRIPT: inserts a mistake into a file of the target.
change() {
    sed "$2" "$package/Sources/App/$1" > "$work/changed"
    if cmp -s "$work/changed" "$package/Sources/App/$1"; then
        result 1 "the change '$2' of $1 changes something"
    fi
    cp "$work/changed" "$package/Sources/App/$1"
}

build() {
    # shellcheck disable=SC2086
    swiftpm build $system "$@" --package-path "$package" --scratch-path "$scratch" > "$output" 2>&1
}

# Builds, and prints the commands of the build.
build_showing() {
    # shellcheck disable=SC2086
    build $verbose
}

# writes_nothing NAME: checks that the build runs no command of SwiftPM's, and writes only its own
# records. It always lists two kinds of commands: the plugins, which it keeps, and the compiler's
# version. With the option that prints commands, it builds the plugins again.
writes_nothing() {
    touch "$work/before"
    build_showing
    find "$scratch" -type f -newer "$work/before" ! -name .lock ! -name 'build.db*' \
        ! -name '*.json' ! -name Session.modulevalidation ! -path '*/plugins/cache/*' >> "$output"
    # A line of the next build system with the numbers of a progress bar is not a command.
    grep -v -e 'Compiling plugin' -e 'Write swift-version' -e 'Compiling the model' \
        -e '^\[[0-9]*/100\]' "$output" | grep -q -e '^\[' -e "^$scratch" -e 'Swift module'
    [ $? -ne 0 ]
    result $? "$1"
}

# fails NAME PLACE: checks that the build fails with an error at the place (path:line:column: error:
# text).
fails() {
    if build; then
        result 1 "$1: the build fails"
    else
        says "$2" "$1: the error is at its place"
    fi
    restore
}

# builds_no_tool NAME: checks that no module that only the tool needs was compiled after the file
# `before` was created.
builds_no_tool() {
    find "$scratch" -newer "$work/before" -path '*CambiumCompiler*' -name '*.[os]*' > "$output"
    [ ! -s "$output" ]
    result $? "$1"
}

fresh=yes
if [ -e "$scratch" ]; then fresh=; fi

# Without the tool. This is first, because the build folder does not contain the tool yet.
# shellcheck disable=SC2086
swiftpm build --product CambiumTool $strict > "$output" 2>&1
result $? "the tool is built"
tool=$(products)/CambiumTool
touch "$work/before"
restore
bin=$(products --package-path "$package" --scratch-path "$scratch")
sed 's/plugins: .*/exclude: ["Shop.cambium"])/' "$package/Package.swift" > "$work/changed"
cp "$work/changed" "$package/Package.swift"
"$tool" generate --package "$package" > "$output" 2>&1
result $? "the package's models are generated"
says_nothing_of "note:" "nothing is left to be changed in its manifest"
build
result $? "the package builds with generated sources"
says_nothing_of "warning" "there are no warnings"
"$bin/App" > "$output" 2>&1
says "^AB-1 Untitled Books$" "its program runs"
builds_no_tool "no tool is built for generated sources"

restore
CAMBIUM_TOOL=$tool
export CAMBIUM_TOOL
build
result $? "the package builds with a tool that was built before"
says "warning: Cambium's tool is $tool, as CAMBIUM_TOOL says" "the build names that tool"
says_nothing_of "warning: [^C]" "there are no other warnings"
"$bin/App" > "$output" 2>&1
says "^AB-1 Untitled Books$" "its program runs"
builds_no_tool "no tool is built beside one that was built before"
printf '#!/bin/sh\nexec "%s" "$@" --expects f0000000\n' "$tool" > "$work/other" && chmod +x "$work/other"
for CAMBIUM_TOOL in "$work/other" "$work/nothing" ""; do
    if build; then result 1 "the tool '$CAMBIUM_TOOL' is refused"; else
        says "expects f0000000\|CAMBIUM_TOOL is '$CAMBIUM_TOOL'" "the tool '$CAMBIUM_TOOL' is refused"
    fi
done
unset CAMBIUM_TOOL

# The package as it is
restore
build
result $? "the package builds"
if [ "$failed" -gt 0 ]; then
    end_of_checks
    exit 1
fi
says_nothing_of "warning" "there are no warnings"
if [ -n "$fresh" ]; then
    find "$scratch" \( -name 'CambiumAuthoring*' -o -name 'CambiumTool*' \) ! -name '*.json' > "$output"
    [ ! -s "$output" ]
    result $? "the build compiles nothing that only people need"
fi
"$bin/App" > "$output" 2>&1
result $? "its program runs"
says "^AB-1 Untitled Books$" "its program prints what it fetched"

# The parts that are built again. After a build with changes, SwiftPM links a plugin's tool once
# more in the next build. The test is that later builds do nothing.
build
writes_nothing "nothing is built again when nothing changed"
says_nothing_of "Compiling the model" "no model is compiled again when nothing changed"
touch "$package/Sources/App/Shop.cambium/"*.xml
writes_nothing "nothing is built again when a model was touched and is the same"
find "$scratch" -name '*.proof' | grep -q .
result $? "what was proven is remembered beside what was generated"
says "Compiling the model Shop" "a model that was touched is compiled again"
change Shop.cambium/1.xml 's/<entity name="Product">/<!-- The first --><entity name="Product">/'
build_showing
says "Compiling the model Shop" "a changed model is compiled again"
says_nothing_of "$compiling_app" "Swift whose text is the same is not compiled again"
change Shop.cambium/2.xml 's/maxLength="20"/maxLength="30"/'
build_showing
says "$compiling_app" "a change that matters is compiled"
cp "$package/Sources/App/Shop.cambium/2.xml" "$work/3.xml"
sed -e 's/version="2"/version="3"/' -e '/<migration/,/<.migration>/d' "$work/3.xml" \
    > "$package/Sources/App/Shop.cambium/3.xml"
build_showing
says "Compiling the model Shop" "a version that is added is compiled"
restore
build
result $? "the package builds again without the changes"

# Mistakes
app=Sources/App
model=$app/Shop.cambium/2.xml
change main.swift 's/Product\.price </Product.prise </'
fails "an attribute misspelt in a predicate" "$app/main.swift:11:21: error: .*prise"
change Shop.cambium/2.xml 's/OR salePrice \&lt;/OR salePrise \&lt;/'
fails "an attribute misspelt in a rule" "$model:9:53: error: .*salePrise"
change Shop.cambium/2.xml 's/min="0"/default="cheap"/'
fails "a default of the wrong type" "$model:6:63: error: .*cheap"
change Shop.cambium/2.xml 's/inverse="products"/inverse="product"/'
fails "a dangling inverse" "$model:8:58: error: .*product"
change Shop.cambium/2.xml '/<fill/d'
fails "a new required attribute without default" "$model:6:5: error: .*price"
change Shop.cambium/1.xml 's/<.model>//'
fails "a file that is cut off" "$app/Shop.cambium/1.xml:[78]:1: error: "

# The command plugin
cambium() {
    # shellcheck disable=SC2086
    swift package $system --package-path "$package" --scratch-path "$scratch" \
        --allow-writing-to-package-directory cambium "$@" > "$output" 2>&1
}
build
cambium check
result $? "swift package cambium check"
cambium check --package .
result $? "swift package cambium check --package ."
cambium sql
says "CREATE TABLE \"Product\"" "swift package cambium sql prints the schema"
says "from version 1 to version 2" "swift package cambium sql prints the migration"
cambium sql --write
test -s "$package/SQL/App/Shop-1-to-2.sql"
result $? "swift package cambium sql --write writes the SQL into the package"
cambium nonsense
says "no command 'nonsense'" "a wrong command is refused"
build
says_nothing_of "warning" "the SQL in the package gives no warnings"

# A package with a model of Xcode, excluded from SwiftPM's resources and not excluded
port() {
    rm -rf "$work/Ported"
    cp -R "$root/Tests/Packages/Ported" "$work/Ported"
}
build_ported() {
    # shellcheck disable=SC2086
    swiftpm build $system --package-path "$work/Ported" --scratch-path "$scratch" \
        --disable-build-manifest-caching > "$output" 2>&1
}
bundle="$work/Ported/Sources/App/Old Shop.xcdatamodeld"
port
build_ported
result $? "a package with a model of Xcode's builds"
says_nothing_of "warning" "it gives no warnings"
"$bin/App" > "$output" 2>&1
says "^7 Ada$" "its program runs"
sed 's/Old Shop 2.xcdatamodel/Old Shop.xcdatamodel/' "$bundle/.xccurrentversion" > "$work/changed"
cp "$work/changed" "$bundle/.xccurrentversion"
if build_ported; then result 1 "the build uses the version that is current"; else
    says "main.swift:9:.*city" "another current version is taken up"
fi
port
sed 's/attributeType="String"/attributeType="Sting"/' "$bundle/Old Shop 2.xcdatamodel/contents" \
    > "$work/changed"
cp "$work/changed" "$bundle/Old Shop 2.xcdatamodel/contents"
if build_ported; then result 1 "a mistake in a model of Xcode's"; else
    says "Old Shop 2.xcdatamodel/contents:[0-9]*:[0-9]*: error: .*Sting" \
        "a mistake in a model of Xcode's is reported at its place"
fi
port
sed '/exclude:/d' "$work/Ported/Package.swift" > "$work/changed"
cp "$work/changed" "$work/Ported/Package.swift"
build_ported
result $? "a model of Xcode's that is not excluded is compiled too"
# SwiftPM's next build system warns of a kind of file that only Apple's tools compile.
grep -v -e 'warning: no rule to process file .*\.xcdatamodeld' "$output" > "$work/changed"
cp "$work/changed" "$output"
says_nothing_of "warning" "Cambium gives no warnings either"

# The README's example: each file with its name before its text
package=$work/shelf
rm -rf "$package"
readme_files "$package"
# Without the cache: SwiftPM would take the other package's plan from the same folder for this one's.
# shellcheck disable=SC2086
swiftpm build $system --package-path "$package" --scratch-path "$scratch" --disable-build-manifest-caching \
    > "$output" 2>&1
result $? "the README's example builds"
says_nothing_of "warning" "without warnings"
for run in first second; do
    (cd "$package" && exec "$bin/shelf") > "$output" 2>&1
    says "^On Trees 1987$" "its $run run prints the book"
done

end_of_checks
