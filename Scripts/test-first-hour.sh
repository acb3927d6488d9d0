#!/bin/sh
# Performs the first steps with Cambium in a clean folder, as in the README: a package that depends
# on a version, its model, a run, five edits of version 1 with a store under each draft policy, a
# misspelt property, a second version, freeze, and an edit of the frozen version. It checks the exit
# code and the messages of each step, and prints the duration of builds.
#
#   Scripts/test-first-hour.sh
#
# CAMBIUM_SCRATCH names a folder for the package and its products. It must be empty or not exist.
# Without it, the files are removed at the end.
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
output=$work/output
package=$work/shelf
model=$package/Sources/shelf/Library.cambium

# A repository of this package in its current state, with the tag of its version.
version=$(sed -n 's/.*cambiumVersion = "\(.*\)"$/\1/p' \
    Sources/CambiumCompiler/Emitting/SwiftEmitter.swift)
repository=$work/Cambium
mkdir -p "$repository"
git ls-files --cached --others --exclude-standard | while IFS= read -r path; do
    if [ -f "$path" ]; then echo "$path"; fi
done | tar -cf - -T - | tar -xf - -C "$repository" || exit 1
# The author is set explicitly, because the machine may have none.
git_here() { git -C "$repository" -c user.name=Test -c user.email=test@localhost "$@"; }
git_here init -q && git_here add -A && git_here commit -qm "$version" && git_here tag "$version" ||
    fail "The repository for the package cannot be made."

# in_package COMMAND ARGUMENT…: runs a command. SwiftPM's cache of repositories is kept in the
# folder.
in_package() {
    command=$1
    shift
    # shellcheck disable=SC2086
    swiftpm "$command" $system --package-path "$package" --cache-path "$work/cache" \
        --security-path "$work/security" "$@" > "$output" 2>&1
}
build() { in_package build; }

# timed NAME SECONDS COMMAND…: prints the duration of a command, and compares it with a generous
# limit, because other work may slow it down.
timed() {
    name=$1
    limit=$2
    shift 2
    begin=$(date +%s)
    "$@"
    result $? "$name"
    seconds=$(($(date +%s) - begin))
    [ "$seconds" -le "$limit" ]
    result $? "it takes $seconds s, of at most $limit s"
}

# edit SED-SCRIPT FILE: edits a file, and fails if it is unchanged.
edit() {
    sed "$1" "$2" > "$work/edited" && ! cmp -s "$work/edited" "$2"
    result $? "$(basename "$2") is edited"
    cp "$work/edited" "$2"
}

# shelf POLICY STORE-FOLDER: runs the program in the folder of its store.
shelf() {
    (cd "$2" && exec "$bin/shelf" "$1") > "$output" 2>&1
}

# under POLICY: uses a copy of the store that was written before the edit.
under() {
    rm -rf "$work/$1"
    cp -R "$work/store" "$work/$1"
    shelf "$1" "$work/$1"
}

# draft DIFFERENCE REASON: builds after an edit of version 1, and runs the program with the earlier
# store under each policy. REASON is the reason why this store cannot be migrated. It is empty if it
# can be migrated.
draft() {
    timed "the package builds where '$1'" 60 build
    under refuse
    [ $? -ne 0 ]
    result $? "its program does not open the store of the draft before"
    says "'library.sqlite' was written with another draft of version 1 of Library: .*$1" \
        "the error names the file and what differs"
    says "draftPolicy = .recreate.*cambium version new" "it says what can be done"
    under migrate
    status=$?
    if [ -z "$2" ]; then
        result $status "the store is migrated"
        says "nothing has proven that migration: .*$1" "the log says what was done"
        says "^On Trees 1987$" "its data is kept"
    else
        [ $status -ne 0 ]
        result $? "the store is not migrated"
        says "$2" "the error says why"
    fi
    under recreate
    result $? "the store is moved aside"
    says "is at '.*library.draft-.*.sqlite' now" "the log says where it is"
    says "^On Trees 1987$" "a new store has the new data"
    [ -f "$(ls "$work/recreate/"library.draft-*.sqlite)" ]
    result $? "the old store is there"
    rm -rf "$work/store"
    mkdir "$work/store"
    shelf refuse "$work/store"
    result $? "a new store is opened"
}

