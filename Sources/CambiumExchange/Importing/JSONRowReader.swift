/// Reads rows out of JSON objects, by Foundation's decoder.
final class JSONRowReader: ImportRowReader {
    private let decoder = JSONDecoder()
    private let choice: EntityChoice?
    /// The builder and the fields for each possible entity of a row.
    private let variants: [(builder: ImportRowBuilder, fields: [JSONField])]
    /// The number of the row's entity.
    private var number = 0
    private var builder: ImportRowBuilder { variants[number].builder }
    private var plan: ExchangePlan { builder.plan }
    private let known: Set<String>
    /// The reason why the row could not be started.
    private var failure: (any Error)?
    private var ignored: Set<String> = []
    private var looked = 0
    private var line = 0

    /// The number of objects that are searched for members without a property.
    private static let lookedAt = 1000
    private static let maximumIgnored = 100

    init(_ plans: ExchangePlans) {
        choice = plans.choice
        variants = plans.plans.enumerated().map { number, plan in
            (ImportRowBuilder(plan, number), plan.nodes.map(JSONField.init))
        }
        var known = Set(plans.plans.flatMap { $0.nodes.map(\.key.stringValue) })
        if let choice { known.insert(choice.field.stringValue) }
        self.known = known
    }

    var ignoredFields: [String] { ignored.sorted() }

    func beginSlice() {
        for variant in variants { variant.builder.beginSlice() }
    }

    func row(_ entry: RecordBlock.Entry, of block: RecordBlock) throws -> ImportRow? {
        number = 0
        try builder.begin(line: entry.line)
        line = entry.line
        do {
            _ = try decoder.decode(
                JSONRow.self, from: Data(block.bytes[entry.range]), configuration: self)
        } catch {
            if let failure { throw failure }
            builder.fail(Self.message(for: error))
        }
        return builder.finish(entry.range)
    }

    /// The reason that a text is not a JSON object. The decoder does not say at which position it
    /// stopped.
    private static func message(for error: any Error) -> String {
        if case DecodingError.dataCorrupted = error {
            return "This is not JSON. Look for a quote, a comma or a bracket that is missing."
        }
        return "This is not JSON object. Write the properties as members: { … }."
    }

