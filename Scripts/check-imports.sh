#!/bin/sh
# Checks that no module imports a module that the architecture does not allow. It compares the
# `import` lines of Sources, Plugins, Models and the specification of engines with the table below.
# It also checks that the runtime uses engines only through their protocol: it contains no cast to
# an engine, no import of one, no name of one and no SQL. Nested packages of tests contain modules
# by links. Their imports are compared with the dependencies in the nested package. POSIX sh and
# awk.
#
#   check-imports.sh [FOLDER]     checks the package in FOLDER (default: this one)
set -eu
cd "${1:-$(dirname "$0")/..}"

# module: the modules of this package that it may import, then after a bar the modules of the
# system. Every module may import the standard library's modules.
rules='
CSQLite:
CLibXML2:
CPostgres:
CambiumModel: | FoundationEssentials Foundation
CambiumRecords: CambiumModel
CambiumPlan: CambiumModel
CambiumSQL: CambiumModel CambiumRecords CambiumPlan
CambiumSQLite: CSQLite CambiumModel CambiumRecords
CambiumMigration: CambiumModel CambiumPlan CambiumSQL CambiumSQLite
CambiumPostgresSQL: CambiumModel CambiumRecords CambiumPlan CambiumSQL CambiumMigration
CambiumMaintenance: CambiumModel CambiumPlan CambiumSQL CambiumSQLite CambiumMigration CambiumEngine
CambiumCoreDataStore: CambiumModel CambiumPlan CambiumSQL CambiumSQLite CambiumMigration CambiumMaintenance
CambiumEngine: CambiumModel CambiumRecords CambiumSQL CambiumMigration
CambiumChecking: CambiumModel CambiumRecords CambiumMigration CambiumEngine CambiumMaintenance
CambiumSQLiteStore: CambiumModel CambiumRecords CambiumSQL CambiumSQLite CambiumMigration CambiumEngine
CambiumCompiler: CLibXML2 CambiumModel CambiumPlan CambiumSQL CambiumMigration CambiumPostgresSQL | Foundation
CambiumAuthoring: CambiumModel CambiumPlan CambiumSQL CambiumSQLite CambiumMigration CambiumPostgresSQL CambiumMaintenance CambiumCompiler | Foundation
CambiumGenerator: CambiumCompiler
CambiumTool: CambiumModel CambiumRecords CambiumSQL CambiumMigration CambiumEngine CambiumSQLiteStore CambiumCompiler CambiumAuthoring CambiumMaintenance CambiumChecking CambiumCoreDataStore CambiumPostgresStore | Foundation
Cambium: CambiumModel CambiumRecords CambiumSQL CambiumSQLite CambiumMigration CambiumEngine CambiumSQLiteStore
CambiumCoreData: Cambium CambiumCoreDataStore
CambiumMigrationCommand: Cambium CambiumMigration CambiumMaintenance CambiumChecking
CambiumCustomStores: Cambium CambiumRecords
CambiumPostgresStore: CPostgres CambiumModel CambiumRecords CambiumPlan CambiumSQL CambiumSQLite CambiumMigration CambiumPostgresSQL CambiumEngine
CambiumPostgres: Cambium CambiumEngine CambiumPostgresStore
CambiumNotificationCenter: Cambium | Foundation
CambiumExchange: Cambium CambiumRecords CambiumSQLiteStore
PackageIndex: Cambium PackagesModel FirstPackagesModel
PackageIndexProgram: PackageIndex
PackageIndexPostgres: PackageIndex CambiumPostgres
CambiumEngineSpecification: CPostgres Cambium CambiumCustomStores CambiumPostgres CambiumPostgresSQL CambiumModel CambiumEngine CambiumRecords CambiumSQL EverythingModel ShopModel | Foundation Testing
CambiumBuildPlugin: | PackagePlugin Foundation
CambiumCommandPlugin: | PackagePlugin Foundation
Models: Cambium
'

