#!/bin/sh
# Tests the other scripts where a fault would not be visible: check-imports.sh must find forbidden
# imports, and setup.sh must handle machines with missing programs. It builds nothing.
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
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
        sed 's/^/    /' "$work/output"
    fi
}

says() { grep -q -e "$1" "$work/output"; result $? "$2"; }

# Imports: a package with one file is valid, and invalid with another import.

# imports FILE LINE: checks a package with only this file and line.
imports() {
    rm -rf "$work/package"
    mkdir -p "$work/package/$(dirname "$1")"
    printf '%s\n' "$2" >"$work/package/$1"
    sh "$root/Scripts/check-imports.sh" "$work/package" >"$work/output" 2>&1
}

allowed() { imports "$@"; result $? "$1 may contain '$2'"; }

refused() {
    if imports "$@"; then result 1 "$1 may not contain '$2'"; else
        says "^$1:1: error: .* may not import " "$1 may not contain '$2'"
    fi
}

allowed Sources/CambiumSQLite/Connection.swift "import CSQLite"
allowed Sources/Cambium/Store/Store.swift "internal import CambiumSQL"
allowed Sources/Cambium/Store/Store.swift "// import CSQLite"
refused Sources/Cambium/Store/Store.swift "import CSQLite"
refused Sources/Cambium/Store/Store.swift "import Foundation"
refused Sources/Cambium/Store/Store.swift "    @testable import CambiumCompiler"
refused Sources/Cambium/Store/Store.swift "package import struct CambiumCompiler.Diagnostic // why"
refused Sources/Cambium/Store/Store.swift "import CambiumCoreDataStore"
allowed Sources/CambiumCoreData/Import.swift "import CambiumCoreDataStore"
allowed Sources/CambiumCustomStores/Store.swift "import CambiumRecords"
refused Sources/CambiumCustomStores/Store.swift "import CambiumSQLiteStore"
refused Sources/Cambium/Store/Store.swift "import CambiumCustomStores"
refused Sources/CambiumModel/Model.swift "public import CambiumSQL"
refused Sources/CambiumPlan/Difference.swift "import CambiumSQL"
refused Sources/CambiumSQL/Schema.swift "import CambiumSQLite"
refused Sources/CambiumSQLite/Connection.swift "import CambiumSQL"
refused Sources/CambiumMigration/Runner.swift "@_spi(Generated) import Cambium"
refused Sources/CambiumCompiler/Reader.swift "import CSQLite"
refused Sources/CambiumCompiler/Reader.swift "import CambiumAuthoring"
refused Sources/CambiumGenerator/Generator.swift "import CambiumAuthoring"
refused Sources/CambiumTool/Tool.swift "import CLibXML2"
refused Plugins/CambiumBuildPlugin/plugin.swift "import CambiumCompiler"
refused Models/Shop/Product.swift "@_implementationOnly import CambiumModel"
# forbidden FILE LINE WORDS: checks that the line is rejected because the runtime must not use an
# engine directly.
forbidden() {
    if imports "$1" "$2"; then result 1 "$1 may not contain '$2'"; else
        says "^$1:1: error: .*$3" "$1 may not contain '$2'"
    fi
}

