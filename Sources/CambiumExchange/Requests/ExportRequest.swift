/// Writes the objects of a fetch request as JSON, JSON Lines or CSV.
///
/// ```swift
/// let cheap = Product.fetchRequest().filter(Product.price < 20)
/// let export = ExportRequest(cheap, as: .jsonLines)
/// try context.execute(export, to: "cheap.jsonl")
/// ```
///
/// By default, an export writes everything that an ``ImportRequest`` reads, so an import restores
/// the same values and links:
///
/// - all attributes except derived and transient ones,
/// - to-one relationships with their key in the row of this object,
/// - many-to-many relationships on the side that owns the table,
/// - ordered relationships.
///
/// Relationships are written as the keys of their destinations.
///
/// Objects of sub-entities are written with the properties of the request's entity. To write the
/// entity of each object and all of its properties, set ``entityField``. An import with the same
/// field restores all of them.
///
/// - Complexity: Some hundred objects are in memory at a time, and the key of each. Each to-many
///   relationship with its links in a separate table is one query for each object.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(_:as:)``
///
/// ### Objects and properties
///
/// - ``objects``
/// - ``properties``
///
/// ### Format
///
/// - ``format``
/// - ``dateFormat``
/// - ``protectsFormulas``
///
/// ### Names and keys
///
/// - ``fieldNames``
/// - ``entityField``
/// - ``relationshipKeys``
public struct ExportRequest<Entity: ManagedObject>: Sendable {
    /// The objects to write, and their order. Unsaved changes of the context are included, unless
    /// the request excludes them.
    public var objects: FetchRequest<Entity>
    /// The file format.
    public var format: ExchangeFormat
    /// The properties to write; nil means all that an import reads back. Derived attributes, and
    /// relationships with their key on the other side, may be named too.
    public var properties: [String]?
    /// The file's names of properties; see ``ImportSource/fieldNames``.
    public var fieldNames: [String: String] = [:]
    /// The field that names the entity of each object; see ``ImportSource/entityField``. Default:
    /// nil, no field names it.
    ///
    /// If a field is set, each object is written with the properties of its own entity. In CSV
    /// there is a column for each property of any of the entities. It is empty for objects that do
    /// not have the property.
    ///
    /// ```swift
    /// var request = ExportRequest(Party.fetchRequest(), as: .csv())
    /// request.entityField = "type"
    /// try context.execute(request, to: "parties.csv")
    /// ```
    public var entityField: ExchangeEntityField?
    /// The unique constraints by which relationships name their destinations; see
    /// ``ImportSource/relationshipKeys``.
    public var relationshipKeys: [String: [String]] = [:]
    /// The format of dates. Default: ISO 8601.
    public var dateFormat = ExchangeDateFormat.iso8601
    /// A Boolean value that indicates whether spreadsheets show the values of a CSV file as text,
    /// even if they look like formulas. Default: false. Other formats ignore it.
    ///
    /// A spreadsheet runs a cell such as `=HYPERLINK(…)` as a formula, and quotes do not prevent
    /// it. Set this if the file is for a spreadsheet and its values come from people that you do
    /// not trust. A value gets an apostrophe in front and is quoted if it starts with one of these:
    ///
    /// - `=`, `+`, `-` or `@`, also in full width or after white space,
    /// - a tab or a line end.
    ///
    /// Numbers stay as they are.
    ///
    /// - Warning: The file is for reading only. An import keeps the apostrophe as a part of a
    ///   string, and rejects it in a value of another type.
    public var protectsFormulas = false

    /// Creates an export of the objects of a fetch request.
    public init(_ objects: FetchRequest<Entity>, as format: ExchangeFormat) {
        self.objects = objects
        self.format = format
    }
}

/// The result of an export.
public struct ExportResult: Sendable, Hashable {
    /// The number of objects.
    public let count: Int
    /// Relationships that were not written because their destinations have no unique values.
    public let omittedRelationships: [String]
}