    fileprivate func read(_ decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: FieldName.self)
        guard try chooseEntity(container) else { return }
        if looked < Self.lookedAt {
            looked += 1
            for key in container.allKeys
            where !known.contains(key.stringValue) && ignored.count < Self.maximumIgnored {
                ignored.insert(key.stringValue)
            }
        }
        read(variants[number].fields, from: container)
    }

    /// Begins a row of the entity that the object names.
    ///
    /// - Returns: Whether the field names a valid entity.
    private func chooseEntity(
        _ container: KeyedDecodingContainer<FieldName>
    ) throws -> Bool {
        guard let choice else { return true }
        do {
            number = try choice.number(of: Self.word(choice.field, in: container))
        } catch {
            builder.fail(
                choice.field.stringValue, error as? FieldProblem ?? FieldProblem("\(error)"))
            return false
        }
        guard number > 0 else { return true }
        do {
            try builder.begin(line: line)
            return true
        } catch {
            failure = error
            throw error
        }
    }

    private static func word(
        _ field: FieldName, in container: KeyedDecodingContainer<FieldName>
    ) throws -> String? {
        guard container.contains(field), try !container.decodeNil(forKey: field) else { return nil }
        do {
            return try container.decode(String.self, forKey: field)
        } catch {
            throw FieldProblem("is not a string. Put the entity's word in quotes.")
        }
    }

    private func read(
        _ fields: [JSONField], from container: KeyedDecodingContainer<FieldName>
    ) {
        for field in fields {
            do {
                if field.mayBeAbsent {
                    try readIfPresent(field, from: container)
                } else {
                    try read(field, from: container)
                }
            } catch let problem as FieldProblem {
                builder.fail(field.path, problem)
            } catch {
                builder.fail(field.path, FieldProblem(Self.shape(of: field.content)))
            }
        }
    }

    /// Reads a member that may be missing, or null.
    private func readIfPresent(
        _ field: JSONField, from container: KeyedDecodingContainer<FieldName>
    ) throws {
        guard container.contains(field.key) else { return }
        if try container.decodeNil(forKey: field.key) {
            try clear(field)
        } else {
            try readValue(of: field, from: container)
        }
    }

    /// Reads a member that all rows had so far. If that fails, checks whether this row has it.
    private func read(
        _ field: JSONField, from container: KeyedDecodingContainer<FieldName>
    ) throws {
        do {
            try readValue(of: field, from: container)
        } catch {
            let isNull = try? container.decodeNil(forKey: field.key)
            guard isNull == false else {
                field.mayBeAbsent = true
                return try readIfPresent(field, from: container)
            }
            throw error
        }
    }

    private func readValue(
        of field: JSONField, from container: KeyedDecodingContainer<FieldName>
    ) throws {
        switch field.content {
        case .attribute(let attribute):
            let member = JSONMember(container: container, key: field.key)
            try builder.set(try attribute.stored(from: member, plan.dates), attribute)
        case .group(let members):
            read(
                members,
                from: try container.nestedContainer(
                    keyedBy: FieldName.self, forKey: field.key))
        case .relationship(let number):
            let relationship = plan.relationships[number]
            guard let key = relationship.key else { throw relationship.keylessField }
            if relationship.description.isToMany {
                var list = try container.nestedUnkeyedContainer(forKey: field.key)
                var keys: [ExchangeKey] = []
                while !list.isAtEnd { keys.append(try self.key(key, try list.superDecoder())) }
                try builder.link(number, to: keys)
            } else {
                try builder.link(number, to: [try self.key(key, of: field, from: container)])
            }
        }
    }

    /// Sets a member to null. For a composite value, sets all of its parts.
    private func clear(_ field: JSONField) throws {
        switch field.content {
        case .attribute(let attribute): try builder.set(.null, attribute)
        case .group(let members):
            for member in members {
                if case .relationship = member.content { continue }
                do {
                    try clear(member)
                } catch {
                    builder.fail(member.path, .required)
                }
            }
        case .relationship(let number): try builder.link(number, to: [])
        }
    }

    /// The key that a member is, or has.
    private func key(
        _ key: ExchangeKeyShape, of field: JSONField,
        from container: KeyedDecodingContainer<FieldName>
    ) throws -> ExchangeKey {
        let member = JSONMember(container: container, key: field.key)
        if key.parts.count == 1,
            let part = try? key.parts[0].attribute.stored(from: member, plan.dates)
        {
            return ExchangeKey([part])
        }
        return try self.key(key, try container.superDecoder(forKey: field.key))
    }

    private func key(_ key: ExchangeKeyShape, _ decoder: any Decoder) throws -> ExchangeKey {
        ExchangeKey(try values(of: key, decoder))
    }

    /// The values of a key: its only one by itself, or the members of an object.
    private func values(
        of key: ExchangeKeyShape, _ decoder: any Decoder
    ) throws -> [StoredValue] {
        if key.parts.count == 1 {
            let element = JSONElement(container: try decoder.singleValueContainer())
            if element.container.decodeNil() {
                throw FieldProblem("names no object: a key is null. Leave it out.")
            }
            do {
                return [try key.parts[0].attribute.stored(from: element, plan.dates)]
            } catch {
                guard (try? decoder.container(keyedBy: FieldName.self)) != nil else {
                    throw error
                }
            }
        }
        let container = try decoder.container(keyedBy: FieldName.self)
        return try key.columns.flatMap { column in
            let names = column.name.split(separator: ".")
            var inner = container
            for name in names.dropLast() {
                inner = try inner.nestedContainer(
                    keyedBy: FieldName.self, forKey: FieldName(name))
            }
            let last = FieldName(names.last ?? "")
            guard inner.contains(last), try !inner.decodeNil(forKey: last) else {
                throw FieldProblem("lacks \(column.name), which is a part of the key. Add it.")
            }
            switch column.content {
            case .attribute(let attribute):
                let member = JSONMember(container: inner, key: last)
                return [try attribute.stored(from: member, plan.dates)]
            case .relationship(_, _, let key):
                return try values(of: key, try inner.superDecoder(forKey: last))
            }
        }
    }

    /// The expected form of a value, for an error of the decoder about a value of another kind.
    private static func shape(of content: JSONField.Content) -> String {
        switch content {
        case .attribute: "has a value of another type."
        case .group: "is not an object. Write its parts as members: { … }."
        case .relationship:
            "does not name what it references. Write the key, or an object of the key's parts; for "
                + "a to-many relationship an array of them."
        }
    }
}

/// A row during decoding. Its values are passed directly to the reader.
private struct JSONRow: DecodableWithConfiguration {
    init(from decoder: any Decoder, configuration: JSONRowReader) throws {
        try configuration.read(decoder)
    }
}

/// A field of the plan, and whether a row may lack it.
private final class JSONField {
    /// The property of the member.
    enum Content {
        case attribute(ExchangeAttribute)
        case group([JSONField])
        case relationship(Int)
    }

    let key: FieldName
    let path: String
    let content: Content
    /// Whether a row lacked the member, or had null. Until then, it is decoded without a check: the
    /// check takes as long as the decoding, and an error of the decoder much longer.
    var mayBeAbsent = false

    init(_ node: ExchangePlan.Node) {
        key = node.key
        path = node.path
        content =
            switch node.content {
            case .attribute(let attribute): .attribute(attribute)
            case .group(let members): .group(members.map(JSONField.init))
            case .relationship(let number): .relationship(number)
            }
    }
}
