/// Writes objects as lines of CSV, after a line with the names of the columns.
struct CSVExportWriter: ExportWriter {
    private enum Content {
        case attribute(ExchangeAttribute)
        /// The only part of the key of a to-one, or a list of keys.
        case relationship(Int)
        /// A part of the key of a to-one.
        case keyPart(relationship: Int, part: Int)
    }

    private let plan: ExchangePlan
    private let separator: UInt8
    private var columns: [(name: String, content: Content)] = []

    init(_ plan: ExchangePlan, separator: UInt8) throws {
        self.plan = plan
        self.separator = separator
        try addColumns(plan.nodes)
    }

    private mutating func addColumns(_ nodes: [ExchangePlan.Node]) throws {
        for node in nodes {
            switch node.content {
            case .attribute(let attribute): columns.append((node.path, .attribute(attribute)))
            case .group(let members): try addColumns(members)
            case .relationship(let number):
                let relationship = plan.relationships[number]
                let parts = relationship.key?.parts ?? []
                if parts.count == 1 {
                    columns.append((node.path, .relationship(number)))
                    continue
                }
                guard !relationship.description.isToMany else {
                    throw StoreError(
                        code: .invalidRequest,
                        message: "\(plan.entity.name).\(relationship.name) leads to objects whose "
                            + "keys have several parts, which CSV has no lists of. Export JSON, "
                            + "or name the properties without it.")
                }
                for (index, part) in parts.enumerated() {
                    columns.append(
                        (
                            "\(node.path).\(part.attribute.name)",
                            .keyPart(relationship: number, part: index)
                        ))
                }
            }
        }
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
