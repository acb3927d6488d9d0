/// An expression or a list in the emitted text, with the layout of `swift format`: on one line if
/// it fits, else with one argument or element to a line.
indirect enum SwiftCode {
    /// Text that is never broken.
    case text(String)
    /// A string literal, broken over several lines if it is long.
    case string(String)
    /// A string literal that is raw even if it is short.
    case rawString(String)
    /// A call; an argument without label has nil.
    case call(String, [(label: String?, value: SwiftCode)])
    /// An array literal.
    case array([SwiftCode])
    /// A sum.
    case sum([SwiftCode])
    /// A dictionary literal.
    case dictionary([(key: SwiftCode, value: SwiftCode)])

    /// The greatest length of a line.
    static let width = 100

    /// A call with arguments without labels.
    static func call(_ name: String, _ arguments: SwiftCode...) -> SwiftCode {
        .call(name, arguments.map { (nil, $0) })
    }

    /// Writes the lines of the expression after `prefix` and before `suffix`, at an indentation.
    @inline(never)
    func write(to output: inout String, indent: Int, prefix: String = "", suffix: String = "") {
        let margin = Self.margin(indent)
        // The formatter counts the comma that a list's last element would have on several lines.
        let room = Self.width - indent - prefix.width - suffix.width - (hasList ? 1 : 0)
        output += margin
        output += prefix
        if let line = onOneLine(within: room) {
            output += line
            output += suffix
            output += "\n"
        } else {
            writeBroken(to: &output, indent: indent, suffix: suffix)
        }
    }

    /// Writes the expression on several lines; the first is begun already.
    private func writeBroken(to output: inout String, indent: Int, suffix: String) {
        switch self {
        case .text(let text):
            output += text + suffix + "\n"
        case .string(let text), .rawString(let text):
            let margin = Self.margin(indent)
            for (index, line) in SwiftText.rawLines(text, width: Self.width - indent).enumerated() {
                if index > 0 { output += line.isEmpty ? "\n" : "\n" + margin }
                output += line
            }
            output += suffix + "\n"
        case .call(let name, let arguments):
            output += name
            output += "("
            if arguments.count == 1, arguments[0].label == nil, arguments[0].value.isCollection {
                // A collection as the only argument keeps the brackets together.
                arguments[0].value.writeBroken(to: &output, indent: indent, suffix: ")" + suffix)
                return
            }
            output += "\n"
            for (index, argument) in arguments.enumerated() {
                let isLast = index == arguments.count - 1
                argument.value.write(
                    to: &output, indent: indent + 4,
                    prefix: argument.label.map { "\($0): " } ?? "",
                    suffix: isLast ? ")\(suffix)" : ",")
            }
        case .array(let elements):
            let isSingle = elements.count == 1
            output += "[\n"
            for element in elements {
                element.write(to: &output, indent: indent + 4, suffix: isSingle ? "" : ",")
            }
            output += Self.margin(indent) + "]" + suffix + "\n"
        case .sum(let terms):
            for (index, term) in terms.enumerated() {
                let suffix = index == terms.count - 1 ? suffix : ""
                if index == 0 {
                    term.writeBroken(to: &output, indent: indent, suffix: suffix)
                } else {
                    term.write(to: &output, indent: indent + 4, prefix: "+ ", suffix: suffix)
                }
            }
        case .dictionary(let pairs):
            let isSingle = pairs.count == 1
            output += "[\n"
            for (key, value) in pairs {
                value.write(
                    to: &output, indent: indent + 4,
                    prefix: "\(key.onOneLine(within: .max) ?? ""): ",
                    suffix: isSingle ? "" : ",")
            }
            output += Self.margin(indent) + "]" + suffix + "\n"
        }
    }

    /// The spaces before a line.
    @inline(never)
    static func margin(_ indent: Int) -> String {
        indent < margins.count ? margins[indent] : String(repeating: " ", count: indent)
    }

    private static let margins = (0..<40).map { String(repeating: " ", count: $0) }

    /// Whether a list of several elements is somewhere inside; stops at the first.
    private var hasList: Bool {
        switch self {
        case .text, .string, .rawString: false
        case .call(_, let arguments): arguments.contains { $0.value.hasList }
        case .array(let elements): elements.count > 1 || elements.contains { $0.hasList }
        case .sum(let terms): terms.contains { $0.hasList }
        case .dictionary(let pairs): pairs.count > 1 || pairs.contains { $0.value.hasList }
        }
    }

    private var isCollection: Bool {
        switch self {
        case .array(let elements): !elements.isEmpty
        case .dictionary(let pairs): !pairs.isEmpty
        default: false
        }
    }

    /// The text without line breaks, or nil if it has more than `room` characters or reads better
    /// on several lines.
    func onOneLine(within room: Int) -> String? {
        guard room > 0 else { return nil }
        var text = ""
        guard append(to: &text, room: room) else { return nil }
        return text
    }

    /// Appends the text on one line. It stops as soon as there is no space, so that a large tree is
    /// not written again at every level.
    private func append(to line: inout String, room: Int) -> Bool {
        switch self {
        case .text(let text): line += text
        case .string(let text):
            if text.unicodeScalars.contains("\n"), room < .max { return false }
            line += SwiftText.literal(text)
        case .rawString(let text):
            if text.unicodeScalars.contains("\n"), room < .max { return false }
            line += SwiftText.rawLiteral(text)
        case .call(let name, let arguments):
            line += "\(name)("
            for (index, argument) in arguments.enumerated() {
                if index > 0 { line += ", " }
                if let label = argument.label { line += "\(label): " }
                guard argument.value.append(to: &line, room: room) else { return false }
            }
            line += ")"
        case .array(let elements):
            line += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { line += ", " }
                guard element.append(to: &line, room: room) else { return false }
            }
            line += "]"
        case .sum(let terms):
            for (index, term) in terms.enumerated() {
                if index > 0 { line += " + " }
                guard term.append(to: &line, room: room) else { return false }
            }
        case .dictionary(let pairs):
            line += pairs.isEmpty ? "[:" : "["
            for (index, pair) in pairs.enumerated() {
                if index > 0 { line += ", " }
                guard pair.key.append(to: &line, room: room) else { return false }
                line += ": "
                guard pair.value.append(to: &line, room: room) else { return false }
            }
            line += "]"
        }
        return line.utf8.count <= room
    }
}
