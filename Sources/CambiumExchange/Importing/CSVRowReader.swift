/// Reads rows out of lines of CSV.
final class CSVRowReader: ImportRowReader {
    private let source: ExchangePlans
    /// The builder for each possible entity of a row.
    private let builders: [ImportRowBuilder]
    /// The number of the row's entity.
    private var number = 0
    private var builder: ImportRowBuilder { builders[number] }
    private var plan: ExchangePlan { builder.plan }
    private let listSeparator: UInt8
    private var fields: CSVFields
    /// The names of the input's columns.
    private var columns: [String] = []
    /// The contents of the columns for each entity; nil for a column that is not a property of the
    /// entity.
    private var contents: [[CSVColumn.Content?]]
    /// The index of the column that names the entity.
    private var entityColumn: Int?
    private var hasColumns: Bool
    private(set) var ignoredFields: [String] = []
    /// The parts of keys that the row has, by relationship.
    private var parts: [Int: [StoredValue?]] = [:]

    /// - Parameter columns: The names of the columns; nil if the first line contains them.
    init(_ source: ExchangePlans, separator: UInt8, columns: [String]?) throws {
        self.source = source
        builders = source.plans.enumerated().map { ImportRowBuilder($1, $0) }
        contents = builders.map { _ in [] }
        fields = CSVFields(separator: separator)
        listSeparator = ExchangeFormat.listSeparator(separator)
        hasColumns = columns != nil
        if let columns { try setColumns(columns, line: 1) }
    }

    func beginSlice() {
        for builder in builders { builder.beginSlice() }
    }

    func row(_ entry: RecordBlock.Entry, of block: RecordBlock) throws -> ImportRow? {
        guard hasColumns else {
            try readColumns(entry, block.bytes)
            hasColumns = true
            return nil
        }
        number = 0
        do {
            try fields.split(block.bytes, entry.range)
        } catch let problem as CSVFields.Problem {
            try builder.begin(line: entry.line)
            let place = Self.place(problem.index, entry, block.bytes)
            builder.fail(line: place.line, column: place.column, problem.message)
            return builder.finish(entry.range)
        }
        do {
            number = try entity(block.bytes)
        } catch {
            try builder.begin(line: entry.line)
            fail(entityColumn ?? 0, error, entry, block.bytes)
            return builder.finish(entry.range)
        }
        try builder.begin(line: entry.line)
        read(entry, block.bytes)
        return builder.finish(entry.range)
    }

