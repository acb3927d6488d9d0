import Cambium
import Foundation
import Testing

/// What is exported and imported into another store is there as it was.
struct RandomExchangeTests {
    private static let formats: [ExchangeFormat] = [
        .json, .jsonLines, .csv(), .csv(separator: ";"), .csv(separator: "\t"),
    ]
    private static let entities = ["Category", "City", "Tag", "Article", "Mark"]

    @Test func `export, then import, gives the same rows`() throws {
        try forEachSeed(for: 2) { seed in
            var generator = SeededGenerator(seed: seed)
            try withContainer(Exchange.model) { container in
                let context = container.newContext()
                try fill(context, &generator)
                let expected = try contents(of: context)
                try withContainer(Exchange.model) { other in
                    let copy = other.newContext()
                    var request = ImportRequest([])
                    // In any order: what comes later is waited for.
                    for entity in Self.entities.shuffled(using: &generator) {
                        let format = Self.formats.randomElement(using: &generator) ?? .json
                        request.sources.append(
                            ImportSource(
                                entityName: entity,
                                from: .text(try context.exported(entity, as: format)),
                                as: format))
                    }
                    let first = try copy.execute(request)
                    #expect(first.updated == 0 && first.errorCount == 0, "seed \(seed)")
                    try compare(contents(of: copy), expected, seed)
                    // Once more changes nothing. Marks have nothing to be known by.
                    request.sources.removeAll { $0.entityName == "Mark" }
                    let second = try copy.execute(request)
                    #expect(second.inserted == 0, "seed \(seed)")
                    try compare(contents(of: copy), expected, seed)
                }
            }
        }
    }

    private func compare(
        _ found: [String: [String]], _ expected: [String: [String]], _ seed: UInt64
    ) {
        for (entity, rows) in expected {
            for row in rows where found[entity]?.contains(row) != true {
                Issue.record("seed \(seed), \(entity) lost \(row); has \(found[entity] ?? [])")
                return
            }
            #expect(found[entity]?.count == rows.count, "seed \(seed), \(entity)")
        }
    }

    /// Every object in words, with all values and all links, in no order.
    private func contents(of context: ManagedObjectContext) throws -> [String: [String]] {
        var contents: [String: [String]] = [:]
        for entity in Exchange.value.entities where entity.name != "Step" {
            contents[entity.name] = try context.all(entity.name).map { object in
                let values = try entity.attributes.map { attribute in
                    "\(attribute.name)=\(try words(object.value(forKey: attribute.name)))"
                }
                let links = try entity.relationships.map { relationship in
                    let others =
                        relationship.isToMany
                        ? try object.many(relationship.name).map(Self.name)
                        : [object[one: relationship.name].map(Self.name) ?? "nil"]
                    // Without an order they come as the keys of objects are, which are others.
                    let isOrdered = relationship.isOrdered
                    return "\(relationship.name)=\(isOrdered ? others : others.sorted())"
                }
                return (values + links).joined(separator: " ")
            }
        }
        return contents
    }

    private func words(_ value: Value) -> String {
        switch value {
        // Not by what they print: the very bits count.
        case .double(let value): "\(value.bitPattern)"
        case .date(let date): "\(date.timeIntervalSinceReferenceDate.bitPattern)"
        case .string(let text): "\(Array(text.utf8))"
        default: "\(value)"
        }
    }

    private static func name(_ object: ManagedObject) -> String {
        object.entity.name
            + ["sku", "name", "region", "label", "text"].map { object[$0] }.joined(separator: "/")
    }

    // MARK: Random rows