allowed Sources/CambiumSQLiteStore/SQLiteEngine.swift "import CambiumSQLite"
allowed Sources/Cambium/Exports.swift "@_exported import struct CambiumSQLite.SQLiteError"
forbidden Sources/Cambium/Store/Store.swift "import CambiumSQLite" "may not import CambiumSQLite: its"
forbidden Sources/Cambium/Store/Store.swift "internal import struct CambiumSQLite.SQLiteError" "may not import"
allowed Sources/CambiumSQLiteStore/SQLiteEngine.swift "} catch let error as SQLiteError {"
allowed Sources/Cambium/Store/Store.swift "// store as? SQLiteEngine"
forbidden Sources/Cambium/Store/Store.swift "if store is SQLiteEngine {" "may not cast"
forbidden Sources/Cambium/Store/Store.swift "    let sqlite = store as? SQLiteEngine" "may not cast"
forbidden Sources/Cambium/Store/Store.swift "} catch is SQLiteError {" "may not cast"
forbidden Sources/Cambium/Store/Store.swift 'let name = "SQLite"' "may not name an engine"
forbidden Sources/Cambium/Store/Store.swift "let isPostgres = true" "may not name an engine"
forbidden Sources/Cambium/Store/Opening/StoreKind.swift "case postgreSQL" "may not name an engine"
allowed Sources/Cambium/Store/Opening/StoreKind.swift "enum SQLiteKind {}"
allowed Sources/Cambium/Store/Store.swift "let count = 1 // as SQLite and PostgreSQL count"
allowed Sources/CambiumExchange/Importing/Row.swift 'let name = "SQLite"'
forbidden Sources/Cambium/Store/Store.swift 'let sql = "SELECT 1"' "may not contain SQL"
forbidden Sources/Cambium/Store/Store.swift '    PRAGMA query_only = ON' "may not contain SQL"
forbidden Sources/CambiumSQLiteStore/SQLiteEngine.swift 'let sql = "PRAGMA x"' "may not contain SQL"
forbidden Sources/CambiumExchange/Importing/Row.swift 'let sql = "SELECT 1"' "may not contain SQL"
forbidden Sources/CambiumExchange/Importing/Row.swift "if store is SQLiteEngine {" "may not cast"
refused Sources/CambiumExchange/Importing/Row.swift "import CambiumSQL"
refused Sources/Cambium/Batch/Run.swift "import CambiumExchange"
refused Sources/CambiumMigration/Migration.swift "import CambiumMaintenance"
refused Sources/Cambium/Container/Container.swift "import CambiumMigrationCommand"
allowed Sources/CambiumSQLiteStore/Statements/SaveSQL.swift 'let sql = "PRAGMA x"'
allowed Sources/CambiumSQL/PragmaSQL.swift 'let sql = "PRAGMA query_only = ON"'
allowed Sources/CambiumRecords/Record.swift '@inlinable @inline(__always) public func key() {}'
forbidden Sources/CambiumRecords/Record.swift '@inlinable package func key() {}' "may not be package"
forbidden Sources/CambiumRecords/Record.swift '@inlinable @inline(__always) package init() {}' "may not be"
# nested LINE: checks a nested package with one module that may use only Cambium.
nested() {
    rm -rf "$work/package"
    mkdir -p "$work/package/Tests/Nested/Sources/CambiumExchange"
    printf 'targets: [\n .target(\n  name: "CambiumExchange",\n  dependencies: [\n   "Cambium",\n ])]\n' \
        >"$work/package/Tests/Nested/Package.swift"
    printf '%s\n' "$1" >"$work/package/Tests/Nested/Sources/CambiumExchange/File.swift"
    sh "$root/Scripts/check-imports.sh" "$work/package" >"$work/output" 2>&1
}

nested "import Foundation" && nested "public import Cambium"
result $? "a module of a nested package imports its dependency"
if nested "import CambiumRecords"; then result 1 "a dependency that a nested package lacks"; else
    says "CambiumExchange may not import CambiumRecords" "a dependency that a nested package lacks"
fi
ln -s nowhere "$work/package/Tests/Nested/Sources/Cambium"
if sh "$root/Scripts/check-imports.sh" "$work/package" >"$work/output" 2>&1; then
    result 1 "a link of a nested package that leads nowhere"
else
    says "lead nowhere: .*Sources/Cambium" "a link of a nested package that leads nowhere"
fi
# Folders: a package of two folders, of which one may use the other.

# folders LINE: checks the package with this line in the folder that may not use the other one.
folders() {
    rm -rf "$work/package"
    mkdir -p "$work/package/Sources/Cambium/Upper" "$work/package/Sources/Cambium/Lower" \
        "$work/package/Scripts"
    printf '@_exported import struct Plan.Beam\nstruct Roof { let floor: Floor }\n' \
        >"$work/package/Sources/Cambium/Upper/Roof.swift"
    printf 'struct Floor {}\n%s\n' "$1" >"$work/package/Sources/Cambium/Lower/Floor.swift"
    printf '# Arrows\n\nCambium\n  Upper: Lower\n' >"$work/package/Scripts/folders.txt"
    sh "$root/Scripts/check-folders.sh" "$work/package" >"$work/output" 2>&1
}

folders "// Under the Roof."
result $? "a folder uses what the list lets it use"
folders "import Plan"
result $? "an import declares nothing"
cp "$work/package/Scripts/folders.txt" "$work/listed"
sh "$root/Scripts/check-folders.sh" --accept "$work/package" >"$work/output" 2>&1 &&
    cmp "$work/listed" "$work/package/Scripts/folders.txt" >>"$work/output" 2>&1
