#!/bin/sh
# Checks the documentation with the tool and the modules. Every model and every expression in
# Sources/Cambium/Cambium.docc must compile. The pages of the diagnostics and of the command line
# must be the same as the tool prints. The site must build without a warning, and every link must
# resolve.
#
#   Scripts/test-docs.sh [--accept] [TOOL]
#
# --accept writes the pages that the tool prints. Without TOOL, the tool is built first.
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

# result STATUS NAME: counts a check. If it failed, its output is shown.
result() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        sed 's/^/    /' "$work/output" | head -n 20
    fi
}

# blocks PAGE LANGUAGE FOLDER: writes each code block of a language to a file.
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

# version FILE BUNDLE [NUMBER]: writes the file as a version of a bundle (default: 1). If it is not
# a complete model, it is put into one.
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

# The Swift code of all pages, and their statements about options, tests and errors
sh Scripts/test-pages.sh "$tool" >"$work/pages" 2>&1
status=$?
grep -v '^passed' "$work/pages" >"$work/output"
result $status "the blocks of the pages (Scripts/test-pages.sh)"

# Models
blocks ModelLanguage xml "$work/models"
previous=
for block in $(find "$work/models" -type f | sort -V); do
    # A block with the name 2.xml is the version after the block before it.
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

# generated PAGE: compares a page with its generated text in $work/page.
generated() {
    if [ -n "$accept" ]; then cp "$work/page" "$pages/$1.md"; fi
    diff "$pages/$1.md" "$work/page" >"$work/output" 2>&1
    result $? "$1.md is what the tool says (Scripts/test-docs.sh --accept writes it again)"
}