    private func fill(
        _ context: ManagedObjectContext, _ generator: inout SeededGenerator
    ) throws {
        func names(_ count: Int) -> [String] {
            (0..<count).map { "\($0)" + Self.text(&generator) }
        }
        let categories = try names(3).map { try context.make("Category", ["name": $0]) }
        let tags = try names(4).map { try context.make("Tag", ["label": $0]) }
        let regions = names(2)
        let cities = try names(2).flatMap { name in
            try regions.map { try context.make("City", ["name": name, "region": $0]) }
        }
        let articles = try names(Int.random(in: 0..<12, using: &generator)).map {
            try context.make("Article", ["sku": $0.replacing("!", with: "?")])
        }
        func some(_ objects: [ManagedObject]) -> ManagedObject? {
            generator.chance(0.6) ? objects.randomElement(using: &generator) : nil
        }
        for article in articles {
            for attribute in Exchange.attributes where attribute.name != "sku" {
                if attribute.isOptional, generator.chance(0.3) { continue }
                try article.setValue(
                    Self.value(of: attribute, &generator), forKey: attribute.name)
            }
            article[one: "category"] = some(categories)
            article[one: "city"] = some(cities)
            article[one: "parent"] = some(articles)
            article[one: "twin"] = some(articles)
            for other in articles where generator.chance(0.2) {
                try article.many("related").insert(other)
            }
            let list = try article.orderedRelatedObjects(forKey: "tags")
            for tag in tags.shuffled(using: &generator) where generator.chance(0.5) {
                list.append(tag)
            }
            if generator.chance(0.3) {
                let mark = try context.make("Mark", ["text": "m" + Self.text(&generator)])
                mark[one: "article"] = article
            }
        }
        try context.save()
    }

    private static func text(_ generator: inout SeededGenerator) -> String {
        let letters = Array("ab \",;\t\n\r\\/'é\u{301}€🙂\u{FEFF}\u{7F}\u{1}[]{}:0")
        return String(
            (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? "a"
            })
    }

    private static func value(
        of attribute: Attribute, _ generator: inout SeededGenerator
    ) -> Value {
        func data() -> Data {
            Data(
                (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                })
        }
        func digits(_ count: Int, places: ClosedRange<Int>) -> Value {
            let text = (0..<Int.random(in: 1...count, using: &generator)).map { _ in
                "\(Int.random(in: 0...9, using: &generator))"
            }.joined()
            let value = Decimal(string: text) ?? 0
            let exponent = -Int.random(in: places, using: &generator)
            return .decimal(
                Decimal(
                    sign: generator.chance(0.5) ? .minus : .plus, exponent: exponent,
                    significand: value))
        }
        switch attribute.type {
        case .bool: return .bool(generator.chance(0.5))
        case .int16: return .int(Int64(Int16.random(in: .min ... .max, using: &generator)))
        case .int32: return .int(Int64(Int32.random(in: 0 ... .max, using: &generator)))
        case .int64: return .int(.random(in: .min ... .max, using: &generator))
        case .float:
            let bits = UInt32.random(in: 0 ... .max, using: &generator)
            return .double(Double(Self.finite(Float(bitPattern: bits))))
        case .double:
            let bits = UInt64.random(in: 0 ... .max, using: &generator)
            return .double(generator.chance(0.1) ? .infinity : finite(Double(bitPattern: bits)))
        case .decimal: return digits(15, places: 0...2)
        case .anyDecimal: return digits(38, places: 0...60)
        case .date:
            return .date(
                Date(
                    timeIntervalSinceReferenceDate: .random(in: -1e11...1e11, using: &generator)))
        case .uuid: return .uuid(UUID())
        case .uri: return .uri(URL(filePath: "/x/\(Int.random(in: 0..<99, using: &generator))?a=b"))
        case .data: return .data(data())
        case .enumeration("Size"): return .int(generator.chance(0.5) ? 1 : 20)
        case .enumeration: return .string(generator.chance(0.5) ? "red" : "GREEN")
        case .codable:
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            let list = (0..<2).map { _ in text(&generator) }
            return .string(
                (try? encoder.encode(list)).map { String(decoding: $0, as: UTF8.self) } ?? "[]")
        case .string: return .string(text(&generator))
        }
    }

    private static func finite<Number: BinaryFloatingPoint>(_ number: Number) -> Number {
        number.isFinite ? number : 0
    }
}
