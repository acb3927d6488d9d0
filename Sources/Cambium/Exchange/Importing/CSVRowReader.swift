/// Reads rows out of lines of CSV.
final class CSVRowReader: ImportRowReader {
    private let builder: ImportRowBuilder
    private var plan: ExchangePlan { builder.plan }
    private let listSeparator: UInt8
    private var fields: CSVFields
    /// The columns of the input; those without a content belong to no property.
    private var columns: [(name: String, content: CSVColumn.Content?)] = []
    private var hasColumns: Bool
    private(set) var ignoredFields: [String] = []
    /// The parts of keys that the row has, by relationship.
    private var parts: [Int: [StoredValue?]] = [:]

    /// - Parameter columns: The names of the columns; nil where the first line has them.
    init(_ plan: ExchangePlan, separator: UInt8, columns: [String]?) throws {
        builder = ImportRowBuilder(plan)
        fields = CSVFields(separator: separator)
        listSeparator = ExchangeFormat.listSeparator(separator)
        hasColumns = columns != nil
        if let columns { try setColumns(columns, line: 1) }
    }

    func beginSlice() { builder.beginSlice() }

    func row(_ entry: RecordBlock.Entry, of block: RecordBlock) throws -> ImportRow? {
        guard hasColumns else {
            try readColumns(entry, block.bytes)
            hasColumns = true
            return nil
        }
        try builder.begin(line: entry.line)
        do {
            try fields.split(block.bytes, entry.range)
            read(entry, block.bytes)
        } catch let problem as CSVFields.Problem {
            let place = Self.place(problem.index, entry, block.bytes)
            builder.fail(line: place.line, column: place.column, problem.message)
        }
        return builder.finish(entry.range)
    }

    // MARK: The first line

    private func readColumns(_ entry: RecordBlock.Entry, _ bytes: [UInt8]) throws {
        do {
            try fields.split(bytes, entry.range)
        } catch let problem as CSVFields.Problem {
            let place = Self.place(problem.index, entry, bytes)
            throw InputError(line: place.line, column: place.column, message: problem.message)
        }
        let names = try fields.fields.map { field in
            guard let name = CSVFields.text(field, in: bytes) else {
                let place = Self.place(field.range.lowerBound, entry, bytes)
                throw InputError(
                    line: place.line, column: place.column, message: Self.noUTF8)
            }
            return name
        }
        try setColumns(names, line: entry.line)
    }

    private func setColumns(_ names: [String], line: Int) throws {
        var known: [String: CSVColumn.Content] = [:]
        for column in plan.columns { known[column.name] = column.content }
        var seen: Set<String> = []
        for name in names {
            guard seen.insert(name).inserted else {
                throw InputError(
                    line: line, column: nil,
                    message: "Two columns are called \(name). Rename one of them.")
            }
            if known[name] == nil { ignoredFields.append(name) }
            columns.append((name, known[name]))
        }
        guard ignoredFields.count < names.count else {
            throw InputError(
                line: line, column: nil,
                message: "None of the columns is a property of \(plan.entity.name). Write the "
                    + "names of the columns in the first line, separated as the format says.")
        }
    }

    // MARK: Rows

    private static func counted(_ number: Int, _ word: String) -> String {
        "\(number) \(word)\(number == 1 ? "" : "s")"
    }

    private func read(_ entry: RecordBlock.Entry, _ bytes: [UInt8]) {
        guard fields.fields.count == columns.count else {
            builder.fail(
                "The line has \(Self.counted(fields.fields.count, "field")), and there "
                    + (columns.count == 1 ? "is " : "are ")
                    + "\(Self.counted(columns.count, "column")). "
                    + "Give it one for each, empty ones too.")
            return
        }
        parts.removeAll(keepingCapacity: true)
        for (column, field) in zip(columns, fields.fields) {
            guard let content = column.content else { continue }
            do {
                guard let text = CSVFields.text(field, in: bytes) else {
                    throw FieldProblem(Self.noUTF8Field)
                }
                try read(text, isQuoted: field.isQuoted, content)
            } catch {
                let start = field.range.lowerBound - (field.isQuoted ? 1 : 0)
                let place = Self.place(start, entry, bytes)
                let problem = error as? FieldProblem ?? FieldProblem("cannot be read: \(error)")
                builder.fail(column.name, line: place.line, column: place.column, problem)
            }
        }
        linkParts()
    }

