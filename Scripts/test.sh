#!/bin/sh
# Builds without warnings, runs all tests that fit two minutes, and checks form and imports.
set -eu
. "$(dirname "$0")/setup.sh"

step() { printf '\n== %s\n' "$1"; }

step "imports"
sh Scripts/check-imports.sh

step "format"
sources=
for folder in Sources Plugins Tests Models Benchmarks; do
    if [ -d "$folder" ]; then sources="$sources $folder"; fi
done
# Golden cases hold generated code as it is, and sources that are wrong on purpose.
# shellcheck disable=SC2086
find $sources Package.swift -name .build -prune -o -path '*/Cases/*' -prune \
    -o -name '*.swift' -print0 | xargs -0 swift format lint --strict --parallel
echo "no finding"

step "build, warnings are errors"
swift build --build-tests -Xswiftc -warnings-as-errors

step "tests"
swift test --skip-build -Xswiftc -warnings-as-errors "$@"