result $? "the list written anew is as it was"
printf '  may use each other: Upper Lower\n' >>"$work/package/Scripts/folders.txt"
if sh "$root/Scripts/check-folders.sh" "$work/package" >"$work/output" 2>&1; then
    result 1 "folders of the list that use each other no longer"
else
    says "no longer use each other" "folders of the list that use each other no longer"
fi
if folders "let roof: Roof?"; then result 1 "a folder uses what the list does not name"; else
    says "the folder Lower uses Upper" "a folder that uses another one than the list says"
    says "use each other: .*Lower" "folders that use each other"
fi
echo "struct Roof {}" >"$work/package/Sources/Cambium/Upper/Roof.swift"
echo "struct Floor {}" >"$work/package/Sources/Cambium/Lower/Floor.swift"
if sh "$root/Scripts/check-folders.sh" "$work/package" >"$work/output" 2>&1; then
    result 1 "an arrow of the list that is there no more"
else
    says "no longer uses Lower" "an arrow of the list that is there no more"
fi

if imports Sources/Stranger/File.swift "import Cambium"; then result 1 "an unknown module"; else
    says "the module Stranger is not in the table" "an unknown module is refused"
fi

# Setup: on simulated machines with replaced commands.

# command_named NAME: creates a command with the text of the standard input.
command_named() {
    { echo '#!/bin/sh'; cat; } >"$work/bin/$1"
    chmod +x "$work/bin/$1"
}

# A Linux machine with Swift and all other programs. Its packages are names in a file.
machine() {
    rm -rf "$work/bin"
    mkdir -p "$work/bin"
    for tool in dirname env cat grep sed; do ln -s "$(command -v $tool)" "$work/bin/$tool"; done
    echo "libxml-2.0 sqlite3 libpq" >"$work/installed"
    echo 3.40.1 >"$work/version"
    command_named uname </dev/null
    command_named swift </dev/null
    command_named true </dev/null
    echo 'echo 0' | command_named id
    command_named pkg-config <<EOF
case \$1 in
    --exists) grep -q -w -e "\$2" "$work/installed" ;;
    --modversion) cat "$work/version" ;;
    --atleast-version=3.40) ! grep -q '^3\.[0-3]' "$work/version" ;;
esac
EOF
    command_named apt-get <<EOF
echo "apt-get \$*" >>"$work/calls"
case "\$*" in *install*) echo "libxml-2.0 sqlite3 libpq" >"$work/installed" ;; esac
EOF
    : >"$work/calls"
}

setup() {
    PATH=$work/bin "$shell" -c ". '$root/Scripts/setup.sh'; echo ready" "$root/Scripts/x.sh" \
        >"$work/output" 2>&1
}

shell=$(command -v sh)
machine
setup
says '^ready$' "nothing is missing"
[ ! -s "$work/calls" ]
result $? "nothing is installed where nothing is missing"

machine
echo "sqlite3 libpq" >"$work/installed"
setup
says '^ready$' "a missing library is installed"
grep -q 'install .*libxml2-dev$' "$work/calls"
result $? "only what is missing is installed"

machine
: >"$work/installed"
echo 'echo 1000' | command_named id
setup
says 'sudo apt-get install libxml2-dev libsqlite3-dev libpq-dev' "a user who is not root is told what to install"
[ ! -s "$work/calls" ]
result $? "a user who is not root installs nothing"

machine
: >"$work/installed"
echo 'echo 1000' | command_named id
command_named sudo <<'EOF'
[ "$1" = -n ] || exit 1
shift
exec "$@"
EOF
setup
says '^ready$' "sudo that asks for no password is used"

machine
: >"$work/installed"
rm "$work/bin/apt-get"
setup
says 'This system has no apt-get' "a system without apt-get is told what to install"

machine
: >"$work/installed"
echo true | command_named apt-get
setup
says 'Still missing after the installation: libxml2-dev libsqlite3-dev' "a failed installation is told"

machine
echo 3.34.1 >"$work/version"
setup
says 'SQLite 3.40 or later is needed, and pkg-config finds 3.34.1' "an old SQLite is told"

