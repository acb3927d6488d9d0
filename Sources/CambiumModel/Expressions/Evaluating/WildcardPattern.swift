/// The pattern of LIKE: `*` is any number of characters, `?` is one; a backslash takes the meaning
/// from what follows it. A character is a Unicode scalar.
package struct WildcardPattern {
    package enum Element: Equatable {
        case anything
        case one
        case scalar(Unicode.Scalar)
    }

    package let elements: [Element]

    package init(_ text: String) {
        var elements: [Element] = []
        var isEscaped = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case _ where isEscaped: elements.append(.scalar(scalar))
            case "\\":
                isEscaped = true
                continue
            case "*": elements.append(.anything)
            case "?": elements.append(.one)
            default: elements.append(.scalar(scalar))
            }
            isEscaped = false
        }
        if isEscaped { elements.append(.scalar("\\")) }
        self.elements = elements
    }

    /// Whether the whole text matches.
    ///
    /// - Complexity: O(length of the text × length of the pattern)
    package func matches(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        var (position, index) = (0, 0)
        // Where to go on when what follows the last `*` does not match.
        var retry: (position: Int, index: Int)?
        while position < scalars.count {
            if index < elements.count, elements[index] == .anything {
                index += 1
                retry = (position, index)
            } else if index < elements.count,
                elements[index] == .one || elements[index] == .scalar(scalars[position])
            {
                position += 1
                index += 1
            } else if let last = retry {
                retry = (last.position + 1, last.index)
                (position, index) = (last.position + 1, last.index)
            } else {
                return false
            }
        }
        return elements[index...].allSatisfy { $0 == .anything }
    }
}