# The runtime, and the names of engines: the prefix of their types, and their library.
runtime=Sources/Cambium
engines='
SQLite CambiumSQLite
'
# Files of the runtime that may import the library of an engine: file: reason.
importers='
Exports.swift: SQLiteError is public, as the errors of a store are
'
# Files of the runtime that may name the engine of files. No file may name an engine of servers.
namers='
Store/Opening/StoreKind.swift: it is what opens stores of that kind
Store/Opening/StoreDescription.swift: StoreType.sqlite is public
Store/Opening/StoreLocation.swift: a file has that type
Container/PersistentContainer.swift: a container without a location has a file of that type
Coordinator/PersistentStoreCoordinator.swift: metadata of files that are not open
Coordinator/PersistentStoreCoordinator+Stores.swift: copies and removes files
Errors/LocalizedErrors.swift: describes what the library refuses
Errors/CoreDataCompatibleError.swift: SQLiteError is public
'
# Files of the runtime that may contain SQL: file: reason.
writers='
'

list=$(mktemp)
trap 'rm -f "$list"' EXIT
for folder in Sources Plugins Models Tests/CambiumEngineSpecification; do
    if [ -d "$folder" ]; then
        # Links are followed; `Models` is one module for this purpose.
        find -L "$folder" -name '*.swift' >>"$list"
    fi
done

