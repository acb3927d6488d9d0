// Functions of strings. Characters are Unicode scalars, as SQLite and PostgreSQL count them; the
// first one is number 0.
extension FunctionDescriptor {
    static let length = FunctionDescriptor(
        spelling: .call("length"), arguments: ["x"], methods: ["length"],
        parameterTypes: [.string], isInSQLite: { _ in true },
        bounds: { _ in 0...Int64(Int32.max) },
        typed: { operands in
            let isCounted = operands[0].type == .string || operands[0].type == .data
            return isCounted ? .function(.length, operands, .integer) : nil
        },
        value: { arguments in
            switch arguments.first {
            case .string(let text): .int(Int64(text.unicodeScalars.count))
            case .data(let data): .int(Int64(data.count))
            default: .null
            }
        })

    static let uppercase = ofText(
        .uppercase, ["x": .string], to: .string, methods: ["uppercasestring", "uppercased"]
    ) { $0.onText { $0.uppercased() } }

    static let lowercase = ofText(
        .lowercase, ["x": .string], to: .string, methods: ["lowercasestring", "lowercased"]
    ) { $0.onText { $0.lowercased() } }

    static let canonical = ofText(.canonical, ["x": .string], to: .string) {
        $0.onText { $0.folded([.caseInsensitive, .diacriticInsensitive]) }
    }

    static let substring = ofText(
        .substring, ["text": .string, "from": .integer, "length": .integer], to: .string
    ) { arguments in
        guard case .int(let start) = arguments.second, case .int(let length) = arguments.third
        else { return .null }
        let end = start.addingReportingOverflow(max(0, length))
        return arguments.onText { text in
            text.scalars(from: start, to: end.overflow ? .max : end.partialValue)
        }
    }

    static let left = ofText(.left, ["text": .string, "length": .integer], to: .string) {
        arguments in
        guard case .int(let length) = arguments.second else { return .null }
        return arguments.onText { $0.scalars(from: 0, to: length) }
    }

    static let right = ofText(.right, ["text": .string, "length": .integer], to: .string) {
        arguments in
        guard case .int(let length) = arguments.second else { return .null }
        return arguments.onText { text in
            String(text.unicodeScalars.suffix(max(0, Int(clamping: length))))
        }
    }

    static let indexOf = ofText(
        .indexOf, ["text": .string, "part": .string], to: .integer,
        bounds: 0...Int64(Int32.max)
    ) { arguments in
        guard case .string(let text) = arguments.first, case .string(let part) = arguments.second
        else { return .null }
        return text.scalarIndex(of: part).map { .int(Int64($0)) } ?? .null
    }

    static let replace = ofText(
        .replace, ["text": .string, "part": .string, "other": .string], to: .string
    ) { arguments in
        guard case .string(let part) = arguments.second, case .string(let other) = arguments.third
        else { return .null }
        return arguments.onText { $0.replacingScalars(of: part, with: other) }
    }

    static let trim = ofText(.trim, ["text": .string], to: .string) {
        $0.onText { text in
            let scalars = text.unicodeScalars.drop { $0.properties.isWhitespace }
            let end = scalars.lastIndex { !$0.properties.isWhitespace }
            return end.map { String(String.UnicodeScalarView(scalars[...$0])) } ?? ""
        }
    }
}

extension FunctionArguments {
    /// A string made of the first argument; nil where that is no string.
    fileprivate func onText(_ change: (String) -> String) -> Value {
        guard case .string(let text) = first else { return .null }
        return .string(change(text))
    }
}

extension String {
    /// The characters from one number to before another, as far as there are such.
    fileprivate func scalars(from start: Int64, to end: Int64) -> String {
        let start = max(0, Int(clamping: start))
        let count = max(0, Int(clamping: end)) - start
        return String(
            String.UnicodeScalarView(unicodeScalars.dropFirst(start).prefix(max(0, count))))
    }

    /// The number of the character at which a string is found first; nil where it is not.
    fileprivate func scalarIndex(of part: String) -> Int? {
        unicodeScalars.firstRange(of: part.unicodeScalars).map {
            unicodeScalars.distance(from: unicodeScalars.startIndex, to: $0.lowerBound)
        }
    }

    /// Another string in place of each occurrence of a part, from the start; an empty part occurs
    /// nowhere.
    fileprivate func replacingScalars(of part: String, with other: String) -> String {
        if part.isEmpty { return self }
        return String(unicodeScalars.replacing(part.unicodeScalars, with: other.unicodeScalars))
    }
}
