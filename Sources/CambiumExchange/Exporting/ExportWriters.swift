/// Writes objects as lines of CSV, after a line with the names of the columns.
struct CSVExportWriter: ExportWriter {
    private let plans: ExchangePlans
    private let separator: UInt8
    /// The names of the columns.
    private let names: [String]
    /// The contents of the columns for each entity; nil for a column that is not a property of the
    /// entity.
    private let contents: [[CSVColumn.Content?]]
    private let protectsFormulas: Bool

    init(_ plans: ExchangePlans, separator: UInt8, protectsFormulas: Bool) throws {
        self.plans = plans
        self.separator = separator
        self.protectsFormulas = protectsFormulas
        let columns = try plans.plans.map { plan in
            try plan.columns.filter { try Self.isWritten($0, plan) }
        }
        var seen: Set<String> = []
        let names = columns.joined().map(\.name).filter { seen.insert($0).inserted }
        self.names = names
        contents = columns.map { columns in
            let contents = Dictionary(
                columns.map { ($0.name, $0.content) }, uniquingKeysWith: { $1 })
            return names.map { contents[$0] }
        }
    }

    /// Whether the column is written. A key of several parts has a column for each part instead.
    private static func isWritten(_ column: CSVColumn, _ plan: ExchangePlan) throws -> Bool {
        switch column.content {
        case .attribute: return true
        case .keyPart(let number, _): return !hasSinglePart(plan.relationships[number])
        case .relationship(let number):
            let relationship = plan.relationships[number]
            if hasSinglePart(relationship) { return true }
            guard relationship.description.isToMany else { return false }
            throw StoreError(
                code: .invalidRequest,
                message: "\(plan.entity.name).\(relationship.name) references objects whose keys "
                    + "have several parts, and CSV has no lists of those.",
                remedy: "Export JSON, or name the properties without it.")
        }
    }

    private static func hasSinglePart(_ relationship: ExchangeRelationship) -> Bool {
        relationship.key?.parts.count == 1
    }

    func begin(_ text: inout [UInt8]) {
        writeLine((plans.choice.map { [$0.field.stringValue] } ?? []) + names, &text)
    }

    func write(_ object: ManagedObject, isFirst: Bool, _ text: inout [UInt8]) throws {
        let number = plans.number(of: object.entityDescription)
        let plan = plans.plans[number]
        let word = plans.choice.map { [protected($0.word(of: number), isNumber: false)] }
        let values = try contents[number].map { try $0.flatMap { try value(of: object, $0, plan) } }
        writeLine((word ?? []) + values, &text)
    }

    /// The value of an object in a column.
    private func value(
        of object: ManagedObject, _ content: CSVColumn.Content, _ plan: ExchangePlan
    ) throws -> String? {
        switch content {
        case .attribute(let attribute):
            let value = ExportedObject(subject: object).value(attribute)
            return try protected(field(value, attribute, plan.dates), isNumber: value.isNumber)
        case .keyPart(let number, let part):
            let keys = try ExportedObject(subject: object).keys(plan.relationships[number])
            return try keys.first.map { try key($0[part], plan.dates) }
        case .relationship(let number):
            let relationship = plan.relationships[number]
            let keys = try ExportedObject(subject: object).keys(relationship)
            guard relationship.description.isToMany else {
                return try keys.first.map { try key($0[0], plan.dates) }
            }
            let texts = try keys.map {
                try field($0[0].value, $0[0].part.attribute, plan.dates) ?? ""
            }
            return protected(list(texts), isNumber: false)
        }
    }

    func end(isEmpty: Bool, _ text: inout [UInt8]) {}

    /// The text of a part of a key.
    private func key(
        _ part: (part: ExchangeKeyShape.Part, value: Value), _ dates: ExchangeDateFormat
    ) throws -> String {
        protected(
            try field(part.value, part.part.attribute, dates), isNumber: part.value.isNumber) ?? ""
    }

    /// A field with an apostrophe in front if a spreadsheet would take it for a formula.
    private func protected(_ field: String?, isNumber: Bool) -> String? {
        guard protectsFormulas, !isNumber, let field, FormulaText.isFormula(field) else {
            return field
        }
        return "'" + field
    }

    /// The text of a value; nil for nil.
    private func field(
        _ value: Value, _ attribute: ExchangeAttribute, _ dates: ExchangeDateFormat
    ) throws -> String? {
        value == .null ? nil : try attribute.text(of: value, dates)
    }

    /// A line of CSV within a field; nil, an empty field, if there are no keys.
    private func list(_ keys: [String]) -> String? {
        guard !keys.isEmpty else { return nil }
        var text: [UInt8] = []
        write(keys, separator: ExchangeFormat.listSeparator(separator), &text)
        return String(decoding: text, as: UTF8.self)
    }

    private func writeLine(_ fields: [String?], _ text: inout [UInt8]) {
        write(fields, separator: separator, &text)
        text += "\r\n".utf8
    }

    private func write(_ fields: [String?], separator: UInt8, _ text: inout [UInt8]) {
        for (index, field) in fields.enumerated() {
            if index > 0 { text.append(separator) }
            guard let field else { continue }
            // Without quotes an empty field is nil. A protected field with quotes stays one field
            // in programs that take another sign for the separator.
            let needsQuotes =
                field.isEmpty || (protectsFormulas && field.hasPrefix("'"))
                || field.utf8.contains {
                    $0 == separator || $0 == ASCII.quote || $0 == ASCII.lineFeed
                        || $0 == ASCII.carriageReturn
                }
            guard needsQuotes else {
                text += field.utf8
                continue
            }
            text.append(ASCII.quote)
            for byte in field.utf8 {
                if byte == ASCII.quote { text.append(byte) }
                text.append(byte)
            }
            text.append(ASCII.quote)
        }
    }
}

