#!/bin/sh
# Searches for inputs that crash the compiler, guided by the code that they reach (libFuzzer).
#
#   fuzz.sh XML|EXPRESSION [SECONDS]     runs for that long; default: 60
#   fuzz.sh XML|EXPRESSION keep          makes the kept inputs anew, from them and from earlier runs
#
# XML: the input is a model file of Cambium or Xcode. It is read, checked, proven and emitted.
# EXPRESSION: the input is a condition and a value. It is checked, evaluated, and compared with
# SQLite's result.
#
# The search starts from Tests/Fuzzing/Corpus, from the models of the tests (XML) and from the
# inputs of earlier runs, which are kept in .build/fuzzing. A finding ends the run with 1, and is
# stored in this folder. If it is copied to the corpus, it becomes a case of the fast tests, which
# run all kept inputs.
set -eu
usage="usage: fuzz.sh XML|EXPRESSION [SECONDS|keep]"
kind=${1:-}
seconds=${2:-60}
case $kind in
    XML) program=FuzzXML length=6000 kept_length=2500 ;;
    EXPRESSION) program=FuzzExpression length=300 kept_length=200 ;;
    *) echo "$usage" >&2; exit 64 ;;
esac
case $seconds in
    keep) ;;
    '' | *[!0-9]*) echo "$usage" >&2; exit 64 ;;
esac
[ $# -le 2 ] || { echo "$usage" >&2; exit 64; }
. "$(dirname "$0")/setup.sh"

scratch=$(pwd)/.build/fuzzing
found=$scratch/found/$kind
findings=$scratch/findings/$kind
kept=Tests/Fuzzing/Corpus/$kind
mkdir -p "$found" "$findings" "$kept"

# Only the native build system links it. With the next one, the program's `main` keeps its name,
# which is also defined in libFuzzer's library.
echo "Building $program"
swiftpm build --build-system native -c release --package-path Tests/Fuzzing --scratch-path "$scratch" \
    --product "$program" >"$scratch/$program.build" 2>&1 || {
    cat "$scratch/$program.build"
    fail "The fuzzer does not build. libFuzzer is in the toolchains of swift.org, not in Xcode's."
}
program=$scratch/release/$program

# Swift's own crash report would prevent libFuzzer from storing the input.
SWIFT_BACKTRACE=enable=no
export SWIFT_BACKTRACE

if [ "$seconds" = keep ]; then
    # Keeps the smallest set of inputs that reaches all code that the others reach, short inputs
    # first.
    rm -rf "$scratch/kept"
    mkdir -p "$scratch/kept"
    "$program" -set_cover_merge=1 -max_len="$kept_length" "$scratch/kept" "$kept" "$found" \
        >"$scratch/$kind.log" 2>&1 || { tail -n 20 "$scratch/$kind.log"; exit 1; }
    # Regression cases have names. Other inputs are named after their contents.
    find "$kept" -type f -name '????????????????????????????????????????' -delete
    cp "$scratch/kept/"* "$kept/"
    echo "$(find "$kept" -type f | wc -l) inputs in $kept"
    exit 0
fi

seeds=$kept
if [ "$kind" = XML ]; then
    seeds=$scratch/models
    rm -rf "$seeds"
    mkdir -p "$seeds"
    find "$kept" Models Tests/CambiumCompilerTests/Cases Tests/CambiumAuthoringTests/Cases -type f \
        \( -path "$kept/*" -o -name '*.xml' -o -name contents \) |
        while read -r file; do cp "$file" "$seeds/$(echo "$file" | tr / _)"; done
fi
if "$program" -max_total_time="$seconds" -max_len="$length" -timeout=20 -rss_limit_mb=4096 \
    -dict="Tests/Fuzzing/Dictionaries/$kind.dict" -artifact_prefix="$findings/" -print_final_stats=1 \
    "$found" "$seeds" >"$scratch/$kind.log" 2>&1; then
    grep -a -e '^#[0-9]*.DONE' "$scratch/$kind.log" | sed "s/^#/$kind: /"
else
    grep -a -e 'Fatal error' -e '^SUMMARY' -e 'Test unit written' "$scratch/$kind.log" | cut -c 1-2000
    fail "$kind: an input that the compiler does not stand, in $findings." \
        "Copy it to $kept under a name that says what it is about, and put the fault right." \
        "Seen before? Then $found may hold it too. The whole log: $scratch/$kind.log"
fi
