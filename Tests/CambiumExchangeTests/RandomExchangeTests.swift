import CambiumExchange
import Foundation
import Testing

/// What is exported and imported into another store is there as it was.
struct RandomExchangeTests {
    private static let formats: [ExchangeFormat] = [
        .json, .jsonLines, .csv(), .csv(separator: ";"), .csv(separator: "\t"),
    ]
    private static let entities = ["Category", "City", "Tag", "Article", "Mark"]

    @Test func `export, then import, gives the same rows`() throws {
        try forEachSeed(for: 1) { seed in
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
            // A mark after the number, or 1 and "0a" would be 10 and "a".
            (0..<count).map { "\($0)." + RandomValue.text(&generator) }
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
                    RandomValue.value(of: attribute, in: Exchange.value, &generator),
                    forKey: attribute.name)
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
                let mark = try context.make("Mark", ["text": "m" + RandomValue.text(&generator)])
                mark[one: "article"] = article
            }
        }
        try context.save()
    }
}
