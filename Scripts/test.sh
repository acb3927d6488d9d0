#!/bin/sh
# Builds without warnings, runs all tests that fit two minutes, and checks form and imports.
set -eu
. "$(dirname "$0")/setup.sh"

step() { printf '\n== %s\n' "$1"; }

step "imports"
sh Scripts/check-imports.sh
sh Scripts/test-scripts.sh

step "format"
sources=
for folder in Sources Plugins Tests Models Benchmarks; do
    if [ -d "$folder" ]; then sources="$sources $folder"; fi
done
# Golden cases hold generated code as it is.
# shellcheck disable=SC2086
find $sources Package.swift -name .build -prune -o -path '*/Cases/*' -prune \
    -o -name '*.swift' -print0 | xargs -0 swift format lint --strict --parallel
echo "no finding"

step "build, warnings are errors"
# shellcheck disable=SC2086
swift build --build-tests $strict

step "mistakes that must not compile"
sh Scripts/test-compile-fail.sh

step "documentation"
sh Scripts/test-docs.sh "$(swift build --show-bin-path)/cambium"

step "tests"
# What failed is said again at the end, where a reader of a thousand lines looks for it.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
{ swift test --skip-build $strict "$@" 2>&1 && echo 0 >"$log.status" || echo $? >"$log.status"; } |
    tee "$log"
status=$(cat "$log.status")
rm -f "$log.status"
if [ "$status" -ne 0 ]; then
    step "what failed"
    sh Scripts/failures.sh "$log"
fi
exit "$status"
