#!/bin/sh
# Checks what the language's documentation says against the tool: every model and every expression
# in Sources/Cambium/Cambium.docc is compiled, the page of the diagnostics is what `cambium explain`
# prints, and every symbol that a page links to exists.
#
#   Scripts/test-docs.sh [--accept] [TOOL]
#
# --accept writes the page of the diagnostics anew. Without a tool it is built first.
set -u
. "$(dirname "$0")/setup.sh"
accept=
if [ "${1:-}" = --accept ]; then accept=yes; shift; fi
tool=${1:-}
if [ -z "$tool" ]; then
    # shellcheck disable=SC2086
    swiftpm build --product CambiumTool $strict || exit 1
    tool=$(products)/CambiumTool
fi
pages=Sources/Cambium/Cambium.docc
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
passed=0
failed=0

# result STATUS NAME: counts a check, and shows the output of one that failed.
result() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        sed 's/^/    /' "$work/output" | head -n 20
    fi
}

# blocks PAGE LANGUAGE FOLDER: the code blocks of a language, a file for each.
blocks() {
    mkdir -p "$3"
    awk -v language="$2" -v folder="$3" '
        /^```/ && writing { writing = 0; close(path); next }
        $0 == "```" language { writing = 1; path = folder "/" FNR; next }
        writing { print > path }
    ' "$pages/$1.md"
    [ -n "$(ls "$3")" ]
    result $? "$1.md has blocks of the language $2"
}

# version FILE BUNDLE [NUMBER]: the file as a version of a bundle, 1 without a number, in a model
# where it is none.
version() {
    number=${3:-1}
    mkdir -p "$2"
    if grep -q '<model' "$1"; then
        cp "$1" "$2/$number.xml"
    else
        name=$(basename "$2" .cambium)
        {
            echo "<model xmlns=\"urn:cambium:model:1\" name=\"$name\" version=\"$number\">"
            cat "$1"
            echo "</model>"
        } >"$2/$number.xml"
    fi
}

# The Swift of all pages, and what they say of options, tests and errors
sh Scripts/test-pages.sh "$tool" >"$work/pages" 2>&1
status=$?
grep -v '^passed' "$work/pages" >"$work/output"
result $status "the blocks of the pages (Scripts/test-pages.sh)"

# Models
blocks ModelLanguage xml "$work/models"
previous=
for block in $(find "$work/models" -type f | sort -V); do
    # What says that it is 2.xml comes after the block before it.
    if grep -q '<!-- 2.xml' "$block"; then
        version "$previous" "$work/$(basename "$block")/Shop.cambium"
        version "$block" "$work/$(basename "$block")/Shop.cambium" 2
    else
        version "$block" "$work/$(basename "$block")/Shop.cambium"
    fi
    previous=$block
    "$tool" check "$work/$(basename "$block")/Shop.cambium" >"$work/output" 2>&1
    result $? "ModelLanguage.md:$(basename "$block")"
done
for page in Postgres StoreTables; do
    blocks $page xml "$work/$page"
    for block in "$work/$page/"*; do
        grep -v '<?xml' "$block" >"$work/body"
        version "$work/body" "$work/$page-$(basename "$block")/Library.cambium"
        "$tool" check --engine postgres --strict "$work/$page-$(basename "$block")/Library.cambium" \
            >"$work/output" 2>&1
        result $? "$page.md:$(basename "$block")"
    done
done
blocks XcodeModels xcode "$work/xcode"
for block in "$work/xcode/"*; do
    bundle=$work/x$(basename "$block")/Shop.xcdatamodeld
    mkdir -p "$bundle/Shop.xcdatamodel"
    cp "$block" "$bundle/Shop.xcdatamodel/contents"
    "$tool" check "$bundle" >"$work/output" 2>&1
    result $? "XcodeModels.md:$(basename "$block")"
    "$tool" convert "$bundle" --output "$work/converted" >>"$work/output" 2>&1 &&
        "$tool" check "$work/converted/Shop.cambium" >>"$work/output" 2>&1
    result $? "XcodeModels.md:$(basename "$block"), converted"
done

