import CambiumModel
import Testing

@testable import CambiumSQLiteStore

/// How a batch deletion finds what objects lead to.
struct RelatedSQLTests {
    private let model = Model(
        name: "M", version: "1",
        entities: [
            Entity(
                name: "Owner", attributes: [Attribute(name: "age", type: .int64)],
                relationships: [
                    Relationship(
                        name: "items", destination: "Item", inverse: "owner", isToMany: true),
                    Relationship(name: "friends", destination: "Owner", isToMany: true),
                ]),
            Entity(name: "Company", parent: "Owner"),
            Entity(
                name: "Item", attributes: [Attribute(name: "price", type: .int64)],
                relationships: [
                    Relationship(name: "owner", destination: "Owner", inverse: "items")
                ]),
        ])

    private func entity(_ name: String) throws -> Entity {
        try #require(model.entity(named: name))
    }

    @Test func `the far end of each kind of link`() throws {
        let (owner, item) = (try entity("Owner"), try entity("Item"))
        func rowKeys(_ name: String, of source: Entity, to destination: Entity) throws -> String? {
            let relationship = try #require(model.relationship(name, of: source))
            return RelatedSQL.rowKeys(
                of: model.storage(of: relationship, of: source), from: source, to: destination,
                in: model)
        }
        #expect(
            try rowKeys("items", of: owner, to: item) == #"""
                SELECT p.key, t."_id", t."_version" FROM pending AS p \#
                CROSS JOIN "Item" AS t ON t."owner" = p.key
                """#)
        #expect(
            try rowKeys("owner", of: item, to: owner) == #"""
                SELECT p.key, t."_id", t."_version", t."_entity" FROM pending AS p \#
                CROSS JOIN "Item" AS s ON s."_id" = p.key \#
                CROSS JOIN "Owner" AS t ON t."_id" = s."owner"
                """#)
        #expect(
            try rowKeys("friends", of: owner, to: owner) == #"""
                SELECT p.key, t."_id", t."_version", t."_entity" FROM pending AS p \#
                CROSS JOIN "Owner_friends" AS j ON j."_source" = p.key \#
                CROSS JOIN "Owner" AS t ON t."_id" = j."_destination"
                """#)
        #expect(RelatedSQL.rowKeys(of: .transient, from: owner, to: item, in: model) == nil)
    }
}
