/// Writes the objects that a request finds as JSON, JSON Lines or CSV.
///
/// ```swift
/// let cheap = Product.fetchRequest().filter(Product.price < 20)
/// let export = ExportRequest(cheap, as: .jsonLines)
/// try context.execute(export, to: "cheap.jsonl")
/// ```
///
/// What is written is what an ``ImportRequest`` reads: all attributes but derived and transient
/// ones, to-one relationships whose key this side keeps, many-to-many relationships on the side
/// that owns the table, and ordered ones, by the keys of what they lead to. Importing it brings
/// the same values and links.
///
/// Objects of sub-entities are written with the properties of the request's entity. To write all
/// properties of each, and its entity, set ``entityField``: an import with the same field brings
/// all of them back.
///
/// - Complexity: Some hundred objects are in memory at a time, and the key of each. Each to-many
///   whose links are in a table of their own is one query for each object.
public struct ExportRequest<Entity: ManagedObject>: Sendable {
    /// Which objects, in which order. Unsaved changes of the context count, unless it says
    /// otherwise.
    public var objects: FetchRequest<Entity>
    /// What to write.
    public var format: ExchangeFormat
    /// Which properties; nil means all that an import reads back. Derived attributes and
    /// relationships that the other side keeps may be named too.
    public var properties: [String]?
    /// What the file calls properties; see ``ImportSource/fieldNames``.
    public var fieldNames: [String: String] = [:]
    /// The field that says the entity of each object; see ``ImportSource/entityField``. Default:
    /// nil, no field says it.
    ///
    /// Each object is then written with the properties of its own entity. In CSV there is a column
    /// for each property that any of the entities has, empty for the objects of the others.
    ///
    /// ```swift
    /// var request = ExportRequest(Party.fetchRequest(), as: .csv())
    /// request.entityField = "type"
    /// try context.execute(request, to: "parties.csv")
    /// ```
    public var entityField: ExchangeEntityField?
    /// By which unique constraints relationships name their destinations; see
    /// ``ImportSource/relationshipKeys``.
    public var relationshipKeys: [String: [String]] = [:]
    /// How dates are written. Default: ISO 8601.
    public var dateFormat = ExchangeDateFormat.iso8601
    /// Whether a spreadsheet shows the values of a CSV file as text, even if they look like
    /// formulas. Default: false. Other formats ignore it.
    ///
    /// A spreadsheet runs a cell such as `=HYPERLINK(…)` as a formula, and quotes do not prevent it.
    /// Set this if the file is for a spreadsheet and its values come from people whom you do not
    /// trust. A value that starts with `=`, `+`, `-` or `@` (in full width too, or after white
    /// space), with a tab or with a line end gets an apostrophe in front and is quoted. Numbers stay
    /// as they are.
    ///
    /// - Warning: The file is for reading only. An import keeps the apostrophe as a part of the
    ///   text, and refuses a value of another type that has one.
    public var protectsFormulas = false

    /// Writes what a request finds.
    public init(_ objects: FetchRequest<Entity>, as format: ExchangeFormat) {
        self.objects = objects
        self.format = format
    }
}

/// What an export has written.
public struct ExportResult: Sendable, Hashable {
    /// How many objects.
    public let count: Int
    /// Relationships that were left out because their destinations have no unique values.
    public let leftOut: [String]
}