# Expressions: each line is a rule of this model
expression() { # text
    text=$(printf '%s' "$1" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g')
    cat >"$work/rule" <<XML
<enum name="Kind"><case name="book"/><case name="toy"/></enum>
<entity name="Product">
  <attribute name="title" type="string"/>
  <attribute name="kind" type="Kind"/>
  <attribute name="price" type="decimal" scale="2"/>
  <attribute name="salePrice" type="decimal" scale="2" optional="true"/>
  <attribute name="stock" type="int32"/>
  <attribute name="added" type="date"/>
  <relationship name="category" to="Category" inverse="products" optional="true"/>
  <relationship name="tags" to="Tag" inverse="product" many="true"/>
  <rule name="example">$text</rule>
</entity>
<entity name="Category">
  <attribute name="name" type="string"/>
  <relationship name="products" to="Product" inverse="category" many="true"/>
</entity>
<entity name="Tag">
  <attribute name="label" type="string"/>
  <attribute name="weight" type="int32"/>
  <relationship name="product" to="Product" inverse="tags" optional="true"/>
</entity>
XML
    rm -rf "$work/Rule.cambium"
    version "$work/rule" "$work/Rule.cambium"
    "$tool" check "$work/Rule.cambium" >"$work/output" 2>&1
}
blocks ExpressionLanguage expression "$work/expressions"
cat "$work/expressions/"* >"$work/lines"
while read -r line; do
    expression "$line"
    result $? "ExpressionLanguage.md: $line"
done <"$work/lines"
blocks ExpressionLanguage refused "$work/refused"
cat "$work/refused/"* >"$work/lines"
while read -r line; do
    expression "$(printf '%s' "$line" | sed 's/ *# .*//')"
    [ $? -eq 1 ] && grep -q 'CM6' "$work/output"
    result $? "ExpressionLanguage.md refuses: $line"
done <"$work/lines"

# Diagnostics
# shellcheck disable=SC2046
"$tool" explain $("$tool" explain | sed 's/ .*//') | awk '
    BEGIN {
        print "# Diagnostics\n"
        print "Every finding of the compiler by its code: what it means, and what to do.\n"
        print "## Overview\n"
        print "A finding is a line `path:line:column: error: text [CM201]`. Lines with `note:` say how to"
        print "put it right. `swift package cambium explain CM201` prints what is here. This page is written"
        print "from those texts by `Scripts/test-docs.sh --accept`.\n"
    }
    /^(CM|LQ)[0-9]+ \((error|warning)\): / {
        title = $0
        sub(/^(CM|LQ)[0-9]+ \((error|warning)\): /, "", title)
        kind = $2 == "(warning):" ? " (warning)" : ""
        gsub(/</, "\\&lt;", title)
        print (NR > 1 ? "\n" : "") "## " $1 ": " title kind
        next
    }
    /^(Wrong|Right):$/ { print "**" $0 "**\n"; next }
    !/^    / { gsub(/&/, "\\&amp;"); gsub(/</, "\\&lt;") }
    { print }
' >"$work/page"
if [ -n "$accept" ]; then cp "$work/page" "$pages/Diagnostics.md"; fi
diff "$pages/Diagnostics.md" "$work/page" >"$work/output" 2>&1
result $? "Diagnostics.md is what the tool says (Scripts/test-docs.sh --accept writes it anew)"

# Names: each symbol that a page links to, as the modules have it.
modules=$(modules "$(dirname "$tool")")
[ -e "$modules/Cambium.swiftmodule" ] || modules=$(modules "$(products)")
target=$(swift -print-target-info | sed -n 's/^ *"triple": "\(.*\)",*$/\1/p' | head -n 1)
sdk=
[ "$(uname -s)" != Darwin ] || sdk="-sdk $(xcrun --show-sdk-path)"
mkdir "$work/symbols"
for module in Cambium CambiumEngine CambiumModel CambiumMigration CambiumCoreDataStore CambiumCoreData \
    CambiumCustomStores CambiumExchange CambiumMigrationCommand CambiumPostgres CambiumSQLite; do
    # shellcheck disable=SC2086,SC2046
    swift symbolgraph-extract -module-name "$module" -I "$modules" -target "$target" $sdk \
        -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap \
        -Xcc -fmodule-map-file=Sources/CPostgres/module.modulemap \
        $(pkg-config --cflags libpq 2>/dev/null | sed 's/-I */-Xcc -I/g') \
        -minimum-access-level public -output-dir "$work/symbols" >"$work/output" 2>&1
    result $? "the symbols of $module"
done
cat "$work/symbols/"*.json | tr -d ' \n' | grep -o '"pathComponents":\[[^]]*\]' |
    sed -e 's/^[^[]*\["//' -e 's/"\]$//' -e 's/","/\//g' | sort -u >"$work/names"
: >"$work/output"
# What tells overloads apart stands behind a name in brackets, which the symbols do not have.
# shellcheck disable=SC2016
grep -oh '``[A-Za-z][^` ]*``' "$pages/"*.md | tr -d '`' | sed 's/)-(.*)$/)/' | sort -u >"$work/links"
while read -r link; do
    grep -qxF "$link" "$work/names"
    result $? "a page links to $link, which no module has"
done <"$work/links"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
