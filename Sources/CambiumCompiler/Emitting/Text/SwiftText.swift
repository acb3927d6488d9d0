import CambiumModel

/// The only place in which text of a model becomes Swift: literals, identifiers and comments.
///
/// Whatever the text is, the result is one token (or one comment) that means exactly that text.
enum SwiftText {
    /// A string literal. Printable ASCII is written verbatim, nearly everything else as `\u{…}`.
    @inline(never)
    static func literal(_ text: String) -> String {
        // Most are names; a look at each scalar takes longer.
        if isPlainASCII(text) { return "\"\(text)\"" }
        let contents = text.escaping { scalar in
            switch scalar {
            case "\"": "\\\""
            case "\\": "\\\\"
            default: escaped(scalar, escape: "\\")
            }
        }
        return "\"\(contents)\""
    }

    /// A raw string literal on one line, for text with many quotes and backslashes, such as SQL and
    /// regular expressions.
    static func rawLiteral(_ text: String) -> String {
        let form = RawForm(of: text)
        if !form.escapesAll, isPrintable(text), !text.utf8.contains(UInt8(ascii: "\n")),
            text.utf8.first != UInt8(ascii: "\"")
        {
            return "\(form.hashes)\"\(text)\"\(form.hashes)"
        }
        var literal = form.hashes + "\""
        for (index, scalar) in text.unicodeScalars.enumerated() {
            // A quote at the start could look like the start of a multi-line literal.
            literal +=
                index == 0 && scalar == "\"" ? "\(form.escape)\"" : form.token(scalar)
        }
        return literal + "\"" + form.hashes
    }

    /// The lines of a raw string literal. Its text is broken at line feeds. If a line is longer
    /// than `width`, it is broken at escaped line ends, which are not part of the text.
    static func rawLines(_ text: String, width: Int) -> [String] {
        let form = RawForm(of: text)
        let escape = form.escape
        var lines = ["\(form.hashes)\"\"\""]
        if !form.escapesAll, isPrintable(text) {
            lines += printableLines(text, room: max(width - escape.utf8.count, 1), end: escape)
                .map { $0.utf8.last == UInt8(ascii: " ") ? guardedLine($0, escape) : $0 }
            lines.append("\"\"\"\(form.hashes)")
            return lines
        }
        var tokens: [String] = []
        var length = 0
        func endLine(_ count: Int, with end: String) {
            lines.append(tokens[..<count].joined() + end)
            tokens.removeFirst(count)
            length = tokens.reduce(0) { $0 + $1.utf8.count }
        }
        for scalar in text.unicodeScalars {
            if scalar == "\n" {
                endLine(tokens.count, with: "")
                continue
            }
            let token = form.token(scalar)
            if length + token.utf8.count + escape.utf8.count > width, !tokens.isEmpty {
                let space = tokens.lastIndex(of: " ").map { $0 + 1 }
                endLine(space.flatMap { $0 * 2 > width ? $0 : nil } ?? tokens.count, with: escape)
            }
            tokens.append(token)
            length += token.utf8.count
        }
        endLine(tokens.count, with: "")
        lines = lines.map { $0.last == " " ? guardedLine($0, escape) : $0 }
        lines.append("\"\"\"\(form.hashes)")
        return lines
    }

    /// Returns the lines of a text without characters to escape. Long lines are broken after a
    /// space, unless this leaves them half empty.
    private static func printableLines(_ text: String, room: Int, end: String) -> [String] {
        var lines: [String] = []
        for part in text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        {
            var rest = part
            while rest.count > room {
                let head = rest.prefix(room)
                let space = head.lastIndex(of: UInt8(ascii: " ")).map {
                    head.distance(from: head.startIndex, to: $0) + 1
                }
                let count = space.flatMap { $0 * 2 > room + end.utf8.count ? $0 : nil } ?? room
                lines.append(String(Substring(rest.prefix(count))) + end)
                rest = rest.dropFirst(count)
            }
            lines.append(String(Substring(rest)))
        }
        return lines
    }

    /// A line that ends with a space. It is escaped, because an editor may remove it.
    private static func guardedLine(_ line: String, _ escape: String) -> String {
        "\(line.dropLast())\(escape)u{20}"
    }

