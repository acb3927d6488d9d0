/// Writes objects as lines of CSV, after a line with the names of the columns.
struct CSVExportWriter: ExportWriter {
    private let plan: ExchangePlan
    private let separator: UInt8
    private let columns: [CSVColumn]

    init(_ plan: ExchangePlan, separator: UInt8) throws {
        self.plan = plan
        self.separator = separator
        columns = try plan.columns.filter { try Self.isWritten($0, plan) }
    }

    /// Whether values stand there. A key of several parts has a column for each.
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
                message: "\(plan.entity.name).\(relationship.name) leads to objects whose keys "
                    + "have several parts, which CSV has no lists of. Export JSON, or name the "
                    + "properties without it.")
        }
    }

    private static func hasSinglePart(_ relationship: ExchangeRelationship) -> Bool {
        relationship.key?.parts.count == 1
    }

    func begin(_ text: inout [UInt8]) {
        writeLine(columns.map(\.name), &text)
    }

    func write(_ object: ManagedObject, isFirst: Bool, _ text: inout [UInt8]) throws {
        writeLine(
            try columns.map { column -> String? in
                switch column.content {
                case .attribute(let attribute):
                    return try field(object.exportedValue(attribute), attribute)
                case .keyPart(let number, let part):
                    let key = try object.exportedKeys(plan.relationships[number]).first
                    return try key.map { try field($0[part].value, $0[part].part) ?? "" }
                case .relationship(let number):
                    let relationship = plan.relationships[number]
                    let keys = try object.exportedKeys(relationship).map {
                        try field($0[0].value, $0[0].part) ?? ""
                    }
                    return relationship.description.isToMany ? list(keys) : keys.first
                }
            }, &text)
    }

    func end(isEmpty: Bool, _ text: inout [UInt8]) {}

    /// The text of a value; nil for nil.
    private func field(_ value: Value, _ attribute: ExchangeAttribute) throws -> String? {
        value == .null ? nil : try attribute.text(of: value, plan.dates)
    }

    /// A line of CSV in a field. Nobody is named by nothing: without any key it is empty.
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
            // Without quotes an empty field is nil.
            let needsQuotes =
                field.isEmpty
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