# The package of the README, with a version of Cambium and the options of stores that it shows
readme_files "$package"
edit "s|\.package(path: [^)]*)|.package(url: \"file://$repository\", from: \"$version\")|" \
    "$package/Package.swift"
edit 's/\.file("library.sqlite"))/&/
    s/^let container.*/var options = StoreOptions()\
options.draftPolicy = DraftPolicy(rawValue: CommandLine.arguments.last ?? "") ?? .refuse\
&/
    s/\.file("library.sqlite")/&, options: options/' "$package/Sources/shelf/main.swift"
timed "the README's package builds with version $version of Cambium" 1200 build
if [ "$failed" -gt 0 ]; then end_of_checks; exit 1; fi
says_nothing_of "warning" "without warnings"
in_package build --show-bin-path
bin=$(tail -n 1 "$output")
mkdir "$work/store"
shelf refuse "$work/store"
result $? "its program runs"
says "^On Trees 1987$" "it prints the book"
# SwiftPM's records still change in the builds after the first one.
build
build
timed "a build without a change" 20 build

# Five edits of version 1
edit 's,^.*name="year".*$,&\
    <attribute name="pages" type="int32" optional="true"/>,' "$model/1.xml"
draft "Book.pages was added" ""
edit 's/name="pages"/name="length" renamedFrom="pages"/' "$model/1.xml"
draft "Book.pages was renamed to Book.length\|Book.length was renamed from\|pages.*length" ""
edit 's/name="length" renamedFrom="pages" type="int32"/name="length" type="date"/' "$model/1.xml"
draft "Book.length changed from int32 to date" "It cannot be migrated to this one: .*length"
edit '/name="length"/d' "$model/1.xml"
draft "Book.length was removed" "It cannot be migrated to this one: .*length"
edit 's,^  <entity name="Book">,  <entity name="Place"><attribute name="room" type="string"/></entity>\
&,' "$model/1.xml"
draft "Place was added" ""

# A misspelt property
edit 's/Book\.year >/Book.yaer >/' "$package/Sources/shelf/main.swift"
if build; then result 1 "a misspelt property is an error"; else
    says "main.swift:[0-9]*:[0-9]*: error: .*has no member 'yaer'" \
        "a misspelt property is an error at its place"
fi
edit 's/Book\.yaer >/Book.year >/' "$package/Sources/shelf/main.swift"

# A second version
cambium() { in_package package --allow-writing-to-package-directory cambium "$@"; }
cambium version new --freeze
result $? "swift package cambium version new --freeze"
says "Created .*/2.xml, a copy of version 1" "it says what it has made"
edit 's,^.*name="year".*$,&\
    <attribute name="language" type="string"/>,' "$model/2.xml"
if build; then result 1 "a required attribute without a value is an error"; else
    says "2.xml:[0-9]*:[0-9]*: error: .*language" \
        "a required attribute without a value for existing objects is an error at its place"
    says "default=\|<fill" "it says how to give one"
fi
edit 's,name="language" type="string",& default="en",' "$model/2.xml"
build
result $? "a default is enough"
cp -R "$work/store" "$work/shipped"
shelf refuse "$work/shipped"
result $? "a store of version 1 is migrated"
says "^On Trees 1987$" "its data is kept"
says_nothing_of "nothing has proven" "the migration was proven in the build"
cambium sql
says "from version 1 to version 2" "swift package cambium sql prints the migration"

# An edit of the frozen one
cp "$model/1.xml" "$work/1.xml"
edit 's/name="year" type="int32"/name="year" type="int64"/' "$model/1.xml"
if build; then result 1 "an edit of a frozen version is an error"; else
    says "1.xml:[0-9]*:[0-9]*: error: .*has shipped" "an edit of a frozen version is an error at its place"
    says "make it in version 2, which is a draft" "it says what can be done"
fi
cp "$work/1.xml" "$model/1.xml"
build
result $? "without the edit the package builds"

end_of_checks
