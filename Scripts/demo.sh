#!/bin/sh
# Builds everything and runs the demo; arguments go to it (--help says which there are).
set -eu
caller=$(pwd)
. "$(dirname "$0")/setup.sh"
package=$(pwd)

cd "$caller"  # files in the arguments are meant from here
exec swift run --package-path "$package" -c release package-index "$@"
