import CambiumModel
import CambiumSQL

/// Where a store that Core Data wrote keeps what a version of a model speaks of, and in what the
/// two differ.
struct CoreDataLayout: Sendable {
    /// The version.
    let model: Model
    /// The tables of objects, one for each root entity that the store has.
    let objects: [ObjectSource]
    /// The links that are kept as pairs.
    let links: [LinkSource]
    /// What the store has and the version has not, and the other way round.
    let differences: [String]
    /// What the store has under the name that the version before this one has for it.
    let formerNames: [String]
    /// What was decided about the store, in sentences, and is no difference.
    let remarks: [String]
    /// Columns that nothing in the version is kept in, as table and column.
    let unusedColumns: [(table: String, column: String)]
    /// Tables that nothing in the version is kept in.
    let unusedTables: [String]

    /// A column of bytes.
    struct DataColumn: Sendable, Hashable {
        let table: String
        let column: String

        /// How many values there are, and how many begin as those do that may lie in files.
        var formCounts: String {
            let name = SQLText.identifier(column)
            let tags = [ExternalForm.inline, ExternalForm.file]
                .map { SQLText.literal(.blob(Data([$0]))) }.joined(separator: ", ")
            return
                "SELECT count(\(name)), coalesce(sum(substr(\(name), 1, 1) IN (\(tags))), 0) FROM "
                + "\(SQLText.identifier(table)) NOT INDEXED"
        }
    }

    /// The columns of bytes, and whether the version's may lie in files.
    var dataColumns: [DataColumn: Bool] {
        var columns: [DataColumn: Bool] = [:]
        for object in objects {
            for source in object.attributes where source.attribute.type == .data {
                guard let column = source.column else { continue }
                columns[DataColumn(table: object.table, column: column)] =
                    source.attribute.usesExternalForm
            }
        }
        return columns
    }

    /// Why the version cannot have written the store; nothing where it can.
    var mismatches: [String] { (differences + formerNames).sorted() }

    /// The table of a root entity and its sub-entities.
    struct ObjectSource: Sendable {
        /// The root entity.
        let root: Entity
        /// The name of the table.
        let table: String
        /// The entities whose objects there can be, with the numbers of their rows.
        let entities: [(entity: Entity, number: Int64)]
        /// The numbers of the store's other entities, where the table is that of one entity: a row
        /// with none of them is of that entity, whatever version its number is from. nil where several
        /// entities share the table.
        let otherNumbers: [Int64]?
        /// The last key that was given.
        let lastKey: Int64
        let attributes: [AttributeSource]
        /// The to-one relationships, those included that our store keeps at the other side.
        let keys: [KeySource]
    }

    struct AttributeSource: Sendable {
        let entity: Entity
        let attribute: Attribute
        let column: String?
    }

    /// A to-one relationship.
    struct KeySource: Sendable {
        /// The entity that declares it.
        let entity: Entity
        /// The relationship.
        let relationship: Relationship
        /// The column of keys; nil where the store has none.
        let column: String?
        let entityColumn: String?
        let positionColumn: String?
    }

    /// Links that our store keeps as pairs.
    struct LinkSource: Sendable {
        /// The entity that declares the relationship of the first side.
        let entity: Entity
        /// The relationship of the first side.
        let relationship: Relationship
        /// The table of the pairs, or that of the members, where each has one owner.
        let table: String
        let ownerColumn: String
        let memberColumn: String
        let positions: [(target: String, source: String)]
        /// Whether a pair stands for two, one in each direction.
        let isSymmetric: Bool

        static let key = "Z_PK"
        /// Whether the table is that of the members, each of which may have an owner.
        var isOfMembers: Bool { memberColumn == Self.key }
    }
}
