/// The name of a version, comparable with those that were made in the same way.
struct VersionName {
    private let words: [Substring]
    private let numbers: [Substring]

    init(_ name: String) {
        var words: [Substring] = []
        var numbers: [Substring] = []
        var rest = name[...]
        while !rest.isEmpty {
            let word = rest.prefix { !$0.isDigit }
            rest = rest.dropFirst(word.count)
            let number = rest.prefix(while: \.isDigit)
            rest = rest.dropFirst(number.count)
            words.append(word)
            numbers.append(number.drop { $0 == "0" })
        }
        self.words = words
        self.numbers = numbers
    }

    /// Whether the numbers of this name, the first first, are greater than another's: `Model 12` is
    /// later than `Model 9`, and `2.10` than `2.9`. Names with other words say nothing.
    func isLater(than other: VersionName) -> Bool {
        for index in numbers.indices {
            guard index < other.numbers.count else {
                // `2.1` is later than `2`; `2 beta` is not.
                return index > 0 && words[index] == "." && !numbers[index].isEmpty
            }
            guard words[index] == other.words[index] else { return false }
            let (mine, theirs) = (numbers[index], other.numbers[index])
            if mine.count != theirs.count { return mine.count > theirs.count }
            if mine != theirs { return mine > theirs }
        }
        return false
    }
}

extension Character {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }
}
