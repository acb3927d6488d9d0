@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumSQL
import Foundation

/// A custom step that reads and writes values of every type, objects of two entities in one table,
/// and lists.
enum WideStepSample {
    enum V1: MigrationVersion {
        static var versionName: String { "1" }

        struct ThingRow: MigrationRow {
            typealias Version = V1
            static let layout = RowLayout(
                entity: "Thing", root: "Thing", family: ["Thing", "Sub"], columns: values.names)
            var storage: RowStorage
            static var tags: MigrationLink<ThingRow, TagRow> { .init("tags", WideStepSample.first) }
        }

        struct TagRow: MigrationRow {
            typealias Version = V1
            static let layout = RowLayout(entity: "Tag", root: "Tag", columns: ["label"])
            var storage: RowStorage
        }

        struct PartRow: MigrationRow {
            typealias Version = V1
            static let layout = RowLayout(
                entity: "Part", root: "Part", columns: ["owner", "owner_position"])
            var storage: RowStorage
            var owner: RowID<ThingRow>? { storage.optionalLink(0) }
        }
    }

    enum V2: MigrationVersion {
        static var versionName: String { "2" }

        struct ThingRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(
                entity: "Thing", root: "Thing", family: ["Thing", "Sub"],
                columns: values.names + ["note"])
            var storage: RowStorage
            init(storage: RowStorage) { self.storage = storage }
            static var tags: MigrationLink<ThingRow, TagRow> {
                .init("tags", WideStepSample.second)
            }
            static var parts: MigrationLink<ThingRow, PartRow> {
                .init("parts", key: "owner", position: "owner_position")
            }
        }

