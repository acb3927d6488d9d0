# Sourced by scripts that check what other programs print and how they end, after setup.sh or
# without it. They write the output of a program to the file $output. POSIX sh.

passed=0
failed=0

# result STATUS NAME: counts a check. If it failed, its output is shown.
result() {
    if [ "$1" -eq 0 ]; then
        passed=$((passed + 1))
        echo "passed: $2"
    else
        failed=$((failed + 1))
        echo "FAILED: $2"
        sed 's/^/    /' "$output" | tail -n 40
    fi
}

says() { # pattern, name
    grep -q -e "$1" "$output"
    result $? "$2"
}

says_nothing_of() { # pattern, name
    ! grep -q -e "$1" "$output"
    result $? "$2"
}

# readme_files FOLDER [PAGE]: writes the files of an example in the README or in a page. The name of
# each file comes before its text.
readme_files() {
    awk -v folder="$1/" '
        /`[^`]+`:$/ { path = $NF; path = folder substr(path, 2, length(path) - 3); next }
        /^```/ && writing { writing = 0; close(path); path = ""; next }
        /^```/ && path { parent = path; sub(/\/[^\/]*$/, "", parent)
            system("mkdir -p \"" parent "\""); writing = 1; next }
        writing { print > path }
    ' "${2:-$root/README.md}"
}

# Prints the number of checks, and exits with 1 if one failed.
end_of_checks() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
}
