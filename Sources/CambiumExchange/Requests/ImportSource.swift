/// An input of an import: where it comes from, which entity its rows are of, and what its fields
/// are called.
///
/// | a property | in JSON | in CSV |
/// |---|---|---|
/// | attribute | a member of its name | a column of its name |
/// | part of a composite value | a nested object | a column `address.street` |
/// | to-one relationship | the key, or an object of the key's properties | the key; `category.name` |
/// | to-many relationship | an array of keys | a list of keys |
///
/// Whole numbers, decimals and floating-point numbers are numbers (decimals may be texts, which
/// keep more digits), dates ISO 8601, data Base64, enumerations their raw values, and codable
/// values JSON.
///
/// A field that is left out keeps the model's default in a new object, and its value in one that is
/// updated. A JSON `null` is nil. An empty CSV field is nil for an optional attribute, where
/// quotes (`""`) mean an empty text; for a required one it counts as left out.
public struct ImportSource: Sendable {
    /// The name of the entity. Rows are of this very entity, unless ``entityField`` says which
    /// sub-entity a row is of.
    public let entityName: String
    /// Where the bytes come from.
    public let input: ImportInput
    /// What they mean.
    public let format: ExchangeFormat
    /// What the file calls properties, where that is not their names: the file's name by the
    /// property's. `["sku": "Article number", "address": "addr"]`; what is within a composite value
    /// or belongs to a key follows (`addr.street`), unless it is named itself (`address.street`).
    public var fieldNames: [String: String] = [:]
    /// The names of the columns, for a CSV file whose first line is a row already. Nil: the first
    /// line has them.
    public var columns: [String]?
    /// The field that says which entity each row is of: the source's own, or a sub-entity. Default:
    /// nil, all rows are of the source's entity.
    ///
    /// ```swift
    /// var source = ImportSource(Party.self, from: .file("parties.csv"), as: .csv())
    /// source.entityField = "type"
    /// ```
    ///
    /// The source's entity may be abstract. A row has the fields of its own entity; other fields of
    /// it are ignored. A row without a word, or whose word means no entity that has objects, is an
    /// error of the row. So is a row that would update an object of another entity: the entity of
    /// an object never changes.
    public var entityField: ExchangeEntityField?
    /// By which unique constraints relationships name their destinations, if these have several:
    /// the properties of the constraint, by the relationship's name. Default: the first constraint
    /// that has attributes only, or else the first one that has a relationship.
    ///
    /// A relationship in a constraint is named by a constraint of its own destination.
    public var relationshipKeys: [String: [String]] = [:]
    /// How dates are written. Default: ISO 8601.
    public var dateFormat = ExchangeDateFormat.iso8601

    /// Rows of the entity of a class.
    ///
    /// - Parameters:
    ///   - type: The class.
    ///   - input: Where the bytes come from.
    ///   - format: What they mean.
    public init<Entity: ManagedObject>(
        _ type: Entity.Type, from input: ImportInput, as format: ExchangeFormat
    ) {
        self.init(entityName: Entity.entityName, from: input, as: format)
    }

    /// Rows of an entity by its name, for classes that serve several.
    ///
    /// - Parameters:
    ///   - entityName: The name of the entity.
    ///   - input: Where the bytes come from.
    ///   - format: What they mean.
    public init(entityName: String, from input: ImportInput, as format: ExchangeFormat) {
        self.entityName = entityName
        self.input = input
        self.format = format
    }
}