    /// Whether a text has nothing but printable ASCII and line feeds.
    private static func isPrintable(_ text: String) -> Bool {
        text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == UInt8(ascii: "\n") }
    }

    /// A name as an identifier in a declaration or a use, in back-ticks if it is a keyword. Scalars
    /// that are invalid in identifiers become `_u1F600_`.
    @inline(never)
    static func identifier(_ name: String) -> String {
        let identifier = plainIdentifier(name)
        return ReservedNames.keywords.contains(identifier) ? "`\(identifier)`" : identifier
    }

    /// A name as the label of an argument. All keywords but one are valid there without back-ticks.
    static func label(_ name: String) -> String {
        let identifier = plainIdentifier(name)
        return identifier == "inout" ? "`\(identifier)`" : identifier
    }

    /// The name of a class's property.
    @inline(never)
    static func member(_ name: String) -> String {
        identifier(ReservedNames.memberName(name))
    }

    /// A name as a part of a longer identifier, so without back-ticks.
    static func plainIdentifier(_ name: String) -> String {
        if isPlainASCII(name) { return name }
        var identifier = ""
        for scalar in name.unicodeScalars {
            let isAllowed =
                identifier.isEmpty
                ? scalar == "_" || scalar.properties.isXIDStart
                : scalar == "_" || scalar.properties.isXIDContinue
            if isAllowed {
                identifier.unicodeScalars.append(scalar)
            } else {
                identifier += "_u\(String(scalar.value, radix: 16, uppercase: true))_"
            }
        }
        // A lone underscore is a pattern, not a name.
        return identifier.isEmpty || identifier == "_" ? "_u_" : identifier
    }

    /// Returns whether a name is an identifier of ASCII letters, digits and underscores. Most names
    /// are, and this test is much faster than a look-up of every scalar in Unicode's tables.
    private static func isPlainASCII(_ name: String) -> Bool {
        guard let first = name.utf8.first, name != "_", !(0x30...0x39).contains(first) else {
            return false
        }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x5F, 0x61...0x7A: true
            default: false
            }
        }
    }

    /// A name as the rest of a camel-case identifier: `longitude` → `Longitude`.
    @inline(never)
    static func capitalized(_ name: String) -> String {
        plainIdentifier(name).capitalizedFirst
    }

    /// Text inside a comment of one line. Scalars that end a line, cannot be seen or change the
    /// direction of writing are shown as `\u{…}`.
    static func comment(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        return text.escaping { $0.isInvisible ? escape($0) : nil }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }

    private static func escaped(_ scalar: Unicode.Scalar, escape: String) -> String {
        // Swift's compiler refuses the escapes of 32 noncharacters, but not the scalars themselves.
        (0x20...0x7E).contains(scalar.value) || (0xFDD0...0xFDEF).contains(scalar.value)
            ? String(scalar) : "\(escape)u{\(String(scalar.value, radix: 16, uppercase: true))}"
    }

    /// The form of a text as a raw literal.
    private struct RawForm {
        /// The number signs around it.
        let hashes: String
        /// The start of an escape.
        var escape: String { "\\" + hashes }
        /// Whether its quotes and backslashes are escaped all the same.
        let escapesAll: Bool

        /// Chooses the number of number signs: one more than follow a quote or a backslash anywhere
        /// in the text. If these would be more than three, the literal has one number sign and
        /// escapes, so that it stays readable. (Swift allows 255.)
        init(of text: String) {
            var longest = 0
            var run: Int?
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): run = 0
                case UInt8(ascii: "#"): run = run.map { $0 + 1 }
                default: run = nil
                }
                longest = max(longest, run ?? 0)
            }
            escapesAll = longest > 2
            hashes = String(repeating: "#", count: escapesAll ? 1 : longest + 1)
        }

        func token(_ scalar: Unicode.Scalar) -> String {
            escapesAll && (scalar == "\"" || scalar == "\\")
                ? "\(escape)\(scalar)" : escaped(scalar, escape: escape)
        }
    }
}

/// Constants as Swift.
struct LiteralEmitter {
    let names: GeneratedNames

    /// A bound of a range of an attribute's values: a literal of the attribute's own type.
    func bound(_ value: Value, of type: AttributeType) -> SwiftCode? {
        switch (value, type) {
        case (.int(let value), .int16), (.int(let value), .int32), (.int(let value), .int64):
            .text("\(value)")
        case (.int(let value), .float): .text(float(Float(value)))
        case (.double(let value), .float): .text(float(Float(value)))
        case (.int(let value), .double): .text(double(Double(value)))
        case (.double(let value), .double): .text(double(value))
        case (.int(let value), .decimal):
            .text("\(value)")
        case (.decimal(let value), .decimal):
            decimal(value)
        case (.date(let value), .date):
            date(value)
        case (.duration(let value), .duration):
            duration(value)
        default:
            nil
        }
    }

