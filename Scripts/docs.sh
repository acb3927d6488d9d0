#!/bin/sh
# Builds the documentation as a static web site with the toolchain's docc. It contains the pages of
# Sources/Cambium/Cambium.docc and every public symbol of the libraries.
#
#   Scripts/docs.sh [--skip-build] [--base PATH] [FOLDER]
#
# The site replaces FOLDER; the default is .build/site. --base is the path below which the site is
# served, such as /cambium. Without it, the site is served from the root. --skip-build uses the
# modules of the last build. A warning of docc is an error, and so is a public type that no page
# lists, or a member that is missing from the Topics of its type. To read the site on this machine:
#
#   python3 -m http.server --directory .build/site        http://localhost:8000
set -u
. "$(dirname "$0")/setup.sh"
build=yes
base=/
site=.build/site
while [ $# -gt 0 ]; do
    case $1 in
        --skip-build) build= ;;
        --base) base=$2; shift ;;
        -*) fail "unknown option $1" ;;
        *) site=$1 ;;
    esac
    shift
done
docc=$(dirname "$(readlink -f "$(command -v swift)")")/docc
[ "$(uname -s)" != Darwin ] || docc=$(xcrun --find docc)
[ -x "$docc" ] || fail "The toolchain has no docc."

libraries="Cambium CambiumExchange CambiumMigrationCommand CambiumCoreData CambiumCustomStores
    CambiumPostgres CambiumNotificationCenter"
if [ -n "$build" ]; then
    for library in $libraries; do
        # shellcheck disable=SC2086
        swiftpm build --product "$library" $strict || exit 1
    done
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# The symbols. Cambium re-exports the symbols of other modules, so programs see them as Cambium's.
# It re-exports all symbols of some modules, and of others only the types that are named here.
products=$(products)
target=$(swift -print-target-info | sed -n 's/^ *"triple": "\(.*\)",*$/\1/p' | head -n 1)
sdk=
[ "$(uname -s)" != Darwin ] || sdk="-sdk $(xcrun --show-sdk-path)"
extract() { # module, folder, options
    module=$1
    folder=$2
    shift 2
    # shellcheck disable=SC2086,SC2046
    swift symbolgraph-extract -module-name "$module" -I "$(modules "$products")" -target "$target" $sdk \
        -Xcc -fmodule-map-file=Sources/CSQLite/module.modulemap \
        -Xcc -fmodule-map-file=Sources/CPostgres/module.modulemap \
        $(pkg-config --cflags libpq 2>/dev/null | sed 's/-I */-Xcc -I/g') \
        -minimum-access-level public -skip-synthesized-members -pretty-print "$@" \
        -output-dir "$folder" || exit 1
}

# graph FILE PRODUCT TYPE…: prints the symbols of a file as symbols of Cambium. If the product is
# not Cambium, they get a note. If there are types, only their symbols are printed.
graph() {
    file=$1
    product=$2
    shift 2
    awk -v product="$product" -v types=" $* " '
        function text(words) { return "          {\"text\": \"" words "\"}" }
        BEGIN {
            note = text("> Note: This symbol is in the product `" product \
                "`. Add it to the dependencies of your target, and `import " product "`.")
        }
        /^  "module": \{/ { header = 1 }
        header && /"name":/ { sub(/"name": "[^"]*"/, "\"name\": \"Cambium\""); header = 0 }
        /^  "symbols": \[$/ { symbols = 1; print; next }
        /^  "relationships"/ { symbols = 0 }
        !symbols { print; next }
        /^    \{/ { held = ""; depth = 0; path = 0 }
        /^      "docComment"/ { comment = 1 }
        # docc shows nothing behind the Topics, so the note comes before them.
        comment && /^          \{/ { entry = length(held) }
        comment && /"text": "## Topics"/ { topics = entry }
        comment && /^        \]/ {
            if (product != "Cambium" && topics) {
                held = substr(held, 1, topics) note ",\n" text("") ",\n" substr(held, topics + 1)
            } else if (product != "Cambium") {
                sub(/\n$/, "", held)
                held = held ",\n" text("") ",\n" note "\n"
            }
            comment = topics = 0
        }
        { held = held $0 "\n" }
        path == 1 { split($0, parts, "\""); root = parts[2]; path = 2 }
        /^      "pathComponents"/ { path = 1 }
        /^    \}/ && (types == "  " || index(types, " " root " ")) {
            sub(/,*\n$/, "", held)
            printf "%s%s", (printed++ ? ",\n" : ""), held
        }
        /^  \]/ { print "\n" $0; symbols = 0 }
    ' "$file"
}

