#!/bin/sh
# Plants the faults of Scripts/mutants.txt, one at a time, in a copy of the package; the tests that
# are named for each must fail there.
#
#   mutants.sh [--minutes N] [--only TEXT]
#
# With a number of minutes, as many as fit into them, starting with another one every day; else all.
# Ends with 1 where a fault cannot be planted, or is not found. The copy and what is built of it
# stay in .build/mutants, so that the next time is quicker.
set -eu
usage="usage: mutants.sh [--minutes N] [--only TEXT]"
minutes=
only=
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

# Prints a file of the copy with a mutant planted; fails where its lines are not there exactly once.
plant() { # number, file
    awk -v wanted="$1" -v list="$list" '
        BEGIN {
            while ((getline text < list) > 0) {
                if (text ~ /^mutant /) number++
                if (number != wanted) continue
                if (text ~ /^-/) old = old substr(text, 2) "\n"
                if (text ~ /^\+/) new = new substr(text, 2) "\n"
            }
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

# The files as git knows them, changed or not; those that are the same keep their times.
git ls-files --cached --others --exclude-standard | while IFS= read -r path; do
    [ -f "$path" ] || continue
    cmp -s "$path" "$copy/$path" && continue
    mkdir -p "$copy/$(dirname "$path")"
    cp -P "$path" "$copy/$path"
done
(cd "$copy" && find . -path ./.build -prune -o -type f -print) | while IFS= read -r path; do
    [ -e "$path" ] || rm "$copy/$path"
done

echo "Building the copy without faults"
build() { (cd "$copy" && swift build --build-tests) >"$work/build.log" 2>&1; }
build || { tail -40 "$work/build.log"; exit 1; }
# A fault may keep a test from coming to an end. (macOS has no timeout.)
limit=$(command -v timeout >/dev/null 2>&1 && echo "timeout 300" || true)
run() { # filter
    # shellcheck disable=SC2086
    (cd "$copy" && $limit swift test --skip-build --filter "CambiumTests.*($1)") \
        >"$work/test.log" 2>&1
}

count=$(grep -c '^mutant ' "$list")
first=0
[ -z "$minutes" ] || first=$((start / 86400 * 7 % count))
echo "Starting with mutant $((first + 1)) of $count"
found=0
left=0
faults=
for step in $(seq 0 $((count - 1))); do
    number=$(((first + step) % count + 1))
    name=$(line $number mutant)
    file=$(line $number file)
    case $name in *"$only"*) ;; *) continue ;; esac
    if [ -n "$minutes" ] && [ $(($(date +%s) - start)) -gt $((minutes * 60)) ]; then
        left=$((left + 1))
        continue
    fi
    if ! plant $number "$file" >"$work/planted.swift"; then
        echo "  $number. $name: CANNOT BE PLANTED in $file"
        faults="$faults $number"
        continue
    fi
    cp "$work/planted.swift" "$copy/$file"
    if ! build; then
        echo "  $number. $name: DOES NOT COMPILE"
        grep -m 3 'error:' "$work/build.log" || true
        faults="$faults $number"
    elif run "$(line $number tests)"; then
        echo "  $number. $name: NOT FOUND"
        faults="$faults $number"
    else
        echo "  $number. $name: found by $(grep -c '^✘ Test .* failed after' "$work/test.log") tests"
        found=$((found + 1))
    fi
    cp "$file" "$copy/$file"
done

echo "$found mutants found, $left left for another time."
if [ -n "$faults" ]; then
    echo "Something is wrong with:$faults"
    exit 1
fi
