# Sourced by the other scripts: finds Swift and the system's libraries, and installs the libraries
# where that needs no question. POSIX sh.

cd "$(dirname "$0")/.." || exit 1

toolchain=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)

# use_build_system NAME: sets $system to the arguments for a build system: native, swiftbuild or the
# toolchain's default (an empty name). It sets $strict to all build arguments of the tests and the
# demo. These are the same in all scripts, because with others everything is built again. They omit
# data for editors and debuggers, and the compiler's checks of its own work, which take a tenth of
# the time. A later compiler may print additional warnings, which are not errors.
use_build_system() {
    if [ -n "$1" ]; then system="--build-system $1"; else system=; fi
    strict=$system
    case $toolchain in
        6.1 | 6.2 | 6.3)
            # The native build system finds tests in the index store.
            if [ "$1" = swiftbuild ]; then strict="$strict --disable-index-store"; fi
            # swiftbuild does not obey -debug-info-format none.
            strict="$strict -Xswiftc -Xfrontend -Xswiftc -gnone"
            strict="$strict -Xswiftc -warnings-as-errors"
            strict="$strict -Xswiftc -Xfrontend -Xswiftc -disable-llvm-verify"
            strict="$strict -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen"
            ;;
    esac
}

# swiftbuild, in toolchains from 6.3 on, compiles each module once. The native build system compiles
# the modules of the plugins' tool twice. CAMBIUM_BUILD_SYSTEM selects the build system.
case $toolchain in
    6.0 | 6.1 | 6.2) use_build_system "${CAMBIUM_BUILD_SYSTEM:-}" ;;
    *) use_build_system "${CAMBIUM_BUILD_SYSTEM:-swiftbuild}" ;;
esac

# swiftpm COMMAND ARGUMENTS: runs `swift build` or `swift test`. If the package manager itself
# crashes, it runs once more. On Linux it sometimes crashes in libdispatch while it runs many
# programs (swiftlang/swift#87033). The finished part of the build is kept. If a test crashes, there
# is no second run: `swift test` then ends with 1.
swiftpm() {
    ended=0
    swift "$@" || ended=$?
    case $ended in
        132 | 133 | 134 | 135 | 139)
            echo "note: 'swift $1' crashed (signal $((ended - 128))) and is run again" >&2
            swift "$@"
            ;;
        *) return "$ended" ;;
    esac
}

# The folder of the build with the same arguments.
products() {
    # shellcheck disable=SC2086
    swift build $system "$@" --show-bin-path
}

# The folder of the built modules in a folder of products. It depends on the build system.
modules() {
    if [ -d "$1/Modules" ]; then echo "$1/Modules"; else echo "$1"; fi
}

# Prints the problem and the suggested fix, and ends the script.
fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

# Checks whether a C library with its headers exists. On Linux, the Swift package manager finds the
# headers with pkg-config, so this asks pkg-config. macOS has both in its SDK.
has_library() { # pkg-config's name, header
    case $(uname -s) in
        Darwin)
            printf '#include <%s>\n' "$2" | xcrun clang -E -x c - >/dev/null 2>&1 ||
                pkg-config --exists "$1" 2>/dev/null
            ;;
        *) pkg-config --exists "$1" 2>/dev/null ;;
    esac
}

# The missing libraries, as names of Debian packages.
missing_packages() {
    case $(uname -s) in
        Darwin) ;;
        *) command -v pkg-config >/dev/null 2>&1 || printf 'pkg-config ' ;;
    esac
    has_library libxml-2.0 libxml/parser.h || printf 'libxml2-dev '
    has_library sqlite3 sqlite3.h || printf 'libsqlite3-dev '
    # The tests use PostgreSQL's library. The demo and other programs do not.
    case $0/${demo:-} in
        *demo.sh/package-index) ;;
        *) has_library libpq libpq-fe.h || printf 'libpq-dev ' ;;
    esac
}

# Runs a command as root without asking for a password, or fails.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        sudo -n "$@"
    else
        return 1
    fi
}

install_packages() { # names of Debian packages
    case $(uname -s) in
        Darwin)
            command -v brew >/dev/null 2>&1 || fail \
                "The headers of libxml2 and SQLite are missing. Install them with:" \
                "    xcode-select --install"
            brew install libxml2 sqlite3 libpq pkg-config
            ;;
        *)
            command -v apt-get >/dev/null 2>&1 || fail \
                "Missing, by the names that they have in Debian: $*" \
                "This system has no apt-get. Install what brings libxml/parser.h, sqlite3.h" \
                "(SQLite 3.40 or later), libpq-fe.h and pkg-config, and start again."
            as_root true || fail \
                "Some system packages are missing and only root can install them:" \
                "    sudo apt-get install $*"
            echo "Installing $*"
            # A fresh machine has no package lists yet.
            as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq ||
                fail "apt-get could not read its package lists."
            as_root env DEBIAN_FRONTEND=noninteractive \
                apt-get install -y -qq --no-install-recommends "$@" >/dev/null ||
                fail "apt-get could not install $*"
            ;;
    esac
    still_missing=$(missing_packages)
    [ -z "$still_missing" ] || fail "Still missing after the installation: $still_missing"
}

command -v swift >/dev/null 2>&1 || fail \
    "There is no 'swift' in the PATH. Swift 6.1 or later is needed:" \
    "    https://www.swift.org/install"

missing=$(missing_packages)
if [ -n "$missing" ]; then
    # shellcheck disable=SC2086
    install_packages $missing
fi

# macOS has the library in its SDK, and the tool checks that itself.
if pkg-config --exists sqlite3 2>/dev/null && ! pkg-config --atleast-version=3.40 sqlite3; then
    fail "SQLite 3.40 or later is needed, and pkg-config finds $(pkg-config --modversion sqlite3)." \
        "Install a newer one, or name its folder in PKG_CONFIG_PATH."
fi