mkdir "$work/symbols" "$work/graphs" "$work/extensions"
add() { # module, product, types
    module=$1
    product=$2
    shift 2
    extract "$module" "$work/symbols"
    for file in "$work/symbols/$module.symbols.json" "$work/symbols/$module@Cambium"*.symbols.json; do
        [ -e "$file" ] || continue
        name=$(basename "$file" .symbols.json | tr @ -)
        [ "$name" = Cambium ] || name=$name@Cambium
        graph "$file" "$product" "$@" >"$work/graphs/$name.symbols.json"
    done
}
add Cambium Cambium
add CambiumEngine Cambium
add CambiumModel Cambium
add CambiumMigration Cambium
add CambiumPlan Cambium MigrationKind RowCopy SchemaOperation UniqueRows
add CambiumSQL Cambium MigrationHistory MigrationStatement MigrationStep
add CambiumSQLite Cambium SQLiteError
add CambiumExchange CambiumExchange
add CambiumMigrationCommand CambiumMigrationCommand
add CambiumChecking CambiumMigrationCommand
add CambiumCoreData CambiumCoreData
add CambiumCoreDataStore CambiumCoreData \
    CoreDataImportError CoreDataImportProgress CoreDataImportReport VersionMismatch
add CambiumCustomStores CambiumCustomStores
add CambiumPostgres CambiumPostgres
add CambiumNotificationCenter CambiumNotificationCenter
# Extensions of types of other modules, such as Sequence and Notification.Name
for module in Cambium CambiumNotificationCenter; do
    extract "$module" "$work/extensions" -emit-extension-block-symbols
    for file in "$work/extensions/$module@Swift"*.json "$work/extensions/$module@Foundation"*.json; do
        [ -e "$file" ] || continue
        graph "$file" "$module" >"$work/graphs/Cambium@$(basename "$file" | sed 's/.*@//')"
    done
done