    /// A literal of an attribute's own type that fits into a line, as a default argument; nil if
    /// there is none.
    ///
    /// - Parameter isOptional: Whether the parameter also accepts nil.
    func argument(
        _ value: Value, of type: AttributeType, isOptional: Bool, in model: Model
    ) -> String? {
        switch (value, type) {
        case (.bool(let value), .bool): return "\(value)"
        case (.string(let value), .string): return SwiftText.literal(value)
        case (_, .enumeration(let name)):
            return model.enumeration(named: name)?.cases.first { $0.rawValue == value }.map {
                // If nil is possible, `.none` would be nil.
                $0.name == "none" && isOptional
                    ? ".some(.none)" : "." + SwiftText.identifier($0.name)
            }
        default:
            return bound(value, of: type)?.onOneLine(within: SwiftCode.width)
        }
    }

    /// A number that reads back bit for bit.
    func double(_ value: Double) -> String {
        switch value {
        case .infinity: ".infinity"
        case -.infinity: "-.infinity"
        case let value where value.isNaN: ".nan"
        case let value where value.isSubnormal:
            // The compiler warns of literals that lose precision.
            names.initializer(of: names.standard("Double")) + "(bitPattern: \(value.bitPattern))"
        default: "\(value)"
        }
    }

    private func float(_ value: Float) -> String {
        value.isSubnormal
            ? names.initializer(of: names.standard("Float")) + "(bitPattern: \(value.bitPattern))"
            : value.isFinite ? "\(value)" : double(Double(value))
    }

    /// An exact decimal. One of more digits than a literal may have is put together from parts.
    func decimal(_ value: Decimal) -> SwiftCode {
        let type = names.library("Decimal")
        let text = value.description
        guard value.isFinite, let digits = Digits(text) else { return .text("\(type).nan") }
        if digits.exponent == 0, digits.significand.count <= 18 {
            return .text((digits.isNegative ? "-" : "") + digits.significand)
        }
        var parts: [SwiftCode] = []
        var rest = Substring(digits.significand)
        var exponent = digits.exponent
        let sign = digits.isNegative ? ".minus" : ".plus"
        while !rest.isEmpty {
            let part = rest.suffix(18).drop { $0 == "0" }
            if !part.isEmpty {
                parts.insert(
                    .call(
                        type,
                        [
                            ("sign", .text(sign)), ("exponent", .text("\(exponent)")),
                            ("significand", .text(String(part))),
                        ]), at: 0)
            }
            rest = rest.dropLast(18)
            exponent += 18
        }
        return parts.count == 1 ? parts[0] : .sum(parts)
    }

    /// A duration, in seconds if it is an integer of them.
    private func duration(_ value: Duration) -> SwiftCode? {
        DurationStorage.nanoseconds(of: value).map { number in
            let isWhole = number % 1_000_000_000 == 0
            return .text(
                isWhole ? ".seconds(\(number / 1_000_000_000))" : ".nanoseconds(\(number))")
        }
    }

    /// A moment, exact to the bit.
    func date(_ value: Date) -> SwiftCode {
        .call(
            names.libraryInitializer("Date"),
            [
                (
                    "timeIntervalSinceReferenceDate",
                    .text(double(value.timeIntervalSinceReferenceDate))
                )
            ])
    }
}

/// A decimal's digits without zeros at either end, from its description.
private struct Digits {
    let isNegative: Bool
    let significand: String
    let exponent: Int

    init?(_ description: String) {
        isNegative = description.hasPrefix("-")
        let parts = description.drop { $0 == "-" }.split(
            separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2 else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        var digits = Substring(whole + fraction).drop { $0 == "0" }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        var exponent = -fraction.count
        // Whole numbers keep their zeros while a literal holds them, because people read them.
        while digits.last == "0", exponent < 0 || digits.count > 18 {
            digits.removeLast()
            exponent += 1
        }
        significand = digits.isEmpty ? "0" : String(digits)
        self.exponent = digits.isEmpty ? 0 : exponent
    }
}
