import CambiumSQL

/// Where the rows of an entity are. Made by generated code.
@_spi(Generated)
public struct RowLayout: Sendable {
    /// The entity.
    public let entity: String
    /// Its root entity, whose table has the rows.
    public let root: String
    /// The entity and those that inherit from it; empty where the table has objects of one only.
    public let family: [String]
    /// The columns of a row's values, in their order.
    public let columns: [String]

    /// Describes the rows of an entity.
    public init(entity: String, root: String, family: [String] = [], columns: [String]) {
        self.entity = entity
        self.root = root
        self.family = family
        self.columns = columns
    }

    func sql(in table: String) -> StepRowSQL {
        StepRowSQL(
            table: table, columns: columns, entity: family.isEmpty ? nil : entity, family: family)
    }
}
