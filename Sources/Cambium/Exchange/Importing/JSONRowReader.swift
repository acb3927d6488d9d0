/// Reads rows out of JSON objects, by Foundation's decoder.
final class JSONRowReader: ImportRowReader {
    private let builder: ImportRowBuilder
    private let decoder = JSONDecoder()
    private var plan: ExchangePlan { builder.plan }
    private let known: Set<String>
    private var ignored: Set<String> = []
    private var looked = 0

    /// In so many objects it is looked for members that no property has.
    private static let lookedAt = 1000
    private static let maximumIgnored = 100

    init(_ plan: ExchangePlan) {
        builder = ImportRowBuilder(plan)
        known = Set(plan.nodes.map(\.key.stringValue))
    }

    var ignoredFields: [String] { ignored.sorted() }

    func row(_ entry: RecordBlock.Entry, of block: RecordBlock) -> ImportRow? {
        builder.begin(line: entry.line)
        do {
            _ = try decoder.decode(
                JSONRow.self, from: Data(block.bytes[entry.range]), configuration: self)
        } catch {
            builder.fail(Self.message(for: error))
        }
        return builder.finish(entry.range)
    }

    /// Why a text is no JSON object. The decoder does not say where it stopped.
    private static func message(for error: any Error) -> String {
        if case DecodingError.dataCorrupted = error {
            return "This is no JSON. Look for a quote, a comma or a bracket that is missing."
        }
        return "This is no JSON object. Write the properties as members: { … }."
    }

    fileprivate func read(_ decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PropertyName.self)
        if looked < Self.lookedAt {
            looked += 1
            for key in container.allKeys
            where !known.contains(key.stringValue) && ignored.count < Self.maximumIgnored {
                ignored.insert(key.stringValue)
            }
        }
        read(plan.nodes, from: container)
    }

    private func read(
        _ nodes: [ExchangePlan.Node], from container: KeyedDecodingContainer<PropertyName>
    ) {
        for node in nodes where container.contains(node.key) {
            do {
                try read(node, from: container)
            } catch let problem as FieldProblem {
                builder.fail(node.path, problem)
            } catch {
                builder.fail(node.path, FieldProblem(Self.shape(of: node.content)))
            }
        }
    }

    private func read(
        _ node: ExchangePlan.Node, from container: KeyedDecodingContainer<PropertyName>
    ) throws {
        let isNull = try container.decodeNil(forKey: node.key)
        switch node.content {
        case .attribute(let attribute):
            let value =
                isNull
                ? .null
                : try attribute.stored(
                    from: JSONMember(container: container, key: node.key), plan.dates)
            try builder.set(value, attribute)
        case .group(let members):
            if isNull {
                clear(members)
            } else {
                read(
                    members,
                    from: try container.nestedContainer(
                        keyedBy: PropertyName.self, forKey: node.key))
            }
        case .relationship(let number):
            let relationship = plan.relationships[number]
            if isNull { return try builder.link(number, to: []) }
            guard let key = relationship.key else { throw relationship.keylessProblem }
            if relationship.description.isToMany {
                var list = try container.nestedUnkeyedContainer(forKey: node.key)
                var keys: [ExchangeKey] = []
                while !list.isAtEnd { keys.append(try self.key(key, try list.superDecoder())) }
                try builder.link(number, to: keys)
            } else {
                let decoder = try container.superDecoder(forKey: node.key)
                try builder.link(number, to: [self.key(key, decoder)])
            }
        }
    }

    /// A composite value that is null: all of it is.
    private func clear(_ members: [ExchangePlan.Node]) {
        for member in members {
            switch member.content {
            case .attribute(let attribute):
                do {
                    try builder.set(.null, attribute)
                } catch {
                    builder.fail(member.path, .required)
                }
            case .group(let members): clear(members)
            case .relationship: break
            }
        }
    }

    /// The key of an object: its only part by itself, or an object of its parts.
    private func key(
        _ key: ExchangeRelationship.Key, _ decoder: any Decoder
    ) throws -> ExchangeKey {
        if key.parts.count == 1 {
            let element = JSONElement(container: try decoder.singleValueContainer())
            if element.container.decodeNil() {
                throw FieldProblem("names no object: a key is null. Leave it out.")
            }
            do {
                return ExchangeKey([try key.parts[0].stored(from: element, plan.dates)])
            } catch {
                guard (try? decoder.container(keyedBy: PropertyName.self)) != nil else {
                    throw error
                }
            }
        }
        let container = try decoder.container(keyedBy: PropertyName.self)
        return ExchangeKey(
            try key.parts.map { part in
                let names = part.attribute.name.split(separator: ".")
                var inner = container
                for name in names.dropLast() {
                    inner = try inner.nestedContainer(
                        keyedBy: PropertyName.self, forKey: PropertyName(name))
                }
                let last = PropertyName(names.last ?? "")
                guard inner.contains(last), try !inner.decodeNil(forKey: last) else {
                    throw FieldProblem(
                        "lacks \(part.attribute.name), which is a part of the key. Add it.")
                }
                return try part.stored(
                    from: JSONMember(container: inner, key: last), plan.dates)
            })
    }

    /// What should stand there, where the decoder found another kind of value.
    private static func shape(of content: ExchangePlan.Content) -> String {
        switch content {
        case .attribute: "has a value of another type."
        case .group: "is no object. Write its parts as members: { … }."
        case .relationship:
            "does not name what it leads to. Write the key, or an object of the key's parts; for "
                + "a to-many relationship an array of them."
        }
    }
}

/// A row while the decoder is at it: it goes straight to the reader.
private struct JSONRow: DecodableWithConfiguration {
    init(from decoder: any Decoder, configuration: JSONRowReader) throws {
        try configuration.read(decoder)
    }
}
