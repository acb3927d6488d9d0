import Cambium
import Testing

/// A model with what histories treat in ways of their own: preserved and external attributes,
/// unique values, a hierarchy, derived values.
package enum Chronicle {
    package static let model = CompiledModel(plain)

    package static let plain = Model(
        name: "Chronicle", version: "1",
        entities: [
            Entity(
                name: "Book",
                attributes: [
                    Attribute(name: "title", type: .string, isPreservedAfterDeletion: true),
                    Attribute(
                        name: "isbn", type: .string, isOptional: true,
                        isPreservedAfterDeletion: true),
                    Attribute(name: "pages", type: .int64, defaultValue: .constant(.int(0))),
                    Attribute(
                        name: "cover", type: .data, isOptional: true, isExternal: true,
                        isPreservedAfterDeletion: true),
                    Attribute(
                        name: "titleLength", type: .int64,
                        derivation: .function(.length, [.keyPath(root: .subject, names: ["title"])])
                    ),
                ],
                relationships: [
                    Relationship(
                        name: "author", destination: "Person", inverse: "books", isOptional: true)
                ], uniqueConstraints: [UniqueConstraint(properties: ["isbn"])]),
            Entity(name: "Novel", parent: "Book"),
            Entity(
                name: "Person",
                attributes: [
                    Attribute(name: "name", type: .string, defaultValue: .constant(.string(""))),
                    Attribute(
                        name: "bookCount", type: .int64,
                        derivation: .aggregate(
                            .count, .keyPath(root: .subject, names: ["books"]))),
                ],
                relationships: [
                    Relationship(
                        name: "books", destination: "Book", inverse: "author", isToMany: true)
                ]),
        ])
}

extension PersistentContainer {
    /// The transactions after a token.
    package func history(after token: HistoryToken? = nil) throws -> [HistoryTransaction] {
        try coordinator.fetchHistory(HistoryRequest(after: token)).transactions
    }

    package var historyToken: HistoryToken {
        get throws { try coordinator.currentHistoryToken() }
    }
}

extension ManagedObjectContext {
    /// A book that is not saved yet.
    @discardableResult
    package func addBook(
        _ title: String, isbn: String? = nil, entity: String = "Book"
    ) throws -> ManagedObject {
        let book = try insertObject(ofEntity: entity)
        try book.setValue(.string(title), forKey: "title")
        if let isbn { try book.setValue(.string(isbn), forKey: "isbn") }
        return book
    }

    /// The book of a title.
    package func book(_ title: String) throws -> ManagedObject {
        let books = try fetch(FetchRequest<ManagedObject>(entityName: "Book"))
        return try #require(books.first { try $0.value(forKey: "title") == .string(title) })
    }
}

extension [HistoryTransaction] {
    /// The changes as words, a list for each transaction.
    package var words: [[String]] {
        map { $0.changes.map { "\($0.kind) \($0.objectID.entityName)\($0.names)" }.sorted() }
    }
}

extension HistoryChange {
    fileprivate var names: String {
        updatedProperties.isEmpty ? "" : " " + updatedProperties.sorted().joined(separator: " ")
    }
}