machine
rm "$work/bin/swift"
setup
says "There is no 'swift' in the PATH" "a machine without Swift is told"

# The output of tests, from a simulated `swift`.
mkdir -p "$work/tests"
cat >"$work/tests/swift" <<'END'
#!/bin/sh
cat <<'OUTPUT'
✔ Test "one" passed after 1.0 seconds.
✘ Test "two" recorded an issue at File.swift:3:4: Expectation failed: 1 == 2
↳ Replay with CAMBIUM_SEED=7
◇ Test "three" started.
a line that "three" prints
✘ Test "two" failed after 1.0 seconds with 1 issue.
✔ Suite FileTests passed after 2.0 seconds.
OUTPUT
case " $* " in
    *' --filter '*) exit 5 ;;
    *' --skip '*) exit 0 ;;
esac
exit "$2"
END
chmod +x "$work/tests/swift"
PATH="$work/tests:$PATH" sh "$root/Scripts/run-tests.sh" 3 >"$work/all" 2>&1
[ $? -eq 3 ]
result $? "run-tests.sh ends as the tests do"
sed '1,/^== What failed/d' "$work/all" >"$work/output"
says "1 == 2" "run-tests.sh says at the end what failed"
says "CAMBIUM_SEED=7" "run-tests.sh says at the end what explains it"
! grep -q 'one\|three\|FileTests' "$work/output"
result $? "run-tests.sh leaves out at the end what passed"
PATH="$work/tests:$PATH" sh "$root/Scripts/run-tests.sh" 0 >"$work/output" 2>&1
result $? "run-tests.sh ends well where the tests do"
PATH="$work/tests:$PATH" sh "$root/Scripts/run-tests.sh" --skip-build >"$work/output" 2>&1
[ $? -eq 5 ] && [ "$(grep -c "^== What failed" "$work/output")" -eq 1 ]
result $? "run-tests.sh ends as those of two runs do that fail"

# A package manager that crashes as often as the number in a file.
mkdir -p "$work/crashes"
cat >"$work/crashes/swift" <<END
#!/bin/sh
left=\$(cat "$work/left")
echo "\$*, \$left left" >>"$work/calls"
[ "\$1" = --version ] || [ "\$left" -eq 0 ] || { echo \$((left - 1)) >"$work/left"; ulimit -c 0; kill -SEGV \$\$; }
[ "\$2" != --fail ]
END
chmod +x "$work/crashes/swift"

# crashes TIMES ARGUMENTS: runs swiftpm with a package manager that crashes this number of times.
crashes() {
    echo "$1" >"$work/left"
    : >"$work/calls"
    shift
    PATH="$work/crashes:$PATH" sh -c ". '$root/Scripts/setup.sh'; swiftpm $*" "$root/Scripts/x.sh" \
        >"$work/output" 2>&1
}

crashes 1 build --product x && [ "$(grep -c '^build --product x' "$work/calls")" -eq 2 ]
result $? "a build goes on where the package manager crashed"
says "'swift build' crashed (signal 11)" "a crash of the package manager is told"
crashes 2 build
[ $? -eq 139 ]
result $? "a build that crashes again fails"
crashes 0 build --fail
[ $? -eq 1 ] && [ "$(grep -c '^build' "$work/calls")" -eq 1 ]
result $? "a build that fails is not run again"

# Command lines
for arguments in "--budget" "--budget ten" "--minutes 3"; do
    # shellcheck disable=SC2086
    sh "$root/Scripts/test-long.sh" $arguments >"$work/output" 2>&1
    [ $? -eq 64 ]
    result $? "test-long.sh refuses '$arguments'"
done

for arguments in "--minutes" "--minutes ten" "--all yes"; do
    # shellcheck disable=SC2086
    sh "$root/Scripts/mutants.sh" $arguments >"$work/output" 2>&1
    [ $? -eq 64 ]
    result $? "mutants.sh refuses '$arguments'"
done

sh "$root/Scripts/mutants.sh" --check >"$work/output" 2>&1
result $? "each planted fault quotes lines that are there once"

for arguments in "" "JSON" "XML ten" "EXPRESSION 1 2"; do
    # shellcheck disable=SC2086
    sh "$root/Scripts/fuzz.sh" $arguments >"$work/output" 2>&1
    [ $? -eq 64 ]
    result $? "fuzz.sh refuses '$arguments'"
done

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
