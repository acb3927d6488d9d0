#!/bin/sh
# Measures the Swift compiler's time for the generated code of 100 entities with 10 attributes each.
# It is compared with 100 plain classes with the same stored properties.
#
#   Benchmarks/compile-time.sh [-c debug|release] [--rounds N] [--limit RATIO]
#
# It measures the user time of all processes of the compiler, in interleaved rounds. The ratio is
# the median of the ratios of the rounds. The result is reliable only on an idle machine: other
# programs slow a core down by up to a half, and not equally for both sides. With --limit, the exit
# code is 1 if the ratio is greater.
set -eu
configuration=debug
rounds=7
limit=
while [ $# -gt 0 ]; do
    case $1 in
        -c) configuration=$2; shift 2 ;;
        --rounds) rounds=$2; shift 2 ;;
        --limit) limit=$2; shift 2 ;;
        *) echo "usage: compile-time.sh [-c debug|release] [--rounds N] [--limit RATIO]" >&2
            exit 64 ;;
    esac
done
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

scratch=${CAMBIUM_SCRATCH:-$root/.build}
swift build --package-path "$root" --scratch-path "$scratch" -c "$configuration" \
    --product CambiumTool >&2
swift build --package-path "$root" --scratch-path "$scratch" -c "$configuration" \
    --target Cambium >&2
products=$(swift build --package-path "$root" --scratch-path "$scratch" -c "$configuration" \
    --show-bin-path)

# The model, and the classes that a program without it would have
mkdir -p "$work/Big.cambium" "$work/plain" "$work/generated"
types="string int64 double bool date decimal int32 string uuid data"
awk -v types="$types" -v plain="$work/plain/Plain.swift" 'BEGIN {
    count = split(types, type, " ")
    split("string String int64 Int64 double Double bool Bool date Date decimal Decimal int32 " \
        "Int32 uuid UUID data Data", pair, " ")
    for (i = 1; i < 18; i += 2) swift[pair[i]] = pair[i + 1]
    print "<model xmlns=\"urn:cambium:model:1\" name=\"Big\" version=\"1\" access=\"public\">"
    print "import Cambium" > plain
    for (entity = 1; entity <= 100; entity++) {
        printf "  <entity name=\"Entity%d\">\n", entity
        printf "\npublic final class Entity%d {\n", entity > plain
        list = ""
        for (i = 1; i <= count; i++) {
            name = type[i] i
            printf "    <attribute name=\"%s\" type=\"%s\"/>\n", name, type[i]
            printf "    public var %s: %s\n", name, swift[type[i]] > plain
            list = list (i > 1 ? ", " : "") name ": " swift[type[i]]
        }
        print "  </entity>"
        printf "\n    public init(%s) {\n", list > plain
        for (i = 1; i <= count; i++)
            printf "        self.%s = %s\n", type[i] i, type[i] i > plain
        print "    }\n}" > plain
    }
    print "</model>"
}' > "$work/Big.cambium/1.xml"
"$products/CambiumTool" compile "$work/Big.cambium" --output "$work/generated"

# The options that SwiftPM passes
if [ "$configuration" = release ]; then
    options="-O -whole-module-optimization -g"
else
    options="-Onone -enable-batch-mode -enable-testing -g"
fi
compile() {
    mkdir -p "$work/output" && cd "$work/output"
    # shellcheck disable=SC2086
    swiftc $options -module-name Measured -parse-as-library -emit-module \
        -emit-module-path Measured.swiftmodule -c -swift-version 6 -package-name measured -j2 \
        -module-cache-path "$work/cache" -I "$products/Modules" \
        -Xcc "-fmodule-map-file=$root/Sources/CSQLite/module.modulemap" "$work/$1"/*.swift
    cd "$root"
}
# The user time of all children so far, in milliseconds
spent() {
    times > "$work/times"
    awk 'NR == 2 { split($1, t, /[ms]/); printf "%d\n", (t[1] * 60 + t[2]) * 1000 }' "$work/times"
}
compile plain
compile generated
round=0
while [ "$round" -lt "$rounds" ]; do
    for kind in plain generated; do
        spent > "$work/before"
        compile "$kind"
        spent > "$work/after"
        echo "$(($(cat "$work/after") - $(cat "$work/before")))" >> "$work/$kind.ms"
    done
    round=$((round + 1))
done

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
paste "$work/plain.ms" "$work/generated.ms" | awk '{ printf "%.3f\n", $2 / $1 }' > "$work/ratios"
ratio=$(median "$work/ratios")
echo "$configuration, $rounds rounds: plain $(median "$work/plain.ms") ms," \
    "generated $(median "$work/generated.ms") ms, ratio $ratio"
if [ -n "$limit" ]; then
    awk -v ratio="$ratio" -v limit="$limit" 'BEGIN { exit !(ratio <= limit) }' || {
        echo "The ratio is above $limit." >&2
        exit 1
    }
fi
