#!/bin/sh
# Checks the dependencies between the folders of each module. A folder depends on another if it uses
# a type of it. Scripts/folders.txt must list exactly these dependencies. A cycle of folders is an
# error, unless a line of the list allows it.
#
#   check-folders.sh [--accept] [PACKAGE]
#
# --accept rewrites the list, without the lines that allow cycles. A dependency is found by the name
# of a type that only one folder of the module declares. Members of types and extensions are not
# considered.
set -eu
export LC_ALL=C
accept=
if [ "${1:-}" = --accept ]; then accept=yes; shift; fi
cd "${1:-$(dirname "$0")/..}"
list=Scripts/folders.txt
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

find Sources -name '*.swift' | sort >"$work/files"
awk -v files="$work/files" '
    BEGIN {
        while ((getline path < files) > 0) scan(path, 1)
        close(files)
        while ((getline path < files) > 0) scan(path, 2)
        for (key in arrows) print key
    }
    function scan(path, pass,    parts, count, module, folder, line, name, words, n, i) {
        count = split(path, parts, "/")
        module = parts[2]
        folder = count > 3 ? parts[3] : "."
        while ((getline line < path) > 0) {
            gsub(/"([^"\\]|\\.)*"/, "", line)
            sub(/\/\/.*/, "", line)
            if (pass == 1) {
                if (line !~ /^[a-z@]/ || line ~ /^(private|fileprivate) |(^| )import /) continue
                if (!match(line, /(^| )(struct|class|enum|actor|protocol|typealias) [A-Z][A-Za-z0-9]*/)) continue
                name = substr(line, RSTART, RLENGTH)
                sub(/.* /, "", name)
                if (((module, name) in home) && home[module, name] != folder) folder = "?"
                home[module, name] = folder
                folder = count > 3 ? parts[3] : "."
                continue
            }
            n = split(line, words, /[^A-Za-z0-9]+/)
            for (i = 1; i <= n; i++) {
                if (words[i] !~ /^[A-Z]/) continue
                if (!((module, words[i]) in home)) continue
                name = home[module, words[i]]
                if (name != "?" && name != folder) arrows[module " " folder " " name] = 1
            }
        }
        close(path)
    }
' | sort >"$work/arrows"

if [ -n "$accept" ]; then
    {
        sed -n '/^#/p' "$list"
        awk -v list="$list" '
            BEGIN {
                while ((getline line < list) > 0) {
                    if (line ~ /^[A-Z]/) module = line
                    if (line ~ /^  may use each other:/) rounds[module] = rounds[module] "\n" line
                }
                module = ""
            }
            $1 != module { module = $1; folder = ""; printf "\n\n%s%s", module, rounds[module] }
            $2 != folder { folder = $2; printf "\n  %s:", folder }
            { printf " %s", $3 }
            END { print "" }' "$work/arrows" | awk 'BEGIN { filled = 1 } NF || filled; { filled = NF }'
    } >"$work/new"
    cp "$work/new" "$list"
fi

awk -v arrows="$work/arrows" '
    /^#/ || /^$/ { next }
    /^[A-Z]/ { module = $1; next }
    /^  may use each other:/ {
        group++
        for (i = 5; i <= NF; i++) {
            together[module, $i] = group
            if (i > 5) { pairs++; first[pairs] = $5; second[pairs] = $i; owner[pairs] = module }
        }
        next
    }
    { sub(/:/, "", $1); for (i = 2; i <= NF; i++) listed[module " " $1 " " $i] = 1 }
    END {
        while ((getline arrow < arrows) > 0) {
            count++
            split(arrow, parts, " ")
            found[arrow] = 1
            modules[parts[1]] = 1
            folders[parts[1]] = folders[parts[1]] " " parts[2] " " parts[3]
            reach[parts[1], parts[2], parts[3]] = 1
            if (!(arrow in listed)) fail(parts[1], "the folder " parts[2] " uses " parts[3])
        }
        for (arrow in listed) if (!(arrow in found)) {
            split(arrow, parts, " ")
            fail(parts[1], "the folder " parts[2] " no longer uses " parts[3] ": remove it from the list")
        }
        for (module in modules) {
            n = split(folders[module], names, " ")
            delete seen
            size = 0
            for (i = 1; i <= n; i++) if (!(names[i] in seen)) { seen[names[i]] = 1; all[++size] = names[i] }
            for (k = 1; k <= size; k++) for (i = 1; i <= size; i++) for (j = 1; j <= size; j++)
                if (reach[module, all[i], all[k]] && reach[module, all[k], all[j]]) reach[module, all[i], all[j]] = 1
            for (i = 1; i <= size; i++) {
                round = all[i]
                strays = 0
                for (j = 1; j <= size; j++) {
                    if (j == i || !(reach[module, all[i], all[j]] && reach[module, all[j], all[i]])) continue
                    if (j < i) { round = ""; break }
                    round = round " " all[j]
                    if (!together[module, all[i]] || together[module, all[i]] != together[module, all[j]]) strays++
                }
                if (round != "" && strays) fail(module, "folders use each other: " round)
            }
        }
        for (i = 1; i <= pairs; i++)
            if (!(reach[owner[i], first[i], second[i]] && reach[owner[i], second[i], first[i]]))
                fail(owner[i], "the folders " first[i] " and " second[i] " no longer use each other: change the list")
        printf "%d arrows between folders", count
        if (failures) { print ": " failures " not as Scripts/folders.txt has them"; exit 1 }
        print ": all allowed"
    }
    function fail(module, problem) { print module ": error: " problem; failures++ }
' "$list"
