import CambiumModel

/// The triggers of the table of a root entity and its sub-entities.
final class ObjectHistory {
    private let table: Table
    private let root: Entity
    private let model: Model
    private let keepsValues: Bool
    private let owners: [KeyOwner]

    init(_ table: Table, _ root: Entity, _ model: Model, keepsValues: Bool) {
        self.table = table
        self.root = root
        self.model = model
        self.keepsValues = keepsValues
        owners = table.columns.compactMap { KeyOwner(of: $0, in: table, model) }
    }

    var triggers: [StoreTrigger] {
        let name = SQLText.identifier(table.name)
        return [
            HistoryWriting.trigger(
                "INSERT ON \(name)", named: "insert", on: table.name,
                [HistoryWriting.change(.insert, entity: entity(.new), key: key(.new))]
                    + recordedColumns.filter { _ in keepsValues }.map { value(of: $0, .new) }
                    + owners.map { $0.touch(.new) }),
            HistoryWriting.trigger(
                "UPDATE OF \(settableColumns) ON \(name)", named: "update", on: table.name,
                [
                    HistoryWriting.change(
                        .update, entity: entity(.new), key: key(.new), properties: changedNames)
                ] + recordedColumns.filter { _ in keepsValues }.map(difference)
                    + owners.flatMap { [$0.touchIfChanged(.old), $0.touchIfChanged(.new)] }),
            HistoryWriting.trigger(
                "DELETE ON \(name)", named: "delete", on: table.name,
                [HistoryWriting.change(.delete, entity: entity(.old), key: key(.old))]
                    + recordedColumns.filter { keepsValues || isPreserved($0) }
                    .map { value(of: $0, .old) } + owners.map { $0.touch(.old) }),
        ] + owners.compactMap(\.placeTrigger)
    }

    private func entity(_ version: RowVersion) -> String {
        model.hasSubentities(root)
            ? version.column(SystemColumn.entity) : SQLText.literal(root.name)
    }

    private func key(_ version: RowVersion) -> String { version.column(SystemColumn.key) }

    /// All that a statement may set; a place in a list is the owner's.
    private var settableColumns: String {
        table.columns.filter { column in
            if case .position = column.content { return false }
            return !column.isGenerated && column.name != SystemColumn.key
        }.map { SQLText.identifier($0.name) }.joined(separator: ", ")
    }

    // MARK: Names

    /// The names of the properties that differ.
    private var changedNames: String {
        var names: [String] = []
        var columns: [String: [String]] = [:]
        for column in table.columns {
            guard let name = column.content.property else { continue }
            if columns[name] == nil { names.append(name) }
            columns[name, default: []].append(column.name)
        }
        let terms = names.map { name in
            let differs = (columns[name] ?? []).map(Self.differs).joined(separator: " OR ")
            return "CASE WHEN \(differs) THEN \(HistoryWriting.property(name)) ELSE '' END"
        }
        return Self.concatenation(of: terms[...])
    }

    /// As a tree: SQLite has a limit to the depth of expressions, and a row may have a thousand
    /// properties.
    private static func concatenation(of terms: ArraySlice<String>) -> String {
        guard terms.count > 4 else {
            return terms.isEmpty ? "''" : terms.joined(separator: " || ")
        }
        let middle = terms.startIndex + terms.count / 2
        return
            "(\(concatenation(of: terms[..<middle]))) || (\(concatenation(of: terms[middle...])))"
    }

    static func differs(_ column: String) -> String {
        "\(RowVersion.old.column(column)) IS NOT \(RowVersion.new.column(column))"
    }

    // MARK: Values

    /// The columns whose values are kept: not what may lie in files, and no places.
    private var recordedColumns: [Table.Column] {
        table.columns.filter { column in
            switch column.content {
            case .attribute: attribute(column).map { !$0.usesExternalForm } ?? false
            case .key, .entityOfKey: true
            case .system, .entity, .position: false
            }
        }
    }

    private func attribute(_ column: Table.Column) -> Attribute? {
        guard case .attribute(let entity, let name) = column.content else { return nil }
        return model.entity(named: entity)?.attributes.first { $0.name == name }
    }

    private func isPreserved(_ column: Table.Column) -> Bool {
        attribute(column)?.isPreservedAfterDeletion ?? false
    }

    /// A value of a new or deleted row.
    private func value(of column: Table.Column, _ version: RowVersion) -> String {
        let value = version.column(column.name)
        return HistoryWriting.value(
            of: column.name, old: version == .old ? value : "NULL",
            new: version == .new ? value : "NULL", where: "\(value) IS NOT NULL")
    }

    /// A value of a changed row, where it differs. The entity of a key belongs to the key.
    private func difference(_ column: Table.Column) -> String {
        var condition = Self.differs(column.name)
        if case .entityOfKey(let entity, let relationship) = column.content {
            let key = table.columns.first {
                $0.content == .key(entity: entity, relationship: relationship)
            }
            if let key { condition += " OR \(Self.differs(key.name))" }
        }
        return HistoryWriting.value(
            of: column.name, old: RowVersion.old.column(column.name),
            new: RowVersion.new.column(column.name), where: condition)
    }
}

/// The object that a key references, which has the inverse relationship: a change of the key
/// changes that one, too.
struct KeyOwner {
    private let table: String
    private let key: String
    /// The column of the owner's entity, where it has one.
    private let entityColumn: String?
    /// The column of the place in the owner's list, where that is ordered.
    private let positionColumn: String?
    /// The entity that the key references.
    private let destination: String
    /// The name of the inverse relationship.
    private let inverse: String

    /// - Returns: Nil where the column is no key, or has no inverse.
    init?(of column: Table.Column, in table: Table, _ model: Model) {
        guard case .key(let entityName, let name) = column.content,
            let entity = model.entity(named: entityName),
            let relationship = entity.relationships.first(where: { $0.name == name }),
            let inverse = model.inverse(of: relationship), !inverse.relationship.isTransient
        else { return nil }
        self.table = table.name
        key = column.name
        entityColumn =
            table.columns.first {
                $0.content == .entityOfKey(entity: entityName, relationship: name)
            }?.name
        let position = model.inversePositionColumn(of: relationship, of: entity)
        positionColumn = table.columns.first { $0.name == position }?.name
        destination = relationship.destination
        self.inverse = inverse.relationship.name
    }

    /// Writes the owner that a row references.
    func touch(_ version: RowVersion) -> String {
        touch(version, where: "\(version.column(key)) IS NOT NULL")
    }

    /// Writes the owner that a row referenced or references, where these are two.
    func touchIfChanged(_ version: RowVersion) -> String {
        touch(
            version,
            where: "\(version.column(key)) IS NOT NULL AND \(ObjectHistory.differs(key))")
    }

    /// Writes the owner of a list in which a row got another place.
    var placeTrigger: StoreTrigger? {
        positionColumn.map { position in
            HistoryWriting.trigger(
                "UPDATE OF \(SQLText.identifier(position)) ON \(SQLText.identifier(table))",
                named: "place.\(position)", on: table,
                [
                    touch(
                        .new,
                        where: """
                            \(RowVersion.new.column(key)) IS NOT NULL \
                            AND \(ObjectHistory.differs(position))
                            """)
                ])
        }
    }

    private func touch(_ version: RowVersion, where condition: String) -> String {
        let literal = SQLText.literal(destination)
        return HistoryWriting.change(
            .update,
            entity: entityColumn.map { "coalesce(\(version.column($0)), \(literal))" } ?? literal,
            key: version.column(key), properties: HistoryWriting.property(inverse),
            where: condition)
    }
}
