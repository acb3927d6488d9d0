#!/bin/sh
# Inserts the faults of Scripts/mutants.txt into a copy of the package, and activates them one at a
# time. The tests that are listed for a fault must fail with it, and pass without any fault.
#
#   mutants.sh [--minutes N] [--only TEXT]
#   mutants.sh --check                        only whether each fault can be planted
#
# All faults are built at once. The environment variable CAMBIUM_MUTANT of the tests selects the
# active one. With --minutes, it tries as many faults as fit into the time, and starts with another
# one every day. Otherwise it tries all. The exit code is 1 if a fault cannot be inserted, or is not
# found. The copy and its build are kept in .build/mutants, so that the next run is faster.
set -eu
usage="usage: mutants.sh [--minutes N] [--only TEXT] | --check"
minutes=
only=
checks=
if [ "${1:-}" = --check ]; then checks=yes; shift; fi
while [ $# -gt 0 ]; do
    [ $# -ge 2 ] || { echo "$usage" >&2; exit 64; }
    case $1 in
        --minutes) minutes=$2 ;;
        --only) only=$2 ;;
        *) echo "$usage" >&2; exit 64 ;;
    esac
    shift 2
done
case $minutes in
    *[!0-9]*) echo "$usage" >&2; exit 64 ;;
esac
. "$(dirname "$0")/setup.sh"

start=$(date +%s)
list=$PWD/Scripts/mutants.txt
work=$PWD/.build/mutants
copy=$work/Cambium
mkdir -p "$copy"

# Prints a line of a mutant (by its number): "mutant", "file" or "tests".
line() {
    awk -v wanted="$1" -v word="$2" '
        $1 == "mutant" { number++ }
        number == wanted && $1 == word { sub(/^[a-z]+ /, ""); print; exit }' "$list"
}

# Prints a file with a fault inserted. It fails if the original lines are not in the file exactly
# once.
plant() { # number, file
    awk -v wanted="$1" -v list="$list" '
        BEGIN {
            while ((getline text < list) > 0) {
                if (text ~ /^mutant /) number++
                if (number != wanted) continue
                if (text ~ /^-/) old = old substr(text, 2) "\n"
                if (text ~ /^\+/) new = new substr(text, 2) "\n"
            }
            gsub(/PLANTED/, "(plantedMutant == " wanted ")", new)
        }
        { whole = whole $0 "\n" }
        END {
            at = index("\n" whole, "\n" old)
            if (old == "" || at == 0) exit 1
            rest = substr(whole, at + length(old))
            if (index("\n" rest, "\n" old) > 0) exit 1
            printf "%s%s%s", substr(whole, 1, at - 1), new, rest
        }' "$2"
}

# The folders of tests that declare a suite.
targets() { # name of a suite
    grep -rlE "^ *(@.* )?(public |final )*(struct|class|enum) $1( |:|$)" Tests --include='*.swift' |
        cut -d / -f 1,2 | sort -u
}

# With the name of a suite that does not exist, no test would run, and no fault would be found.
count=$(grep -c '^mutant ' "$list")
wanted=
unknown=
for suite in $(sed -n 's/^tests //p' "$list" | tr '|' '\n' | sort -u); do
    folders=$(targets "$suite")
    [ -n "$folders" ] || unknown="$unknown $suite"
    for folder in $folders; do
        case " $wanted " in *" $folder "*) ;; *) wanted="$wanted $folder" ;; esac
    done
done
[ -z "$unknown" ] || fail "The faults name tests that are not there:$unknown"

# Inserts all faults into a copy of the sources. Two faults in the same lines exclude each other.
faults=
plant_all() { # folder of the copy
    for number in $(seq 1 "$count"); do
        file=$(line "$number" file)
        if plant "$number" "$1/$file" >"$work/planted.swift" 2>/dev/null; then
            cp "$work/planted.swift" "$1/$file"
        else
            echo "  $number. $(line "$number" mutant): CANNOT BE PLANTED in $file"
            faults="$faults $number"
        fi
    done
}

if [ -n "$checks" ]; then
    rm -rf "$work/checked"
    for file in $(sed -n 's/^file //p' "$list" | sort -u); do
        mkdir -p "$work/checked/$(dirname "$file")"
        cp "$file" "$work/checked/$file" || true
    done
    plant_all "$work/checked"
    rm -r "$work/checked"
    [ -z "$faults" ] || exit 1
    exit 0
fi

# The Swift code with which a module selects its active fault.
switch_source() {
    cat <<SWIFT
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

let plantedMutant = getenv("CAMBIUM_MUTANT").map { atoi(\$0) } ?? 0
SWIFT
}