# The pages. In the repository, a link is [text](Page.md#a-heading), because its web pages support
# this form. docc needs [text](doc:Page#A-heading).
cp -R Sources/Cambium/Cambium.docc "$work/Cambium.docc"
awk '
    FNR == 1 { page = FILENAME; sub(/.*\//, "", page); sub(/\.md$/, "", page); fenced = 0 }
    /^```/ { fenced = !fenced }
    !fenced && /^##/ {
        heading = $0
        sub(/^#+ */, "", heading)
        gsub(/[`,.?!:()\/"\047<>=]/, "", heading)
        gsub(/ /, "-", heading)
        print page "#" tolower(heading), page "#" heading
    }
' "$work/Cambium.docc/"*.md >"$work/headings"
for page in "$work/Cambium.docc/"*.md; do
    awk -v self="$(basename "$page" .md)" -v headings="$work/headings" '
        BEGIN { while ((getline line < headings) > 0) { split(line, pair, " "); heading[pair[1]] = pair[2] } }
        /^```/ { fenced = !fenced }
        fenced { print; next }
        # Of the words for a picture, docc reads the first line.
        /^!\[/ && !/\)$/ { getline more; $0 = $0 " " more }
        {
            out = ""
            rest = $0
            while (match(rest, /\]\([A-Za-z]*(\.md)?(#[^)]*)?\)/)) {
                link = substr(rest, RSTART + 2, RLENGTH - 3)
                out = out substr(rest, 1, RSTART - 1)
                rest = substr(rest, RSTART + RLENGTH)
                fragment = ""
                if (i = index(link, "#")) { fragment = substr(link, i); link = substr(link, 1, i - 1) }
                sub(/\.md$/, "", link)
                if (link == "") link = self
                target = link fragment
                if (fragment != "" && ((link tolower(fragment)) in heading))
                    target = heading[link tolower(fragment)]
                out = out "](<doc:" target ">)"
            }
            print out rest
        }
    ' "$page" >"$work/page"
    # A page with links of its own at the end needs no second list of its neighbours.
    if grep -qx '## See also' "$page"; then
        printf '\n@Options {\n    @AutomaticSeeAlso(disabled)\n}\n' >>"$work/page"
    fi
    mv "$work/page" "$page"
done

# In the repository a picture follows the mode of the reader's system. The site has a switch of its own,
# so docc gets a picture for each mode.
for picture in "$work/Cambium.docc/"*.svg; do
    mode='@media (prefers-color-scheme: dark)'
    sed "s/$mode/@media all/" "$picture" >"${picture%.svg}~dark.svg"
    sed "s/$mode/@media not all/" "$picture" >"$work/picture"
    mv "$work/picture" "$picture"
done

ended=
rm -rf "$site"
mkdir -p "$(dirname "$site")"
"$docc" convert "$work/Cambium.docc" --additional-symbol-graph-dir "$work/graphs" \
    --output-path "$site" --hosting-base-path "$base" \
    --fallback-display-name Cambium --fallback-bundle-identifier cambium \
    --fallback-default-module-kind Package >"$work/output" 2>&1 || ended=1
# A comment need not describe a parameter with a self-explanatory name.
if awk 'BEGIN { RS = ""; ORS = "\n\n" } !/^warning: Parameter .* is missing documentation/' \
    "$work/output" | tee "$work/warnings" | grep -q . || [ -n "$ended" ]; then
    cat "$work/warnings"
    exit 1
fi
cat >"$site/index.html" <<HTML
<!doctype html>
<meta http-equiv="refresh" content="0; url=documentation/cambium/">
<a href="documentation/cambium/">Cambium</a>
HTML

# docc adds groups such as "Structures" to the first page for the other symbols. It also adds a
# group for extensions of modules such as Swift, which is allowed there.
tr -d '\n' <"$site/data/documentation/cambium.json" |
    grep -o '{[^{}]*"generated": *true[^{}]*}' | grep -v '"title": *"Extended Modules"' |
    grep -o 'doc:[^"]*' | sed 's/.*[Cc]ambium\\*\///' >"$work/unlisted" || true
if [ -s "$work/unlisted" ]; then
    echo "No page in Sources/Cambium/Cambium.docc lists these in its Topics:"
    sed 's/^/    /' "$work/unlisted"
    exit 1
fi
# It also adds groups such as "Instance Methods" to the page of a type, for members that the Topics
# of the type do not list. A small type needs no Topics, and an enumeration none for its cases.
find "$site/data/documentation/cambium" -name '*.json' -print0 | xargs -0 awk '
    match($0, /"topicSections":\[(\{[^{}]*\},?)+\]/) {
        count = split(substr($0, RSTART, RLENGTH), groups, "}")
        written = members = unlisted = 0
        for (i = 1; i < count; i++) {
            if (groups[i] !~ /"generated":true/) written = 1
            else if (groups[i] !~ /"title":"Default Implementations"/) {
                unlisted = 1
                if (groups[i] !~ /"title":"(Enumeration Cases|Extended [A-Za-z]*)"/)
                    members += split(groups[i], parts, "\"doc:") - 1
            }
        }
        if (written && unlisted) print FILENAME ": The Topics do not list every member."
        if (!written && members > 15) print FILENAME ": " members " members need Topics."
        next
    }
    /"topicSections":\[\{/ { print FILENAME ": A text in the Topics prevents this check." }
' | sed 's/^.*\/documentation\/cambium\/\(.*\)\.json:/    \1:/' | sort >"$work/unlisted"
if [ -s "$work/unlisted" ]; then
    echo "docc adds groups to the pages of these types. List their members in Topics:"
    cat "$work/unlisted"
    exit 1
fi
echo "Wrote $site: $(find "$site/data" -name '*.json' | wc -l | tr -d ' ') pages"