# dependencies PACKAGE: prints a line for each target of a nested package, in the form of the table.
dependencies() {
    awk -v package="$1" '
        { gsub(/[ \t]|\/\/.*/, ""); text = text $0 }
        END {
            count = split(text, targets, /[(](name:)?"/)
            for (i = 2; i <= count; i++) {
                name = names = targets[i]
                sub(/".*/, "", name)
                if (!sub(/^[^(]*dependencies:\[/, "", names)) names = "]"
                sub(/\].*/, "", names)
                gsub(/[",]+/, " ", names)
                print package "/" name ": " names
            }
        }' "$1/Package.swift"
}

for manifest in Tests/*/Package.swift; do
    [ -f "$manifest" ] || continue
    package=${manifest%/Package.swift}
    rules="$rules$(dependencies "$package")
"
    find -L "$package/Sources" "$package/Tests" -name '*.swift' 2>/dev/null >>"$list" || true
    # A build of the package writes the generated files.
    broken=$(find -L "$package/Sources" "$package/Tests" -type l ! -name Generated 2>/dev/null || true)
    [ -z "$broken" ] || { echo "check-imports: links that lead nowhere: $broken" >&2; exit 1; }
done
[ -s "$list" ] || { echo "check-imports: there are no Swift files in $(pwd)" >&2; exit 1; }

RULES=$rules LIST=$list RUNTIME=$runtime ENGINES=$engines IMPORTERS=$importers NAMERS=$namers \
    WRITERS=$writers \
    awk '
    BEGIN {
        list = ENVIRON["LIST"]
        standard = "Swift _StringProcessing Synchronization Observation Dispatch Glibc Musl Darwin Bionic os"
        count = split(ENVIRON["RULES"], lines, "\n")
        for (i = 1; i <= count; i++) {
            if (split(lines[i], parts, ":") < 2) continue
            gsub(/\|/, " ", parts[2])
            known[parts[1]] = 1
            allow(parts[1], parts[2])
            allow(parts[1], standard)
        }
        runtime = ENVIRON["RUNTIME"] "/"
        count = split(ENVIRON["ENGINES"], lines, "\n")
        for (i = 1; i <= count; i++)
            if (split(lines[i], parts, " ") == 2) engineModule[parts[1]] = parts[2]
        exempt(ENVIRON["IMPORTERS"], mayImport)
        exempt(ENVIRON["NAMERS"], mayName)
        exempt(ENVIRON["WRITERS"], mayWrite)
        while ((getline path < list) > 0) check(path)
        printf "%d imports in %d files of %d modules", imports, files, modules
        if (failures) { print ": " failures " not allowed"; exit 1 }
        print ": all allowed"
    }
    function allow(module, names,    parts, n, i) {
        n = split(names, parts, /[ \t]+/)
        for (i = 1; i <= n; i++) allowed[module, parts[i]] = 1
    }
    function exempt(text, list,    lines, count, parts, i) {
        count = split(text, lines, "\n")
        for (i = 1; i <= count; i++)
            if (split(lines[i], parts, ": ") == 2) list[parts[1]] = 1
    }
    function fail(path, number, problem) {
        print path ":" number ": error: " problem
        failures++
    }
    # The parts of a line of code that are forbidden in the runtime because of its engines.
    function checkSeam(path, number, line,    file, engine) {
        file = substr(path, length(runtime) + 1)
        for (engine in engineModule) {
            if (line ~ ("(^|[^A-Za-z0-9_])(as[?!]?|is)[ \t]+(any[ \t]+)?" engine "[A-Z]"))
                fail(path, number, "the runtime may not cast to an engine: ask for a capability")
            if (!(file in mayImport) && line ~ ("^import[ \t].*" engineModule[engine] "([^A-Za-z]|$)"))
                fail(path, number, "the runtime may not import " engineModule[engine] ": its engine does")
        }
    }
    # The runtime supports every engine, so its identifiers and texts name none.
    function checkNames(path, number, line,    file) {
        file = substr(path, length(runtime) + 1)
        sub(/[ \t]\/\/ .*/, "", line)
        line = tolower(line)
        if (line ~ /postgre|libpq/ || (line ~ /sqlite/ && !(file in mayName) && line !~ /^import[ \t]/))
            fail(path, number, "the runtime may not name an engine")
    }
    # CambiumSQL writes SQL. SQL for SQLite alone is in folders with the name Statements.
    function checkText(path, number, line,    file) {
        file = substr(path, length(runtime) + 1)
        if (!(file in mayWrite) && line ~ /(^|[^A-Za-z0-9_])(SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|PRAGMA) /)
            fail(path, number, "it may not contain SQL: CambiumSQL writes it, or a folder Statements")
    }
    # `@inlinable package` compiles, and no other module inlines it.
    function checkInlinable(path, number, line) {
        if (line ~ /^@inlinable/) inlinable = 1
        while (line ~ /^@[A-Za-z_]+(\([^)]*\))?([ \t]|$)/)
            if (!sub(/^@[A-Za-z_]+(\([^)]*\))?[ \t]+/, "", line)) return
        if (inlinable && line ~ /^package[ \t]/)
            fail(path, number, "it may not be package: other modules inline public declarations alone")
        inlinable = 0
    }
    function check(path,    parts, module, nested, line, number, name, inComment) {
        split(path, parts, "/")
        module = parts[1] == "Models" ? "Models" : parts[2]
        nested = parts[3] == "Sources" || parts[3] == "Tests"
        if (nested) module = parts[1] "/" parts[2] "/" parts[4]
        if (!(module in known)) {
            print path ": error: the module " module " is not in the table of check-imports.sh"
            failures++
        }
        if (!(module in seen)) { seen[module] = 1; modules++ }
        files++
        while ((getline line < path) > 0) {
            number++
            # Attributes (@testable, @_spi(Generated)) and an access level may come before it.
            sub(/^[ \t]+/, "", line)
            checkInlinable(path, number, line)
            while (line ~ /^(@[A-Za-z_]+(\([^)]*\))?|public|package|internal|fileprivate|private)[ \t]/)
                sub(/^[^ \t]+[ \t]+/, "", line)
            if (line !~ /^\/\//) {
                if (path ~ /^Sources\/Cambium(Exchange)?\//) checkSeam(path, number, line)
                if (path ~ /^Sources\/Cambium\//) checkNames(path, number, line)
                if (path ~ /^Sources\/Cambium(CoreDataStore|CustomStores|Engine|Exchange|SQLiteStore)?\// && path !~ /\/Statements\//)
                    checkText(path, number, line)
            }
            # The whole line is the import (prose in a string may start with the word too).
            if (line !~ /^import[ \t]+([a-z]+[ \t]+)?[A-Za-z0-9_.]+[ \t]*(\/\/.*)?$/) continue
            sub(/^import[ \t]+/, "", line)
            sub(/^(struct|class|enum|protocol|func|var|let|typealias|actor)[ \t]+/, "", line)
            match(line, /^[A-Za-z0-9_]+/)
            name = substr(line, 1, RLENGTH)
            imports++
            # The table above lists the other modules that the module may import.
            if (nested && name !~ /^(Cambium|CSQLite|CLibXML2)|Model$/) continue
            if (!((module, name) in allowed)) {
                print path ":" number ": error: " module " may not import " name
                failures++
            }
        }
        close(path)
    }
'
