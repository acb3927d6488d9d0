#!/bin/sh
# Runs the tests that do not fit into the two minutes of test.sh, within a time budget:
#
#   test-long.sh [--budget MINUTES]      default: 60
#
# A part that has started always runs to its end. A part that needs more than the remaining time is
# skipped, and the skipped parts are listed at the end. The exit code is 1 if a part failed.
set -eu
usage="usage: test-long.sh [--budget MINUTES]"
budget=60
while [ $# -gt 0 ]; do
    case $1 in
        --budget) [ $# -ge 2 ] || { echo "$usage" >&2; exit 64; }; budget=$2; shift 2 ;;
        --budget=*) budget=${1#--budget=}; shift ;;
        *) echo "$usage" >&2; exit 64 ;;
    esac
done
case $budget in
    '' | *[!0-9]*) echo "$usage" >&2; exit 64 ;;
esac
. "$(dirname "$0")/setup.sh"

start=$(date +%s)
deadline=$((start + budget * 60))
outputs=$(mktemp -d)
trap 'rm -rf "$outputs"' EXIT
done_parts=
failed_parts=
left_out=

# Runs a part if there is enough time for it. The arguments are its name, the minutes that it needs,
# and the command.
part() {
    name=$1
    minutes=$2
    shift 2
    now=$(date +%s)
    if [ $((now + minutes * 60)) -gt "$deadline" ]; then
        left_out="$left_out
    $name (needs $minutes minutes)"
        return 0
    fi
    printf '\n== %s (%d of %d minutes used)\n' "$name" $(((now - start) / 60)) "$budget"
    echo failed >"$outputs/result"
    # The exit code is written to a file, because a pipe has the exit code of its last command.
    { if "$@" 2>&1; then echo passed >"$outputs/result"; fi; } | tee "$outputs/output"
    result=$(cat "$outputs/result")
    line="
    $name: $result in $(($(date +%s) - now)) s"
    done_parts="$done_parts$line"
    if [ "$result" = failed ]; then
        failed_parts="$failed_parts$line$(findings)"
    fi
}

# Prints the last lines of a failed part again, so that the end of a long output shows the reason.
# Tests print their failures again at their end.
findings() {
    echo
    if grep -q '^== What failed' "$outputs/output"; then
        sed '1,/^== What failed/d' "$outputs/output"
    else
        tail -n 20 "$outputs/output"
    fi | cut -c 1-600 | head -n 60 | sed 's/^/        /'
}

plugin() { sh Scripts/test-plugin.sh; }

# A store of 1,000,000 objects, to a server and back, in time and memory.
moves() { sh Scripts/test-move.sh; }

# Packages that do not use PostgreSQL, and the example of those that do.
postgres() { sh Scripts/test-postgres.sh "$(products)/CambiumTool"; }

# The steps of the README for a new user, from an empty folder to a frozen version.
first_hour() { sh Scripts/test-first-hour.sh; }

# The tutorial from an empty folder, exactly as on its page.
tutorial() { sh Scripts/test-tutorial.sh; }

# The README's program, users' packages, the tests and the demo with the native build system. All
# other parts use the faster one if the toolchain has it.
native_build_system() {
    case $system in
        *swiftbuild) ;;
        *) echo "The other parts use no other build system."; return 0 ;;
    esac
    excerpt=Sources/PackageIndex/Excerpt/packages.deb822
    # shellcheck disable=SC2086
    (
        CAMBIUM_BUILD_SYSTEM=native
        export CAMBIUM_BUILD_SYSTEM
        use_build_system native
        sh Scripts/test-plugin.sh &&
            swiftpm build --build-tests $strict &&
            sh Scripts/run-tests.sh --skip-build $strict &&
            sh Scripts/demo.sh --input "$excerpt" --store "$outputs/store.sqlite"
    )
}

# The Swift code of every fixture is compiled and run, and the code of real models is type-checked.
generated() { sh Scripts/test-generated.sh; }
corpus() { sh Scripts/test-corpus.sh; }

# Every name with a meaning in Swift or in the library, at every place of a model.
every_name() {
    # shellcheck disable=SC2086
    CAMBIUM_EVERY_NAME=1 sh Scripts/run-tests.sh $strict --filter NameTests
}

# Every store of Core Data in the corpus is imported, and compared with independent SQL.
coredata_stores() { sh Scripts/test-coredata-stores.sh; }

# 10,000 stores of Core Data with flipped bytes or missing ends. Each is imported completely, or the
# import fails.
damaged_stores() {
    # shellcheck disable=SC2086
    CAMBIUM_DAMAGED_STORES=10000 sh Scripts/run-tests.sh $strict --filter DamagedStoreTests
}

# Random cases: each generator has 1/120 of the budget, but at least 10 seconds. Only suites that
# read the variable run. They print their seeds. The build is the same as in test.sh, so it exists
# already.
generators() {
    seconds=$((budget * 60 / 120))
    [ "$seconds" -ge 10 ] || seconds=10
    suites=$(grep -rlE 'forEachSeed\(|"CAMBIUM_GENERATOR_SECONDS"' Tests --include='*Tests.swift' |
        sed 's,.*/\(.*\)\.swift,\1,' | sort | tr '\n' '|' | sed 's/|$//')
    # shellcheck disable=SC2086
    CAMBIUM_GENERATOR_SECONDS=$seconds sh Scripts/run-tests.sh $strict --filter "[./]($suites)/"
}