# prose TEXT: a line of the tool as Markdown. Options and the marks of comments become code, because docc
# turns -- into a dash. Code may go on in the next line, up to the end of the paragraph.
prose='
    function prose(text,    parts, number, i, out) {
        if (text == "") coded = 0
        number = split(text, parts, "`")
        for (i = 1; i <= number; i++) {
            if (i > 1) { out = out "`"; coded = !coded }
            if (!coded) {
                gsub(/&/, "\\&amp;", parts[i])
                gsub(/(swift package cambium [a-z]+ )?--[a-z][a-z-]*( postgres)?/, "`&`", parts[i])
                gsub(/<!-- … -->|<!--|-->/, "`&`", parts[i])
                gsub(/</, "\\&lt;", parts[i])
                gsub(/`&lt;!--/, "`<!--", parts[i])
                gsub(/\*/, "\\*", parts[i])
            }
            out = out parts[i]
        }
        return out
    }
'

# Diagnostics
# shellcheck disable=SC2046
"$tool" explain $("$tool" explain | sed 's/ .*//') | awk "$prose"'
    BEGIN {
        print "# Diagnostics\n"
        print "Every finding of the compiler by its code: its meaning, and what to do.\n"
        print "## Overview\n"
        print "A finding is a line `path:line:column: error: text [CM201]`. The lines with `note:` after it show"
        print "the fix. `swift package cambium explain CM201` prints the same as this page. `Scripts/test-docs.sh"
        print "--accept` writes this page from the texts of the tool.\n"
        print "Codes with `CM` are mistakes in a model, and declarations that are missing or doubtful. Codes with `LQ`"
        print "are about a correct model: mostly about the effect of a migration on existing data. `<suppress>`"
        print "turns off a warning of either kind: see [The model language](ModelLanguage.md#suppress).\n"
    }
    END {
        print "\n## See also\n"
        print "- [Versions and migrations](Migrations.md), [The model language](ModelLanguage.md)"
        print "- [Troubleshooting](Troubleshooting.md), [The command line](CommandLine.md#explain)"
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
    /^    / { print; next }
    { print prose($0) }
' >"$work/page"
generated Diagnostics

# The command line: the help of each command, and the exit codes once
{
    cat <<'PAGE'
# The command line

All commands of `cambium`, with their options and exit codes.

## Overview

In a package that depends on Cambium, the command is `swift package cambium`. It needs no installation:

```sh
swift package cambium check Sources/App/Shop.cambium
swift package cambium help migrate
```

SwiftPM asks before a command writes into the package. `swift package --allow-writing-to-package-directory
cambium …` answers in advance. If you have no such package, build the tool once in a clone of Cambium, with
`swift build -c release --product CambiumTool`. Then run `.build/release/CambiumTool` instead of
`swift package cambium`. A build with `--traits PostgreSQL` makes a tool for stores in files and for stores
on a server.

PAGE
    "$tool" help | awk "$prose"'
        /^  [a-z-]+  / && !codes {
            name = $1
            sub(/^  [a-z-]+ +/, "")
            if (name != "help") {
                if (!names++) print "| Command | What it does |\n|---|---|"
                print "| [`" name "`](#" name ") | " $0 " |"
            }
        }
        /^Exit codes:/ { codes = 1; print "\n## Exit codes\n\n| Code | Meaning |\n|---|---|" }
        codes && /^  [0-9]/ { code = $1; sub(/^ +[0-9]+ +/, ""); print "| " code " | " prose($0) " |"; next }
        codes && !/^  [0-9]/ && !/^Exit/ { print "\n" $0 }
    '
    for command in $("$tool" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p' | grep -v '^help$'); do
        printf '\n## %s\n\n' "$command"
        "$tool" help "$command" | awk "$prose"'
            /^Exit codes:/ { exit }
            /^Usage:/ { usage = 1; print "```text"; sub(/^Usage: /, "") }
            usage && /^$/ { usage = 0; print "```\n"; next }
            usage { sub(/^       /, ""); print; next }
            /^Options:/ { options = 1; print "| Option | Meaning |\n|---|---|"; next }
            options && /^  --/ {
                option = $0
                sub(/^  /, "", option)
                sub(/   *.*/, "", option)
                sub(/^  --[^ ]*( [^ ]+)*   */, "")
                print "| `" option "` | " prose($0) " |"
                next
            }
            options && /^$/ { next }
            /^    / { print; next }
            { print prose($0) }
        '
    done
    cat <<'PAGE'

## See also

- [Versions and migrations](Migrations.md), [Checking a store](CheckingStores.md)
- [Diagnostics](Diagnostics.md), [Generated Swift](GeneratedCode.md)
PAGE
} >"$work/page"
generated CommandLine

# The site: docc finds links to symbols and pages that do not exist, and types that no page lists.
sh Scripts/docs.sh --skip-build "$work/site" >"$work/output" 2>&1
result $? "the pages and the comments of public symbols (Scripts/docs.sh)"

# The same links on the web pages of a repository, which support only files and headings
for page in "$pages"/*.md README.md CHANGELOG.md CONTRIBUTING.md Benchmarks/README.md; do
    folder=$(dirname "$page")
    awk '/^```/ { fenced = !fenced } !fenced' "$page" >"$work/text"
    ! grep -n '<doc:\|](doc:\|](<doc:' "$work/text" >"$work/output"
    result $? "$page has links that only docc follows: write [title](Page.md)"
    grep -o '](\([^):]*\))' "$work/text" | sed -e 's/^](//' -e 's/)$//' | sort -u >"$work/links"
    while read -r link; do
        file=${link%%#*}
        case $file in '') file=$page ;; *) file=$folder/$file ;; esac
        echo "$link" >"$work/output"
        [ -e "$file" ]
        result $? "$page links to a file that does not exist: $link"
        case $link in
            *#*)
                grep '^##* ' "$file" | sed -e 's/^#* *//' -e 's/[^A-Za-z0-9 _-]//g' -e 's/ /-/g' |
                    tr '[:upper:]' '[:lower:]' | grep -qxF "$(echo "${link#*#}" | tr '[:upper:]' '[:lower:]')"
                result $? "$page links to a heading that does not exist: $link"
                ;;
        esac
    done <"$work/links"
done

# Commands in blocks of the shell: each command of the tool exists, and has the options, and each script
# exists.
awk '
    FNR == 1 { shell = 0 }
    /^```/ { shell = ($0 == "```sh"); next }
    shell { print }
' "$pages"/*.md README.md CONTRIBUTING.md >"$work/shell"
[ "$(grep -c 'cambium [a-z]' "$work/shell")" -ge 20 ]
result $? "pages have commands of the tool"
sed -n 's/ #.*//; s/.*cambium \([a-z][a-z-]*\)\(.*\)/\1\2/p' "$work/shell" | sort -u >"$work/commands"
while read -r command arguments; do
    "$tool" help "$command" >"$work/help" 2>&1
    status=$?
    for word in $arguments; do
        case $word in
            --*) grep -q -e "${word%%=*}" "$work/help" || status=1 ;;
        esac
    done
    echo "cambium help $command says otherwise" >"$work/output"
    result $status "a page shows: cambium $command $arguments"
done <"$work/commands"
grep -o 'Scripts/[a-z-]*\.sh' "$work/shell" | sort -u >"$work/commands"
while read -r script; do
    [ -x "$script" ]
    result $? "a page shows $script, which cannot be run"
done <"$work/commands"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