    /// The number of the entity that the fields name. In a line with the wrong number of fields it
    /// is unknown, and does not matter.
    private func entity(_ bytes: [UInt8]) throws -> Int {
        guard let choice = source.choice, fields.fields.count == columns.count else { return 0 }
        guard let entityColumn else { return try choice.number(of: nil) }
        guard let word = CSVFields.text(fields.fields[entityColumn], in: bytes) else {
            throw FieldProblem(Self.noUTF8Field)
        }
        return try choice.number(of: word.isEmpty ? nil : word)
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
        let known = source.plans.map { plan in
            Dictionary(
                plan.columns.map { ($0.name, $0.content) }, uniquingKeysWith: { $1 })
        }
        var seen: Set<String> = []
        for name in names {
            guard seen.insert(name).inserted else {
                throw InputError(
                    line: line, column: nil,
                    message: "Two columns are called \(name). Rename one of them.")
            }
            if name == source.choice?.field.stringValue {
                entityColumn = columns.count
            } else if known.allSatisfy({ $0[name] == nil }) {
                ignoredFields.append(name)
            }
            columns.append(name)
            for (number, known) in known.enumerated() { contents[number].append(known[name]) }
        }
        guard ignoredFields.count < names.count else {
            throw InputError(
                line: line, column: nil,
                message: "None of the columns is a property of \(source.entity.name). Write the "
                    + "names of the columns in the first line, separated as the format says.")
        }
        if let choice = source.choice, entityColumn == nil, !choice.hasDefault {
            throw InputError(
                line: line, column: nil,
                message:
                    "No column is called \(choice.field.stringValue), which has the entity of "
                    + "each row. Add it, or set ExchangeEntityField.defaultEntity.")
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
        for (column, content) in contents[number].enumerated() {
            guard let content else { continue }
            let field = fields.fields[column]
            do {
                guard let text = CSVFields.text(field, in: bytes) else {
                    throw FieldProblem(Self.noUTF8Field)
                }
                try read(text, isQuoted: field.isQuoted, content)
            } catch {
                fail(column, error, entry, bytes)
            }
        }
        linkParts()
    }

    /// Records a problem with the field of a column.
    private func fail(
        _ column: Int, _ error: any Error, _ entry: RecordBlock.Entry, _ bytes: [UInt8]
    ) {
        let field = fields.fields[column]
        let start = field.range.lowerBound - (field.isQuoted ? 1 : 0)
        let place = Self.place(start, entry, bytes)
        let problem = error as? FieldProblem ?? FieldProblem("cannot be read: \(error)")
        builder.fail(columns[column], line: place.line, column: place.column, problem)
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
                // For a required relationship, as for a required attribute, an empty field counts
                // as left out.
                if relationship.isRequired { return }
                return try builder.link(number, to: [])
            }
            guard let key = relationship.key else { throw relationship.keylessField }
            try builder.link(number, to: try keys(text, isQuoted: isQuoted, relationship, key))
        case .keyPart(let number, let part):
            guard let key = plan.relationships[number].key else { return }
            var known = parts[number] ?? Array(repeating: nil, count: key.parts.count)
            if !text.isEmpty || isQuoted {
                known[part] = try key.parts[part].attribute.stored(text, plan.dates)
            }
            parts[number] = known
        }
    }

    private func keys(
        _ text: String, isQuoted: Bool, _ relationship: ExchangeRelationship,
        _ key: ExchangeKeyShape
    ) throws -> [ExchangeKey] {
        guard key.parts.count == 1 else {
            let names = key.parts.map { "\(relationship.name).\($0.name)" }
            throw FieldProblem(
                relationship.description.isToMany
                    ? "references objects whose keys have several parts, which CSV has no lists of. "
                        + "Use JSON."
                    : "has a key of several parts. Give each a column: "
                        + "\(names.joined(separator: ", ")).")
        }
        func value(_ text: String) throws -> ExchangeKey {
            ExchangeKey([try key.parts[0].attribute.stored(text, plan.dates)])
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
            throw FieldProblem("is not a list. " + problem.message)
        }
    }

    /// Builds the keys from parts that have columns of their own.
    private func linkParts() {
        for (number, values) in parts.ordered(by: { $0.key < $1.key }) {
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

    /// The line and column of a byte in a record, which may contain line ends.
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

/// The fields of a CSV line. It is made once and used for each line, so that lines cost no memory
/// of their own.
struct CSVFields {
    /// The position of a field in the line.
    struct Field {
        /// The content of the field without the quotes around it.
        var range: Range<Int>
        var isQuoted: Bool
        /// Whether quotes in it are doubled.
        var hasQuotes: Bool
    }

    /// A problem with a line, and its position.
    struct Problem: Error {
        let index: Int
        let message: String
    }

    let separator: UInt8
    private(set) var fields: [Field] = []

    /// Splits a line.
    ///
    /// - Throws: ``Problem`` if a quote is at an invalid position.
    mutating func split(_ bytes: [UInt8], _ line: Range<Int>) throws {
        fields.removeAll(keepingCapacity: true)
        var index = line.lowerBound
        while true {
            if index < line.upperBound, bytes[index] == ASCII.quote {
                index = try takeQuoted(bytes, index + 1, line.upperBound)
            } else {
                index = try takePlain(bytes, index, line.upperBound)
            }
            if index == line.upperBound { return }
            index += 1
        }
    }

    /// - Returns: The end of the field: the index of a separator, or the end of the line.
    private mutating func takePlain(
        _ bytes: [UInt8], _ start: Int, _ end: Int
    ) throws -> Int {
        var index = start
        while index < end, bytes[index] != separator {
            if bytes[index] == ASCII.quote {
                throw Problem(
                    index: index,
                    message: "There is a quote within a field that does not begin with one. "
                        + "Enclose the field in quotes, and double those within.")
            }
            index += 1
        }
        fields.append(Field(range: start..<index, isQuoted: false, hasQuotes: false))
        return index
    }

    private mutating func takeQuoted(
        _ bytes: [UInt8], _ start: Int, _ end: Int
    ) throws -> Int {
        var index = start
        var hasQuotes = false
        while index < end {
            guard bytes[index] == ASCII.quote else {
                index += 1
                continue
            }
            if index + 1 < end, bytes[index + 1] == ASCII.quote {
                hasQuotes = true
                index += 2
                continue
            }
            fields.append(Field(range: start..<index, isQuoted: true, hasQuotes: hasQuotes))
            index += 1
            guard index == end || bytes[index] == separator else {
                throw Problem(
                    index: index,
                    message: "There is more after the quote that closes a field. Double quotes "
                        + "that belong to it.")
            }
            return index
        }
        throw Problem(
            index: start - 1,
            message: "The quote that opens a field is not closed. Close it, or double it where it "
                + "belongs to the field.")
    }

    /// The text of a field; nil if it is not UTF-8.
    static func text(_ field: Field, in bytes: [UInt8]) -> String? {
        let content = bytes[field.range]
        guard field.hasQuotes else { return String(validating: content, as: UTF8.self) }
        var text: [UInt8] = []
        text.reserveCapacity(content.count)
        var isSecond = false
        for byte in content {
            if byte == ASCII.quote, !isSecond {
                isSecond = true
                continue
            }
            isSecond = false
            text.append(byte)
        }
        return String(validating: text, as: UTF8.self)
    }

    /// The fields of a text that is a line of CSV itself: a list in a field. An empty text has
    /// none.
    ///
    /// - Throws: ``Problem``
    static func list(_ text: String, separator: UInt8) throws -> [(text: String, isQuoted: Bool)] {
        guard !text.isEmpty else { return [] }
        let bytes = Array(text.utf8)
        var list = CSVFields(separator: separator)
        try list.split(bytes, 0..<bytes.count)
        return list.fields.map { (Self.text($0, in: bytes) ?? "", $0.isQuoted) }
    }
}