        struct TagRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(entity: "Tag", root: "Tag", columns: ["label"])
            var storage: RowStorage
            init(storage: RowStorage) { self.storage = storage }
        }

        struct PartRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(
                entity: "Part", root: "Part", columns: ["owner", "owner_position"])
            var storage: RowStorage
            init(storage: RowStorage) { self.storage = storage }
        }
    }

    /// An attribute of each type.
    private static let values: [Attribute] = [
        Attribute(name: "flag", type: .bool), Attribute(name: "small", type: .int16),
        Attribute(name: "middle", type: .int32), Attribute(name: "large", type: .int64),
        Attribute(name: "single", type: .float), Attribute(name: "number", type: .double),
        Attribute(name: "price", type: .decimal(scale: 2)),
        Attribute(name: "amount", type: .anyDecimal), Attribute(name: "name", type: .string),
        Attribute(name: "moment", type: .date, isOptional: true),
        Attribute(name: "span", type: .duration), Attribute(name: "mark", type: .uuid),
        Attribute(name: "bytes", type: .data, isOptional: true),
        Attribute(name: "file", type: .data, isOptional: true, isExternal: true),
    ]

    private static func entities(_ more: [Attribute]) -> [Entity] {
        func list(_ name: String, of entity: String, _ inverse: String) -> Relationship {
            Relationship(
                name: name, destination: entity, inverse: inverse, isToMany: true, isOrdered: true)
        }
        return [
            Entity(
                name: "Thing", attributes: values + more,
                relationships: [
                    list("parts", of: "Part", "owner"), list("tags", of: "Tag", "things"),
                ]
            ),
            Entity(
                name: "Sub", parent: "Thing",
                attributes: [Attribute(name: "extra", type: .int32, isOptional: true)]),
            Entity(
                name: "Part",
                relationships: [
                    Relationship(name: "owner", destination: "Thing", inverse: "parts")
                ]),
            Entity(
                name: "Tag", attributes: [Attribute(name: "label", type: .string)],
                relationships: [list("things", of: "Thing", "tags")]),
        ]
    }

    static let first = Model(name: "Wide", version: "1", entities: entities([]))

    static let second = Model(
        name: "Wide", version: "2", entities: entities([Attribute(name: "note", type: .string)]),
        migration: MigrationDeclaration(
            from: "1", steps: [.init(name: "turn", entities: ["Thing", "Part", "Tag"])]))

    typealias Context = MigrationContext<V1, V2>

    static let step = CodeStep("turn", from: V1.self, to: V2.self, turn)

    @Sendable private static func turn(_ context: Context) throws {
        var tags: [RowID<V2.TagRow>] = []
        try context.forEach(V1.TagRow.self) { old in
            if let tag = try context.newID(of: old.rowID, as: V2.TagRow.self) { tags.append(tag) }
        }
        for number in 0..<2 {
            var row = V2.TagRow(storage: RowStorage(count: 1))
            row.storage.set(0, "new \(number) 🏷 it's \"?\"")
            tags.append(try context.insert(row))
        }
        var number = 0
        try context.forEach(V1.ThingRow.self) { old in
            number += 1
            guard let thing = try context.newID(of: old.rowID, as: V2.ThingRow.self) else { return }
            try context.update(thing) { new in turn(&new.storage, from: old.storage, number) }
            let linked = try context.related(V1.ThingRow.tags, to: old.rowID)
            for (place, tag) in linked.enumerated() {
                guard let tag = try context.newID(of: tag, as: V2.TagRow.self) else { continue }
                // Some get another position, one after the other.
                try place % 2 == 0
                    ? context.unlink(thing, V2.ThingRow.tags, from: tag)
                    : context.link(thing, V2.ThingRow.tags, to: tag, at: Int64(-place))
            }
            try context.link(thing, V2.ThingRow.tags, to: tags[number % tags.count], at: 1_000)
            try context.link(thing, V2.ThingRow.tags, to: tags[number % tags.count], at: nil)
            guard number % 3 == 0, var copy = try context.row(thing) else { return }
            copy.storage.set(values.count, "a copy of \(number)")
            let other = try context.insert(copy)
            try context.replace(old.rowID, with: other)
            try context.replace(old.rowID, with: other)
            if number % 2 == 0 { try context.delete(thing) }
        }
        var part = 0
        try context.forEach(V1.PartRow.self) { old in
            part += 1
            guard part % 2 == 0, let id = old.rowID, let owner = old.owner else { return }
            let new = RowID<V2.PartRow>(key: id.key)
            guard let thing = try context.newID(of: owner, as: V2.ThingRow.self) else { return }
            if part % 4 == 0 {
                try context.unlink(thing, V2.ThingRow.parts, from: new)
            } else {
                try context.link(thing, V2.ThingRow.parts, to: new, at: Int64(part))
            }
        }
    }

    private static func turn(_ new: inout RowStorage, from old: RowStorage, _ number: Int) {
        func place(_ name: String) -> Int { values.firstIndex { $0.name == name } ?? 0 }
        new.set(place("flag"), !old.get(place("flag"), Bool.self))
        new.set(place("small"), ~old.get(place("small"), Int16.self))
        new.set(place("middle"), ~old.get(place("middle"), Int32.self))
        new.set(place("large"), ~old.get(place("large"), Int64.self))
        new.set(place("single"), -old.get(place("single"), Float.self))
        new.set(place("number"), old.get(place("number"), Double.self) / 3)
        let price = old.decimal(place("price"), scale: 2)
        new.setDecimal(place("price"), abs(price) < 1_000_000 ? 1 - price : price, scale: 2)
        new.set(place("amount"), old.get(place("amount"), Decimal.self) * -1)
        new.set(place("name"), old.get(place("name"), String.self) + "'é\"?$1")
        new.set(
            place("moment"),
            number % 5 == 0
                ? nil : Date(timeIntervalSinceReferenceDate: Double(number) * 1_234.5))
        new.set(place("span"), Duration.nanoseconds(Int64(number) * 7))
        var bytes = old.get(place("mark"), UUID.self).uuid
        (bytes.0, bytes.15) = (bytes.15, bytes.0)
        new.set(place("mark"), UUID(uuid: bytes))
        new.set(place("bytes"), old.optional(place("bytes"), Data.self).map { Data($0.reversed()) })
        new.setExternal(place("file"), old.external(place("file")).map { [0xff] + $0 })
        new.set(values.count, "note \(number)")
    }
}

extension Array<Attribute> {
    fileprivate var names: [String] { map(\.name) }
}

extension MigrationLink {
    /// The links from the destinations of a table of pairs to their sources. The model has one such
    /// table.
    fileprivate init(_ name: String, _ model: Model) {
        let table = Schema(of: model).tables.first {
            if case .links = $0.content { true } else { false }
        }
        self.init(
            name, table: table?.name ?? "", source: "_destination", destination: "_source",
            position: "_destination_position")
    }
}
