import CambiumModel

/// The triggers that write a store's history: whoever changes a row, and however, writes exactly
/// one change of it, in the same transaction.
///
/// - An object's row writes the object, with the names of the properties whose columns differ.
/// - A to-one that others lead back by writes the objects that it led to and leads to, with the
///   name of the inverse.
/// - A pair of a join table writes the objects at both ends; a place in a list writes the owner.
///
/// A save may touch an object several times; reading the history makes one change of it.
package struct HistoryTriggers: Sendable {
    /// The triggers, in the order of the tables.
    package let triggers: [StoreTrigger]

    /// - Parameter schema: The tables of the model's stores.
    package init(of schema: Schema, _ model: Model, _ content: HistorySettings.Content) {
        triggers = schema.tables.flatMap { table -> [StoreTrigger] in
            switch table.content {
            case .objects(let root):
                guard let root = model.entity(named: root) else { return [] }
                return ObjectHistory(table, root, model, keepsValues: content == .values).triggers
            case .links(let entity, let relationship):
                return LinkHistory(table, entity, relationship, model)?.triggers ?? []
            case .system:
                return []
            }
        }
    }
}

/// Which version of a row a trigger looks at.
enum RowVersion: String {
    case old = "OLD"
    case new = "NEW"

    func column(_ name: String) -> String { "\(rawValue).\(SQLText.identifier(name))" }
}

/// The numbers that kinds of changes have in the history.
enum HistoryKind: Int {
    case insert, update, delete
}

/// The statements inside of triggers.
enum HistoryWriting {
    /// Writes a change.
    ///
    /// - Parameters:
    ///   - entity: An expression of the name of the entity.
    ///   - key: An expression of the key.
    ///   - properties: An expression of the names of the changed properties, each after a space.
    ///   - condition: When; nil for always.
    static func change(
        _ kind: HistoryKind, entity: String, key: String, properties: String = "''",
        where condition: String? = nil
    ) -> String {
        "INSERT INTO \(HistorySQL.changes) (\"kind\", \"entity\", \"key\", \"properties\") "
            + "SELECT \(kind.rawValue), \(entity), \(key), \(properties)"
            + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// Writes a value of the change that was written last.
    static func value(
        of column: String, old: String, new: String, where condition: String
    ) -> String {
        "INSERT INTO \(HistorySQL.values) (\"change\", \"column\", \"old\", \"new\") "
            + "SELECT last_insert_rowid(), \(SQLText.literal(column)), \(old), \(new) "
            + "WHERE \(condition)"
    }

    /// The name of a property as a list has it.
    static func property(_ name: String) -> String { SQLText.literal(" " + name) }

    static func trigger(
        _ event: String, named name: String, on table: String, _ statements: [String]
    ) -> StoreTrigger {
        let fullName = "\(StoreTrigger.historyPrefix)\(table).\(name)"
        let body = statements.map { "    \($0);\n" }.joined()
        return StoreTrigger(
            name: fullName, table: table,
            createStatement: "CREATE TRIGGER \(SQLText.identifier(fullName)) AFTER \(event)\n"
                + "BEGIN\n\(body)END")
    }
}
