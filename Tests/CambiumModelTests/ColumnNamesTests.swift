@testable import CambiumModel
import Testing

/// Each property has a column of its own, whatever the others of its table are called.
struct ColumnNamesTests {
    private func text(_ name: String, isTransient: Bool = false) -> Attribute {
        Attribute(name: name, type: .string, isOptional: true, isTransient: isTransient)
    }

    private func model(_ entities: Entity...) -> Model {
        Model(name: "Shop", version: "1", entities: entities)
    }

    private func columns(_ model: Model) -> [String] {
        model.entities.flatMap { entity in
            entity.attributes.map { model.column(of: $0.name, in: entity) }
        }
    }

    @Test func `a column has the name of its property`() {
        let shop = model(
            Entity(name: "A", attributes: [text("title"), text("address.street")]),
            Entity(name: "B", attributes: [text("title")]))
        #expect(columns(shop) == ["title", "address_street", "title"])
    }

    @Test func `what siblings call the same has the entity before it`() {
        let shop = model(
            Entity(name: "A"), Entity(name: "B", parent: "A", attributes: [text("x"), text("y")]),
            Entity(name: "C", parent: "A", attributes: [text("x")]))
        #expect(columns(shop) == ["B_x", "y", "C_x"])
    }

    @Test func `names that differ in case only are the same to SQLite`() {
        let siblings = model(
            Entity(name: "A"), Entity(name: "B", parent: "A", attributes: [text("senderUid")]),
            Entity(name: "C", parent: "A", attributes: [text("senderUID")]))
        #expect(columns(siblings) == ["B_senderUid", "C_senderUID"])
        let own = model(Entity(name: "A", attributes: [text("url"), text("URL"), text("Url")]))
        #expect(columns(own) == ["A_url", "A_URL_2", "A_Url_3"])
    }

    @Test func `what is not stored takes no column`() {
        let shop = model(
            Entity(name: "A", attributes: [text("url"), text("URL", isTransient: true)]))
        #expect(columns(shop) == ["url", "URL"])
    }

    @Test func `an attribute gives way to a column beside a key`() {
        let shop = model(
            Entity(
                name: "Song", attributes: [text("list_entity"), text("list_position")],
                relationships: [
                    Relationship(name: "list", destination: "List", inverse: "songs")
                ]),
            Entity(
                name: "List",
                relationships: [
                    Relationship(
                        name: "songs", destination: "Song", inverse: "list", isToMany: true,
                        isOrdered: true)
                ]), Entity(name: "Album", parent: "List"))
        #expect(columns(shop) == ["Song_list_entity", "Song_list_position"])
        let song = shop.entities[0]
        #expect(
            shop.storage(of: song.relationships[0], of: song)
                == .key(column: "list", entityColumn: "list_entity"))
    }

    @Test func `a name that another column got is not given twice`() {
        let shop = model(
            Entity(name: "A", attributes: [text("B_x"), text("address.x"), text("address_x")]),
            Entity(name: "B", parent: "A", attributes: [text("x")]),
            Entity(name: "C", parent: "A", attributes: [text("x")]))
        #expect(columns(shop) == ["B_x", "A_address_x", "A_address_x_2", "B_x_2", "C_x"])
    }

    @Test func `names with an underscore before them are the store's`() {
        let shop = model(Entity(name: "A", attributes: [text("_id"), text("_rev")]))
        #expect(columns(shop) == ["A__id", "A__rev"])
    }

    @Test func `a table of links has no name that an entity has`() {
        let many = Relationship(name: "bs", destination: "B", isToMany: true)
        let shop = model(
            Entity(name: "A", relationships: [many]), Entity(name: "B"), Entity(name: "A_BS"))
        let storage = shop.storage(of: many, of: shop.entities[0])
        #expect(
            storage
                == .joinTable(
                    name: "A_bs_2", sourceColumn: "_source", destinationColumn: "_destination"))
    }

    @Test func `tables of links have names of their own`() {
        let shop = model(
            Entity(
                name: "A_b",
                relationships: [Relationship(name: "c", destination: "B", isToMany: true)]),
            Entity(
                name: "A",
                relationships: [Relationship(name: "b_c", destination: "B", isToMany: true)]),
            Entity(name: "B"))
        let names = shop.entities.prefix(2).map { entity in
            if case .joinTable(let name, _, _) = shop.storage(
                of: entity.relationships[0], of: entity)
            {
                name
            } else {
                ""
            }
        }
        #expect(names == ["A_b_c", "A_b_c_2"])
    }
}