# Creates the package with all faults beside the copy. Unchanged files in the copy keep their times,
# so that they are not compiled again.
fresh=$work/fresh
rm -rf "$fresh"
mkdir -p "$fresh"
git ls-files --cached --others --exclude-standard | while IFS= read -r path; do
    [ -f "$path" ] || continue
    mkdir -p "$fresh/$(dirname "$path")"
    cp -P "$path" "$fresh/$path"
done
plant_all "$fresh"
sed -n 's,^file \(Sources/[^/]*\)/.*,\1,p' "$list" | sort -u | while IFS= read -r module; do
    switch_source >"$fresh/$module/PlantedMutant.swift"
done
# Only the tests that are listed for faults are needed.
cat >>"$fresh/Package.swift" <<SWIFT
let wantedTests = "$wanted".split(separator: " ")
package.targets.removeAll { \$0.isTest && !wantedTests.contains("Tests/\(\$0.name)") }
SWIFT
(cd "$fresh" && find . \( -type f -o -type l \) -print) | while IFS= read -r path; do
    cmp -s "$fresh/$path" "$copy/$path" && continue
    mkdir -p "$copy/$(dirname "$path")"
    cp -P "$fresh/$path" "$copy/$path"
done
(cd "$copy" && find . -path ./.build -prune -o \( -type f -o -type l \) -print) |
    while IFS= read -r path; do
        [ -e "$fresh/$path" ] || [ -L "$fresh/$path" ] || rm "$copy/$path"
    done
# Some tests list the folders of the package.
find "$copy" -depth -type d -empty ! -path "$copy/.build/*" -exec rmdir {} \;

echo "Building the copy with $count faults"
# shellcheck disable=SC2086
if ! (cd "$copy" && swiftpm build --build-tests $system) >"$work/build.log" 2>&1; then
    grep -m 20 'error:' "$work/build.log" || tail -n 40 "$work/build.log"
    exit 1
fi
echo "Built in $(($(date +%s) - start)) s"

. Scripts/servers.sh
trap stop_servers EXIT
trap 'exit 1' HUP INT TERM
start_servers

# With a fault, a test may never end. (macOS has no timeout.)
limit=$(command -v timeout >/dev/null 2>&1 && echo "timeout 300" || true)
# Runs tests with a fault, or without one (0). Random tests have some seconds to find it.
run() { # number, filter, command that ends it where it takes too long
    # shellcheck disable=SC2086
    (cd "$copy" && CAMBIUM_MUTANT=$1 CAMBIUM_GENERATOR_SECONDS=3 CAMBIUM_FULL_SIZE=1 $3 \
        swift test --skip-build $system --filter "[./]($2)/") >"$work/test.log" 2>&1
}

filters=$(sed -n 's/^tests //p' "$list" | tr '|' '\n' | sort -u | tr '\n' '|' | sed 's/|$//')
if ! run 0 "$filters" ""; then
    echo "Without a fault the tests fail already:"
    grep -m 20 '^✘ Test ' "$work/test.log" || tail -n 40 "$work/test.log"
    exit 1
fi

first=0
[ -z "$minutes" ] || first=$((start / 86400 * 7 % count))
echo "Starting with mutant $((first + 1)) of $count"
found=0
left=0
for step in $(seq 0 $((count - 1))); do
    number=$(((first + step) % count + 1))
    name=$(line "$number" mutant)
    case $name in *"$only"*) ;; *) continue ;; esac
    case " $faults " in *" $number "*) continue ;; esac
    case $(line "$number" file) in
        Sources/CambiumPostgres*)
            if [ -z "${CAMBIUM_POSTGRES_15:-}${CAMBIUM_POSTGRES_18:-}" ]; then
                left=$((left + 1))
                continue
            fi
            ;;
    esac
    began=$(date +%s)
    if [ -n "$minutes" ] && [ $((began - start)) -gt $((minutes * 60)) ]; then
        left=$((left + 1))
        continue
    fi
    if run "$number" "$(line "$number" tests)" "$limit"; then
        echo "  $number. $name: NOT FOUND"
        faults="$faults $number"
    else
        tests=$(grep '^✘ Test .* failed after' "$work/test.log" | grep -vc '^✘ Test run' || true)
        [ "$tests" != 0 ] || tests="a crash in the"
        echo "  $number. $name: found by $tests tests in $(($(date +%s) - began)) s"
        found=$((found + 1))
    fi
done

echo "$found mutants found, $left left for another time, in $(($(date +%s) - start)) s."
if [ -n "$faults" ]; then
    echo "Something is wrong with:$faults"
    exit 1
fi