# All tests with their full numbers of rows, saves and cases. Other runs have a part of them.
full_size() {
    # shellcheck disable=SC2086
    CAMBIUM_FULL_SIZE=1 sh Scripts/run-tests.sh $strict
}

# Tests of the runtime in a release build of the runtime alone. The build takes most of the time,
# and the first of these tests starts it.
#
#   optimized TESTS VARIABLE=NUMBER      the number says how many cases
optimized() {
    scratch=.build/model-based
    flags="$system -c release --package-path Tests/ModelBased --scratch-path $scratch"
    # shellcheck disable=SC2086
    swiftpm build --product CambiumTool $strict &&
        tool=$(products)/CambiumTool &&
        "$tool" compile Models/Everything/Everything.cambium --output "$scratch/Everything" &&
        "$tool" compile Models/Shop/Shop.cambium --output "$scratch/Shop" &&
        "$tool" compile Models/TestDummy/TestDummies.cambium --output "$scratch/TestDummies" &&
        swiftpm build $flags --build-tests &&
        env "$2" sh Scripts/run-tests.sh $flags --skip-build --filter "$1"
}

# The runtime is compared with a simple model that consists of dictionaries: 20,000 sequences of
# fifty random operations.
model_based() { optimized RandomGraphTests CAMBIUM_GENERATOR_RUNS=20000; }

# 2,000 sequences of work on every engine, which must have equal results and equal stores. Another
# 2,000 run concurrently on one store, and its derived values are computed again at the end.
sequences() { optimized RandomSequenceTests CAMBIUM_GENERATOR_RUNS=2000; }

# The tests of the runtime, including the original scenarios of the project, on a server instead of
# SQLite. The tests that are listed in SQLiteTests.txt are skipped.
runtime() { # 15 or 18
    # shellcheck disable=SC2086
    (
        . Scripts/servers.sh
        trap stop_servers EXIT
        start_servers
        if ! env | grep -q "^CAMBIUM_POSTGRES_$1="; then exit 0; fi
        CAMBIUM_TEST_ENGINE="PostgreSQL $1" sh Scripts/run-tests.sh $strict --filter '^CambiumTests[.]'
    )
}

# 3,000 programs with lists of all kinds, which are followed in four ways and compared with a model
# of a table view.
tables() {
    # shellcheck disable=SC2086
    CAMBIUM_GENERATOR_RUNS=3000 sh Scripts/run-tests.sh $strict --filter RandomTableTests
}

# 20,000 random predicates with orders, windows and results, 60 in each run: in memory, on SQLite and on
# each PostgreSQL.
predicates() {
    # shellcheck disable=SC2086
    CAMBIUM_GENERATOR_RUNS=340 sh Scripts/run-tests.sh $strict --filter RandomPredicateTests
}

# 10,000 transactions for each guarantee on every server, and 12,800 saves of eight processes. In
# half of the runs, connections are closed meanwhile.
isolation() {
    # shellcheck disable=SC2086
    CAMBIUM_FULL_SIZE=1 CAMBIUM_GENERATOR_SECONDS=1000 \
        sh Scripts/run-tests.sh $strict --filter '(Isolation|Processes)Tests'
}

# 20,000 random conditions, 50 in each run: in memory, before a save, in SQL, after reading again,
# and as text.
conditions() {
    # shellcheck disable=SC2086
    CAMBIUM_GENERATOR_RUNS=400 sh Scripts/run-tests.sh $strict --filter ConditionDifferentialTests
}

# All edits of up to five objects in up to three sections.
small_lists() {
    # shellcheck disable=SC2086
    CAMBIUM_LIST_OBJECTS=5 sh Scripts/run-tests.sh $strict --filter SmallResultListTests
}

# Every file system call of a small migration: the process is killed at the call, or the call fails.
crashes() {
    # shellcheck disable=SC2086
    CAMBIUM_EVERY_CRASH=1 sh Scripts/run-tests.sh $strict --filter '(Crash|Fault)Tests'
}

# 600 random pairs of models with rows, and 200 chains, compared with the mapping in memory.
mappings() {
    # shellcheck disable=SC2086
    CAMBIUM_GENERATOR_RUNS=600 sh Scripts/run-tests.sh $strict --filter RandomMappingTests
}

# Random pairs of models with rows on both servers, which must be migrated as in files: 2,000 with a
# large budget, 200 in CI.
server_migrations() {
    # shellcheck disable=SC2086
    CAMBIUM_FULL_SIZE=1 CAMBIUM_GENERATOR_RUNS=$server_pairs \
        sh Scripts/run-tests.sh $strict --filter 'CambiumPostgresTests.RandomMigrationTests'
}

