extension ModelExpression {
    /// How deep a tree may be. Recursion over it, checks and evaluation included, fits the half
    /// megabyte of stack that threads have on some platforms.
    package static let maximumDepth = 100
    /// How many parts it may have. A tree that uses a part twice grows faster than its code.
    package static let maximumSize = 1_000_000

    /// How many levels and how many parts with operands the tree has; nil where it has more than it
    /// may, or a part that was refused.
    package var extent: (depth: Int, size: Int)? {
        var greatest = 1
        var size = 1
        var open = [(part: self, depth: 1)]
        while let (part, depth) = open.popLast() {
            greatest = max(greatest, depth)
            if case .refused = part { return nil }
            for operand in part.operands {
                if case .literal = operand { continue }
                size += 1
                open.append((operand, depth + 1))
            }
            guard greatest <= Self.maximumDepth, size <= Self.maximumSize else { return nil }
        }
        return (greatest, size)
    }

    /// The tree, or a refusal in its place where it is too deep or too large.
    package var limited: ModelExpression {
        extent == nil ? .tooLarge : self
    }

    /// What stands for a tree that is too deep or too large.
    package static var tooLarge: ModelExpression {
        .refused(
            "the expression nests deeper than \(maximumDepth) levels, or has more than "
                + "\(maximumSize) parts")
    }
}
