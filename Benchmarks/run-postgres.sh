#!/bin/sh
# Measures saves and reads on a PostgreSQL server, compared with libpq and SQLAlchemy. It starts the
# server of this checkout (Scripts/postgres.sh), builds PostgresBenchmarks, and prints its table.
#
#   run-postgres.sh [--version 15|18] [arguments of PostgresBenchmarks]
#
# SQLAlchemy and psycopg are installed from PyPI into a folder of .build, in the versions of
# sqlalchemy/requirements.txt. If they cannot be installed, this side is skipped.
set -eu
version=15
case ${1:-} in
    --version) version=$2; shift 2 ;;
    --version=*) version=${1#--version=}; shift ;;
esac
benchmarks=$(cd "$(dirname "$0")" && pwd)
. "$benchmarks/../Scripts/setup.sh"
cd "$benchmarks/.."
# shellcheck disable=SC2086
swiftpm build $system -c release --package-path Benchmarks --product PostgresBenchmarks
# shellcheck disable=SC2086
program=$(swift build $system -c release --package-path Benchmarks --show-bin-path)/PostgresBenchmarks

python=$benchmarks/.build/sqlalchemy
if ! cmp -s "$benchmarks/sqlalchemy/requirements.txt" "$python/installed.txt"; then
    rm -rf "$python"
    if python3 -m venv "$python" &&
        "$python/bin/python" -m pip install --quiet -r "$benchmarks/sqlalchemy/requirements.txt"; then
        cp "$benchmarks/sqlalchemy/requirements.txt" "$python/installed.txt"
    else
        echo "SQLAlchemy cannot be had, and is left out." >&2
        rm -rf "$python"
    fi
fi
if [ -d "$python" ]; then
    set -- --python "$python/bin/python" --script "$benchmarks/sqlalchemy/people.py" "$@"
fi

# A server that was already running is not stopped.
was_running=true
Scripts/postgres.sh url --version "$version" >/dev/null 2>&1 || was_running=false
url=$(Scripts/postgres.sh start --version "$version")
if ! $was_running; then trap 'Scripts/postgres.sh stop --version "$version"' EXIT; fi
"$program" --url "$url" "$@"
