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

    /// A key: its only part by itself, or an object of its parts, those of composite values and of
    /// relationships nested.
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
