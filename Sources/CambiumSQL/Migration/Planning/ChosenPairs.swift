import CambiumModel
import CambiumPlan

/// The links of a one-to-one of which not all that the old store or the author would make can be
/// there: the objects choose in the order of their keys, each the first that is still free, and both
/// have the link. No query of a single row knows what others have chosen, so the links are chosen in
/// a table of their own before the others are filled.
final class ChosenPairs {
    private let entity: Entity
    private let relationship: Relationship
    private let links: CarriedLinks?
    private let given: [LinkSource]

    private var isSymmetric: Bool { relationship.isOwnInverse(in: entity) }

    /// The pairs of a relationship that an entity of the new version declares; nil where its links
    /// are as they were, or are found one by one.
    init?(of relationship: Relationship, of entity: Entity, in match: ModelMatch) {
        guard !relationship.isToMany, case .key = match.new.storage(of: relationship, of: entity),
            match.new.inverse(of: relationship)?.relationship.isToMany == false
        else { return nil }
        self.entity = entity
        self.relationship = relationship
        links = CarriedLinks(of: relationship, of: entity, in: match)
        given =
            match.link(of: relationship.name, in: entity.name)
            .flatMap { LinkSource.all(of: $0, in: match) } ?? []
        guard !given.isEmpty || isSymmetric && links?.keeps.source != nil else { return nil }
    }

    /// All that there are of a new version.
    static func all(in match: ModelMatch) -> [ChosenPairs] {
        match.new.entities.flatMap { entity in
            entity.relationships.compactMap { ChosenPairs(of: $0, of: entity, in: match) }
        }
    }

    /// The relationship, for people.
    var name: String { "\(entity.name).\(relationship.name)" }

    /// The statements that choose the links.
    var statements: [MigrationStatement] {
        var statements = [
            MigrationStatement.create(
                tableName,
                "(\"source\" INTEGER PRIMARY KEY, \"destination\" INTEGER NOT NULL UNIQUE) STRICT")
        ]
        if isSymmetric {
            // Who has been chosen has chosen, too.
            statements.append(
                MigrationStatement(
                    .other,
                    """
                    CREATE TRIGGER \(SQLText.identifier("\(tableName).back")) AFTER INSERT ON \
                    \(table)\nBEGIN INSERT OR IGNORE INTO \(table) ("source", \
                    "destination") VALUES (new."destination", new."source"); END
                    """))
        }
        func insertion(_ query: String, of tables: Set<String>) -> MigrationStatement {
            MigrationStatement(
                .insertRows(tableName, from: tables.sorted()),
                "INSERT OR IGNORE INTO \(table) (\"source\", \"destination\")\n\(query)")
        }
        if let links {
            let query =
                isSymmetric
                ? links.choice
                : "SELECT \"source\", \"destination\" FROM (\(links.query())) ORDER BY 1, 2"
            statements.append(insertion(query, of: links.tables))
        }
        return statements + given.map { insertion($0.pairs(besides: table), of: $0.tables) }
    }

    /// The statement that drops the table.
    var removal: MigrationStatement { .drop(tableName) }

    /// SQL for what the object that has a key is linked to.
    func destination(of key: String) -> String {
        "(SELECT \"destination\" FROM \(table) WHERE \"source\" = \(key))"
    }

    /// The table of the links.
    var tableName: String { "_pairs.\(name)" }

    private var table: String { SQLText.identifier(tableName) }
}