/// Finds cells that a spreadsheet would run as a formula.
enum FormulaText {
    /// Whether a cell with this text may be run as a formula.
    ///
    /// It may if it starts with a tab or a line end, which some programs skip. It also may if its
    /// first character after white space begins a formula in some program.
    static func isFormula(_ text: String) -> Bool {
        guard let first = text.unicodeScalars.first else { return false }
        if first == "\t" || first == "\r" || first == "\n" { return true }
        let start = text.unicodeScalars.first { !isSkipped($0) }
        return start.map(signs.contains) ?? false
    }

    /// The signs of ASCII, and their full-width forms, which programs in Japanese and Chinese treat
    /// the same.
    private static let signs: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "\u{FF1D}", "\u{FF0B}", "\u{FF0D}", "\u{FF20}",
    ]

    /// White space, and signs that cannot be seen.
    private static func isSkipped(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.properties.isWhitespace { return true }
        switch scalar.properties.generalCategory {
        case .control, .format: return true
        default: return false
        }
    }
}

extension Value {
    /// Whether the value is a number, which no spreadsheet runs as a formula.
    fileprivate var isNumber: Bool {
        switch self {
        case .int, .double, .decimal: true
        default: false
        }
    }
}

/// Writes objects as JSON: an array with an object in each line, or the lines alone.
struct JSONExportWriter: ExportWriter {
    let plans: ExchangePlans
    let isArray: Bool

    func begin(_ text: inout [UInt8]) {
        if isArray { text.append(UInt8(ascii: "[")) }
    }

    func write(_ object: ManagedObject, isFirst: Bool, _ text: inout [UInt8]) throws {
        if isArray {
            if !isFirst { text.append(ASCII.comma) }
            text.append(ASCII.lineFeed)
        }
        var json = JSONWriter(text: text)
        // Not shared while it grows.
        text = []
        let number = plans.number(of: object.entityDescription)
        json.write(raw: "{")
        if let choice = plans.choice {
            json.writeName(choice.field.stringValue, isFirst: true)
            json.write(choice.word(of: number))
        }
        let plan = plans.plans[number]
        try write(plan.nodes, of: object, plan, isFirst: plans.choice == nil, &json)
        json.write(raw: "}")
        text = json.text
        if !isArray { text.append(ASCII.lineFeed) }
    }

    func end(isEmpty: Bool, _ text: inout [UInt8]) {
        if isArray { text += (isEmpty ? "]\n" : "\n]\n").utf8 }
    }

    private func write(
        _ nodes: [ExchangePlan.Node], of object: ManagedObject, _ plan: ExchangePlan,
        isFirst: Bool, _ json: inout JSONWriter
    ) throws {
        for (index, node) in nodes.enumerated() {
            json.writeName(node.key.stringValue, isFirst: isFirst && index == 0)
            switch node.content {
            case .attribute(let attribute):
                try attribute.write(
                    ExportedObject(subject: object).value(attribute), to: &json, plan.dates)
            case .group(let members):
                // A composite value is nil when all of it is.
                if isNil(members, of: object) {
                    json.write(raw: "null")
                } else {
                    json.write(raw: "{")
                    try write(members, of: object, plan, isFirst: true, &json)
                    json.write(raw: "}")
                }
            case .relationship(let number):
                try write(plan.relationships[number], of: object, plan.dates, &json)
            }
        }
    }

    private func isNil(_ nodes: [ExchangePlan.Node], of object: ManagedObject) -> Bool {
        nodes.allSatisfy { node in
            switch node.content {
            case .attribute(let attribute):
                ExportedObject(subject: object).value(attribute) == .null
            case .group(let members): isNil(members, of: object)
            case .relationship: false
            }
        }
    }

    private func write(
        _ relationship: ExchangeRelationship, of object: ManagedObject,
        _ dates: ExchangeDateFormat, _ json: inout JSONWriter
    ) throws {
        let keys = try ExportedObject(subject: object).keys(relationship)
        guard relationship.description.isToMany else {
            guard let key = keys.first else { return json.write(raw: "null") }
            return try write(key[...], depth: 0, isOnly: key.count == 1, dates, &json)
        }
        json.write(raw: "[")
        for (index, key) in keys.enumerated() {
            if index > 0 { json.write(raw: ",") }
            try write(key[...], depth: 0, isOnly: key.count == 1, dates, &json)
        }
        json.write(raw: "]")
    }

    /// Writes a key: its only part by itself, or an object of its parts. The parts of composite
    /// values and of relationships are nested.
    private func write(
        _ parts: ArraySlice<(part: ExchangeKeyShape.Part, value: Value)>, depth: Int,
        isOnly: Bool, _ dates: ExchangeDateFormat, _ json: inout JSONWriter
    ) throws {
        if isOnly, let (part, value) = parts.first {
            return try part.attribute.write(value, to: &json, dates)
        }
        func name(_ part: ExchangeKeyShape.Part) -> String {
            String(part.name.split(separator: ".")[depth])
        }
        func isLast(_ part: ExchangeKeyShape.Part) -> Bool {
            part.name.split(separator: ".").count == depth + 1
        }
        json.write(raw: "{")
        var written: Set<String> = []
        for (part, value) in parts where written.insert(name(part)).inserted {
            json.writeName(name(part), isFirst: written.count == 1)
            if isLast(part) {
                try part.attribute.write(value, to: &json, dates)
            } else {
                let inner = parts.filter { name($0.part) == name(part) }
                try write(inner[...], depth: depth + 1, isOnly: false, dates, &json)
            }
        }
        json.write(raw: "}")
    }
}
