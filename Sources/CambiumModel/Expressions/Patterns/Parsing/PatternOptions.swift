/// The options in effect at a place of a pattern, such as `(?i)`.
struct PatternOptions: Sendable {
    /// The letters of those that are on.
    private var letters: Set<Character>

    /// Those that are on at the start, as in predicates on Apple's platforms.
    init(isCaseless: Bool) {
        letters = isCaseless ? ["s", "m", "i"] : ["s", "m"]
    }

    /// Upper and lower case are equal.
    var isCaseless: Bool { letters.contains("i") }
    /// A dot matches line ends.
    var matchesLineEnds: Bool { letters.contains("s") }
    /// `^` and `$` match at each line.
    var matchesAtLines: Bool { letters.contains("m") }
    /// White space means nothing, and `#` starts a comment.
    var isSpaced: Bool { letters.contains("x") }
    /// Only groups with names are numbered.
    var numbersNamesOnly: Bool { letters.contains("n") }
    /// Repetitions take few unless a question mark follows.
    var isReluctant: Bool { letters.contains("U") }

    /// Those that a class of characters depends on, as they are written before it.
    var classPrefix: String {
        let found = letters.intersection(["i", "x", "D", "P", "S", "W"])
        return found.isEmpty ? "" : "(?\(String(found.sorted())))"
    }

    /// Reads letters such as `i-s` or `^m`; nil where one is unknown.
    mutating func apply(_ text: Substring) -> Bool {
        var rest = text
        if rest.first == "^" {
            letters = []
            rest.removeFirst()
        }
        var isOn = true
        for letter in rest {
            if letter == "-", isOn {
                isOn = false
            } else if "imsxnUDPSW".contains(letter) {
                if isOn { letters.insert(letter) } else { letters.remove(letter) }
            } else {
                return false
            }
        }
        return true
    }
}
