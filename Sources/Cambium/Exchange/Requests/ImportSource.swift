/// An input of an import: where it comes from, which entity its rows are of, and what its fields
/// are called.
///
/// | a property | in JSON | in CSV |
/// |---|---|---|
/// | attribute | a member of its name | a column of its name |
/// | part of a composite value | a nested object | a column `address.street` |
/// | to-one relationship | the key, or an object of the key's attributes | the key; `category.name` |
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
    /// The name of the entity. Rows are of this very entity, not of a sub-entity: a column that
    /// tells rows of several entities apart is not read. Split such a file into a source for each.
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
    /// By which attributes relationships name what they lead to, where the destination has several
    /// unique constraints: those of the one that is meant, by the relationship's name. Default: the
    /// first constraint that has attributes only.
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
