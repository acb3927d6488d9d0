/// Builds a stanza from its lines.
struct StanzaBuilder {
    private var firstLine: Int?
    private var fields: [ControlField] = []
    private var problems: [ControlProblem] = []
    private var name: String?
    private var value: [UInt8] = []
    private var fieldLine = 0
    private var hasField = false

    /// Takes a line that starts a field.
    mutating func startField(_ line: [UInt8], keeping names: FieldNames, at number: Int) {
        endField()
        note(number)
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else {
            hasField = false
            problems.append(ControlProblem(line: number, reason: "a line without 'Name: value'"))
            return
        }
        let nameBytes = line[..<colon]
        guard nameBytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            hasField = false
            problems.append(
                ControlProblem(line: number, reason: "a field name with other than ASCII letters"))
            return
        }
        hasField = true
        name = names.name(nameBytes)
        fieldLine = number
        value.removeAll(keepingCapacity: true)
        if name != nil { value.append(contentsOf: line[(colon + 1)...].trimmed) }
    }

    /// Adds a line that continues the field above it.
    mutating func continueField(_ line: [UInt8], limit: Int, at number: Int) {
        note(number)
        guard hasField else {
            problems.append(
                ControlProblem(line: number, reason: "an indented line that no field is above"))
            return
        }
        guard name != nil else { return }
        if value.count + line.count > limit {
            refuseLine("the field is longer than \(limit) bytes", at: number)
            return
        }
        value.append(UInt8(ascii: "\n"))
        value.append(contentsOf: line[...].trimmed)
    }

    /// Takes a line that cannot be read.
    mutating func refuseLine(_ reason: String, at number: Int) {
        endField()
        note(number)
        hasField = false
        problems.append(ControlProblem(line: number, reason: reason))
    }

    /// The stanza of the lines since the last call, or nil if there were none.
    mutating func finish() -> ControlStanza? {
        endField()
        hasField = false
        defer {
            firstLine = nil
            fields.removeAll(keepingCapacity: true)
            problems.removeAll()
        }
        return firstLine.map { ControlStanza(line: $0, fields: fields, problems: problems) }
    }

    private mutating func note(_ number: Int) {
        if firstLine == nil { firstLine = number }
    }

    private mutating func endField() {
        guard let name else { return }
        let text = String(validating: value, as: UTF8.self)
        if text == nil {
            problems.append(
                ControlProblem(line: fieldLine, reason: "the field '\(name)' is not UTF-8"))
        }
        // Kept all the same, repaired: the stanza still is one about a package.
        let repaired = text ?? String(decoding: value, as: UTF8.self)
        fields.append(ControlField(name: name, value: repaired, line: fieldLine))
        self.name = nil
    }
}

extension ArraySlice<UInt8> {
    /// Without white space at either end.
    fileprivate var trimmed: ArraySlice<UInt8> {
        guard let first = firstIndex(where: { !$0.isBlank }),
            let last = lastIndex(where: { !$0.isBlank })
        else { return [] }
        return self[first...last]
    }
}