    private func read(_ text: String, isQuoted: Bool, _ content: CSVColumn.Content) throws {
        switch content {
        case .attribute(let attribute):
            guard let value = try attribute.stored(text, isQuoted: isQuoted, plan.dates) else {
                return
            }
            try builder.set(value, attribute)
        case .relationship(let number):
            let relationship = plan.relationships[number]
            if text.isEmpty, !isQuoted || relationship.description.isToMany {
                // Nothing is known of a required one, as of a required attribute.
                if relationship.isRequired { return }
                return try builder.link(number, to: [])
            }
            guard let key = relationship.key else { throw relationship.keylessField }
            try builder.link(number, to: try keys(text, isQuoted: isQuoted, relationship, key))
        case .keyPart(let number, let part):
            guard let key = plan.relationships[number].key else { return }
            var known = parts[number] ?? Array(repeating: nil, count: key.parts.count)
            if !text.isEmpty || isQuoted {
                known[part] = try key.parts[part].stored(text, plan.dates)
            }
            parts[number] = known
        }
    }

    private func keys(
        _ text: String, isQuoted: Bool, _ relationship: ExchangeRelationship,
        _ key: ExchangeRelationship.Key
    ) throws -> [ExchangeKey] {
        guard key.parts.count == 1 else {
            let names = key.parts.map { "\(relationship.name).\($0.attribute.name)" }
            throw FieldProblem(
                relationship.description.isToMany
                    ? "references objects whose keys have several parts, which CSV has no lists of. "
                        + "Use JSON."
                    : "has a key of several parts. Give each a column: "
                        + "\(names.joined(separator: ", ")).")
        }
        func value(_ text: String) throws -> ExchangeKey {
            ExchangeKey([try key.parts[0].stored(text, plan.dates)])
        }
        guard relationship.description.isToMany else { return [try value(text)] }
        do {
            return try CSVFields.list(text, separator: listSeparator).map { text, isQuoted in
                guard !text.isEmpty || isQuoted else {
                    throw FieldProblem("has an empty key. Leave it out.")
                }
                return try value(text)
            }
        } catch let problem as CSVFields.Problem {
            throw FieldProblem("is no list. " + problem.message)
        }
    }

    /// Puts the keys together whose parts have columns of their own.
    private func linkParts() {
        for (number, values) in parts.sorted(by: { $0.key < $1.key }) {
            let relationship = plan.relationships[number]
            let field = plan.field(of: relationship.name)
            let present = values.compactMap(\.self)
            do {
                if present.count == values.count {
                    try builder.link(number, to: [ExchangeKey(present)])
                } else if !present.isEmpty {
                    throw FieldProblem("lacks a part of its key. Give all parts, or none.")
                } else if !relationship.isRequired {
                    try builder.link(number, to: [])
                }
            } catch {
                builder.fail(field, error as? FieldProblem ?? .required)
            }
        }
    }

    // MARK: Places

    private static let noUTF8 = "The line is not UTF-8. Save the file in that encoding."
    private static let noUTF8Field = "is not UTF-8. Save the file in that encoding."

    /// Where a byte of a line stands, which may have line ends in it.
    private static func place(
        _ index: Int, _ entry: RecordBlock.Entry, _ bytes: [UInt8]
    ) -> (line: Int, column: Int) {
        var line = entry.line
        var start = entry.range.lowerBound
        var before: UInt8 = 0
        for position in entry.range.lowerBound..<max(index, entry.range.lowerBound) {
            let byte = bytes[position]
            if byte == ASCII.carriageReturn
                || (byte == ASCII.lineFeed && before != ASCII.carriageReturn)
            {
                line += 1
            }
            if byte == ASCII.carriageReturn || byte == ASCII.lineFeed { start = position + 1 }
            before = byte
        }
        return (line, index - start + 1)
    }
}
