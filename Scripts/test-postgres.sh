#!/bin/sh
# Builds packages of users with and without PostgreSQL. The first one depends on Cambium alone, and
# libpq's headers cannot be found. Its program must not link libpq. The second one is the example of
# the page Postgres.md, and runs on a server.
#
#   Scripts/test-postgres.sh [TOOL]
#
# TOOL is a prebuilt CambiumTool. Without it, the tool is built first. CAMBIUM_SCRATCH names a
# folder for the packages and their products; it speeds up the next run.
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
rm -f "$work/Cambium" && ln -s "$root" "$work/Cambium" || exit 1
CAMBIUM_PATH=$work/Cambium
CAMBIUM_TOOL=${1:-}
if [ -z "$CAMBIUM_TOOL" ]; then
    unset CAMBIUM_TOOL
    # shellcheck disable=SC2086
    swiftpm build --product CambiumTool $strict >&2 || exit 1
    CAMBIUM_TOOL=$(products)/CambiumTool
fi
export CAMBIUM_PATH CAMBIUM_TOOL

# build PACKAGE: builds a package. Each package has its own build folder.
build() {
    # shellcheck disable=SC2086
    swiftpm build $system --package-path "$1" --scratch-path "$1-build" > "$output" 2>&1
}

bin() { products --package-path "$1" --scratch-path "$1-build"; }

# libraries PROGRAM: prints the libraries that a program loads.
libraries() {
    case $(uname -s) in
        Darwin) otool -L "$1" ;;
        *) ldd "$1" ;;
    esac
}

# Without libpq: the folder for pkg-config has no libpq.pc, and the compiler finds an invalid
# header.
package=$work/Shop
rm -rf "$package" && cp -R Tests/Packages/Shop "$package"
mkdir -p "$work/hidden" "$work/pkgconfig"
echo '#error "libpq-fe.h is hidden"' > "$work/hidden/libpq-fe.h"
for name in sqlite3 libxml-2.0; do
    folder=$(pkg-config --variable=pcfiledir $name 2>/dev/null) || continue
    cp "$folder/$name.pc" "$work/pkgconfig/"
done
PKG_CONFIG_LIBDIR=$work/pkgconfig CPATH=$work/hidden build "$package"
result $? "a package that depends on Cambium alone builds without libpq's headers"
"$(bin "$package")/App" > "$output" 2>&1
says "^AB-1 Untitled Books$" "its program runs"
libraries "$(bin "$package")/App" > "$output" 2>&1
says "sqlite" "its program links SQLite"
says_nothing_of "libpq" "its program does not link libpq"
find "$package-build" \( -name '*CambiumPostgres*.o' -o -name 'CambiumPostgres*.swiftmodule' \) > "$output"
[ ! -s "$output" ]
result $? "nothing of CambiumPostgres is compiled"

libraries "$CAMBIUM_TOOL" > "$output" 2>&1
says_nothing_of "libpq" "the tool links libpq only with the package trait"
"$CAMBIUM_TOOL" export postgresql://ada:sesame@db/shop --model Shop.cambium > "$output" 2>&1
says "swift build -c release --traits PostgreSQL --product CambiumTool" "without it a URL says how to build it"
says_nothing_of "sesame" "without the password"

# The example of the page
package=$work/shelf
rm -rf "$package"
readme_files "$package" Sources/Cambium/Cambium.docc/Postgres.md
grep -q postgres "$package/Sources/shelf/main.swift" 2>"$output"
result $? "the page has the files of a package"
build "$package"
result $? "the example of the page builds"
says_nothing_of "warning: [^C]" "without warnings"
libraries "$(bin "$package")/shelf" > "$output" 2>&1
says "libpq" "its program links libpq"

# Starts a server, unless one is already running.
if url=$(sh Scripts/postgres.sh url 2>/dev/null); then stop=:; else
    status=0
    url=$(sh Scripts/postgres.sh start) || status=$?
    if [ $status -eq 69 ]; then
        echo "not run: the example on a server"
        end_of_checks
        exit
    fi
    stop="sh $root/Scripts/postgres.sh stop --version 15"
fi
database=example_$$
folder=${url##*host=}
psql() { command psql --no-psqlrc --quiet "$url" --command="$1" > "$output" 2>&1; }
psql "CREATE DATABASE $database"
result $? "a database is made"
for run in first second; do
    DATABASE_URL="postgresql://cambium@/$database?host=$folder" "$(bin "$package")/shelf" \
        > "$output" 2>&1
    says "^On Trees 1987$" "its $run run prints the book"
done
DATABASE_URL='' PGHOST=$folder PGUSER=cambium PGDATABASE=$database "$(bin "$package")/shelf" \
    > "$output" 2>&1
says "^On Trees 1987$" "with an empty text it finds the server in the environment"
DATABASE_URL="postgresql://cambium:sesame@/nowhere_$$?host=$folder" "$(bin "$package")/shelf" \
    > "$output" 2>&1
says "database \"nowhere_$$\" does not exist" "a database that does not exist is named"
says_nothing_of "sesame" "without the password"
psql "DROP DATABASE $database"
$stop
end_of_checks
