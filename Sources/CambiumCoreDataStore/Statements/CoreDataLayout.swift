import CambiumModel
import CambiumSQL

/// The mapping of a version of a model to the tables of a store that Core Data wrote, and the
/// differences between the two.
struct CoreDataLayout: Sendable {
    /// The version.
    let model: Model
    /// The tables of objects, one for each root entity that the store has.
    let objects: [ObjectSource]
    /// The links that are kept as pairs.
    let links: [LinkSource]
    /// The parts that only the store or only the version has.
    let differences: [String]
    /// The parts of the store that have their former names, from the version before.
    let formerNames: [String]
    /// Decisions about the store that are not differences, in sentences.
    let remarks: [String]
    /// Columns that nothing in the version is kept in, as table and column.
    let unusedColumns: [(table: String, column: String)]
    /// Tables that nothing in the version is kept in.
    let unusedTables: [String]

    /// A column of bytes.
    struct DataColumn: Sendable, Hashable {
        let table: String
        let column: String

        /// The number of values, and the number of values that begin like a reference to a file.
        var formCounts: String {
            let name = SQLText.identifier(column)
            let tags = [ExternalForm.inline, ExternalForm.file]
                .map { SQLText.literal(.blob(Data([$0]))) }.joined(separator: ", ")
            return
                "SELECT count(\(name)), coalesce(sum(substr(\(name), 1, 1) IN (\(tags))), 0) FROM "
                + "\(SQLText.identifier(table)) NOT INDEXED"
        }
    }

    /// The columns of bytes, and whether the version may store their values in files.
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

    /// The reasons that the version cannot have written the store; empty if it can.
    var mismatches: [String] { (differences + formerNames).sorted() }

    /// The table of a root entity and its sub-entities.
    struct ObjectSource: Sendable {
        /// The root entity.
        let root: Entity
        /// The name of the table.
        let table: String
        /// The entities of the objects that can be in the table, with the numbers of their rows.
        let entities: [(entity: Entity, number: Int64)]
        /// The numbers of the store's other entities, if the table is that of one entity. A row
        /// with none of these numbers is of that entity, even if its number is from another
        /// version. nil if several entities share the table.
        let otherNumbers: [Int64]?
        /// The last key that was given.
        let lastKey: Int64
        let attributes: [AttributeSource]
        /// The to-one relationships, including the ones that our store keeps at the other side.
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
        /// The column of keys; nil if the store has none.
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
        /// The table of the pairs; if each member has one owner, the table of the members.
        let table: String
        let ownerColumn: String
        let memberColumn: String
        let positions: [(target: String, source: String)]
        /// Whether a pair represents two links, one in each direction.
        let isSymmetric: Bool

        static let key = "Z_PK"
        /// Whether the table is that of the members. Each of them may have an owner.
        var isOfMembers: Bool { memberColumn == Self.key }
    }
}
