# Writes the blocks ```swift in the comments of Swift files as functions of one file. A block of
# declarations stands outside of a function. Blocks about steps of a migration are left out: the page
# MigrationSteps.md has them, with a model that has steps.
#
#   awk -f Scripts/comments-to-swift.awk FILE…
function emit(   i, n, lines, outside, name) {
    if (block ~ /ShopSteps|Version1/) return
    n = split(block, lines, "\n")
    outside = 1
    block = ""
    for (i = 1; i <= n; i++) {
        if (lines[i] ~ /^import /) lines[i] = ""
        if (lines[i] ~ /^[^ \t})\/#]/ &&
            lines[i] !~ /^(@main|extension |struct |enum |final class |class |protocol |func )/) outside = 0
        block = block lines[i] "\n"
    }
    gsub(/\{ … \}/, "{}", block)
    gsub(/ in … \}/, " in }", block)
    sub(/@main /, "", block)
    number++
    name = "block" number
    print "#sourceLocation(file: \"" path "\", line: " start - 1 ")"
    if (outside) print block
    else if (block ~ /^override /) print "class Override" number ": ManagedObject {\n" block "}"
    else print "@MainActor func " name "() async throws {\n" block "}"
}
FNR == 1 { writing = 0 }
/^ *\/\/\/ ```swift$/ { writing = 1; block = ""; path = FILENAME; start = FNR + 1; next }
/^ *\/\/\/ ```$/ && writing { writing = 0; emit(); next }
writing { sub(/^ *\/\/\/ ?/, ""); block = block (block == "" ? "" : "\n") $0 }
END { print "#sourceLocation()" }
