#!/bin/sh
# Builds without warnings, runs all tests that fit into two minutes, and checks the format and the
# imports.
set -eu
. "$(dirname "$0")/setup.sh"

step() { printf '\n== %s\n' "$1"; }

step "imports and folders"
sh Scripts/check-imports.sh
sh Scripts/check-folders.sh
sh Scripts/test-scripts.sh

step "format"
sources=
for folder in Sources Plugins Tests Models Benchmarks; do
    if [ -d "$folder" ]; then sources="$sources $folder"; fi
done
# Golden cases contain unformatted generated code.
# shellcheck disable=SC2086
find $sources Package.swift -name .build -prune -o -path '*/Cases/*' -prune \
    -o -name '*.swift' -print0 | xargs -0 swift format lint --strict --parallel
echo "no finding"

step "build, warnings are errors"
# shellcheck disable=SC2086
swiftpm build --build-tests $strict

step "mistakes that must not compile"
sh Scripts/test-compile-fail.sh

step "documentation"
sh Scripts/test-docs.sh "$(products)/CambiumTool"

step "tests"
# shellcheck disable=SC2086
sh Scripts/run-tests.sh --skip-build $strict "$@"
