@_spi(Generated) import Cambium
import CambiumSQL

/// Two parts that stores of their own may hold: what a library has, and who is in it.
package enum Library {
    package static let model = CompiledModel(
        model: value,
        classes: [
            "Author": Author.self, "Book": Book.self, "Visitor": Visitor.self, "Visit": Visit.self,
        ], schema: Schema(of: value).statements, migrations: [])

    package static let value = Model(
        name: "Library", version: "1",
        entities: [
            Entity(
                name: "Author", attributes: [text("name")],
                relationships: [
                    Relationship(
                        name: "books", destination: "Book", inverse: "author", isToMany: true)
                ]),
            Entity(
                name: "Book", attributes: [text("title")],
                relationships: [
                    Relationship(name: "author", destination: "Author", inverse: "books")
                ], uniqueConstraints: [UniqueConstraint(properties: ["title"])]),
            Entity(
                name: "Visitor", attributes: [text("name")],
                relationships: [
                    Relationship(
                        name: "visits", destination: "Visit", inverse: "visitor", isToMany: true)
                ]),
            Entity(
                name: "Visit", attributes: [text("page")],
                relationships: [
                    Relationship(name: "visitor", destination: "Visitor", inverse: "visits")
                ], uniqueConstraints: [UniqueConstraint(properties: ["page"])]),
        ],
        configurations: [
            Configuration(name: "Catalogue", entities: ["Author", "Book"]),
            Configuration(name: "Visits", entities: ["Visitor", "Visit"]),
            Configuration(name: "Torn", entities: ["Author"]),
        ])

    private static func text(_ name: String) -> Attribute {
        Attribute(name: name, type: .string, defaultValue: .constant(.string("")))
    }
}

package final class Author: ManagedObject, EntityKeys {
    package override class var entityName: String { "Author" }

    package convenience init(in context: ManagedObjectContext, name: String = "") {
        self.init(insertingInto: context)
        self.name = name
    }

    package var name: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    package var books: ToMany<Book> { toMany(0) }
}

package final class Book: ManagedObject, EntityKeys {
    package override class var entityName: String { "Book" }

    package convenience init(
        in context: ManagedObjectContext, title: String = "", author: Author? = nil
    ) {
        self.init(insertingInto: context)
        self.title = title
        self.author = author
    }

    package var title: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    package var author: Author? {
        get { toOne(0) }
        set { setToOne(0, newValue) }
    }
}

package final class Visitor: ManagedObject, EntityKeys {
    package override class var entityName: String { "Visitor" }

    package convenience init(in context: ManagedObjectContext, name: String = "") {
        self.init(insertingInto: context)
        self.name = name
    }

    package var name: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    package var visits: ToMany<Visit> { toMany(0) }
}

package final class Visit: ManagedObject, EntityKeys {
    package override class var entityName: String { "Visit" }

    package convenience init(
        in context: ManagedObjectContext, page: String = "", visitor: Visitor? = nil
    ) {
        self.init(insertingInto: context)
        self.page = page
        self.visitor = visitor
    }

    package var page: String {
        get { value(at: 0) }
        set { setValue(newValue, at: 0) }
    }
    package var visitor: Visitor? {
        get { toOne(0) }
        set { setToOne(0, newValue) }
    }
}