# The long histories of real models on a server: every step, and stores that are migrated through
# all steps, as in files.
server_chains() {
    # shellcheck disable=SC2086
    CAMBIUM_WHOLE_CORPUS=1 sh Scripts/run-tests.sh $strict --filter RealChainMigrationTests
}

# 20,000 random pairs of drafts of one version, which are migrated without data loss, or rejected.
drafts() {
    # shellcheck disable=SC2086
    CAMBIUM_GENERATOR_RUNS=20000 sh Scripts/run-tests.sh $strict --filter RandomDraftTests
}

# 10 million random changes of lists; the seeds of those that fail are printed.
long_lists() { optimized RandomResultListTests CAMBIUM_LIST_CHANGES=10000000; }

# Inserted faults, as many as fit into the time. The tests must find them.
mutants() { sh Scripts/mutants.sh --minutes 9; }

# Every real model, cut off at a hundred places, converted there and back, and damaged in all ways.
whole_corpus() {
    # shellcheck disable=SC2086
    CAMBIUM_WHOLE_CORPUS=1 sh Scripts/run-tests.sh $strict --filter 'Cambium(Compiler|Authoring)Tests.*(Corpus|Damaged)'
}

# The long histories of real models: every step, stores that are migrated through all steps, and an
# incorrect step.
real_chains() {
    # shellcheck disable=SC2086
    CAMBIUM_WHOLE_CORPUS=1 sh Scripts/run-tests.sh $strict --filter 'RealChainTests|WooCommerceNotesTests'
}

# Fuzzing of both kinds at the same time, for 1/30 of the budget, but at least a minute. (SwiftPM
# makes one of them wait while the other builds.)
fuzzing() {
    seconds=$((budget * 60 / 30))
    [ "$seconds" -ge 60 ] || seconds=60
    sh Scripts/fuzz.sh XML "$seconds" &
    models=$!
    status=0
    sh Scripts/fuzz.sh EXPRESSION "$seconds" || status=1
    wait "$models" || status=1
    return $status
}

# A sanitizer, in a separate folder. It needs several times the stack, so the tests that use all of
# a small stack cannot run.
sanitized() {
    # shellcheck disable=SC2086
    sh Scripts/run-tests.sh $system "--sanitize=$1" --scratch-path ".build/$1" --skip ExpressionDepthTests
}

# On Linux, the sanitizer needs a description of Swift's mutexes.
threads() {
    case $(uname -s) in
        Linux)
            mkdir -p .build/thread
            library=$(pwd)/.build/thread/swift-mutex.so
            "$(dirname "$(command -v swiftc)")/clang" -shared -fPIC -O1 -o "$library" \
                Tests/Sanitizers/SwiftMutex.c -ldl &&
                (LD_PRELOAD=$library && export LD_PRELOAD && sanitized thread)
            ;;
        *) sanitized thread ;;
    esac
}

# Leaks are not checked here, because the caches of SQLite and libxml2 exist as long as the process,
# and would be reported.
addresses() { ASAN_OPTIONS=detect_leaks=0 sanitized address; }

part "20,000 random conditions" 1 conditions
part "20,000 random predicates on servers" 10 predicates
part "the runtime on PostgreSQL 15" 5 runtime 15
part "the runtime on PostgreSQL 18" 5 runtime 18
part "all edits of lists of five objects" 1 small_lists
part "the plugin on packages of its own" 2 plugin
part "packages without PostgreSQL and with it" 3 postgres
if [ "$budget" -ge 240 ]; then server_pairs=2000; else server_pairs=200; fi
part "migrations of $server_pairs random pairs of models on servers" $((server_pairs / 50)) server_migrations
part "moving 1,000,000 objects" 12 moves
part "tests of full size" 40 full_size
part "the first hour, by the README" 4 first_hour
part "the tutorial, by its page" 4 tutorial
part "generated Swift of all fixtures" 2 generated
part "generated Swift of real models" 2 corpus
part "20,000 sequences against a model of the runtime" 5 model_based
part "2,000 sequences of work on all engines" 25 sequences
part "10,000 transactions side by side" 30 isolation
part "3,000 programs against a model of a table view" 5 tables
part "generators at full count" 5 generators
part "kills and faults at every call of a migration" 2 crashes
part "10,000 damaged stores of Core Data" 3 damaged_stores
part "10 million changes of lists" 3 long_lists
part "real stores of Core Data, imported and compared" 5 coredata_stores
part "migrations of random pairs of models" 1 mappings
part "20,000 random pairs of drafts" 7 drafts
part "histories of real models" 3 real_chains
part "histories of real models on servers" 15 server_chains
part "fuzzing" 3 fuzzing
part "planted faults" 10 mutants
part "the other build system" 15 native_build_system
part "thread sanitizer" 15 threads
part "address sanitizer" 15 addresses
part "every name in every place of a model" 20 every_name
part "every real model, damaged and converted" 20 whole_corpus

printf '\n== Done:%s\n' "${done_parts:- nothing}"
if [ -n "$left_out" ]; then
    printf 'Left out, there being too little left of %d minutes:%s\n' "$budget" "$left_out"
fi
if [ -n "$failed_parts" ]; then
    printf 'Failed:%s\n' "$failed_parts"
    exit 1
fi
