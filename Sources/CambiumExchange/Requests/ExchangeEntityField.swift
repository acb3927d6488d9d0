/// The field of a file that says which entity of a hierarchy each object is of: a column in CSV, a
/// member in JSON.
///
/// ```swift
/// var source = ImportSource(Party.self, from: .file("parties.csv"), as: .csv())
/// source.entityField = "type"
/// ```
///
/// The field has the names of entities unless ``words`` has others for them:
///
/// ```swift
/// source.entityField = ExchangeEntityField(
///     "kind", words: ["p": "Person", "c": "Company"], defaultEntity: "Person")
/// ```
///
/// See ``ImportSource/entityField`` and ``ExportRequest/entityField``.
public struct ExchangeEntityField: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name of the field. No property may have the same one.
    public var name: String
    /// What the file calls entities, where that is not their names: the name of the entity by the
    /// file's word. Upper and lower case differ.
    ///
    /// Several words may mean one entity. An export then writes the first one in alphabetic order,
    /// and an import reads all of them, but not the entity's name. An entity without a word here
    /// goes by its name.
    public var words: [String: String]
    /// The name of the entity of a row that has no word: the field is missing, empty or null. Nil,
    /// the default: that is an error of the row. An export ignores it.
    public var defaultEntity: String?

    /// The field of a name.
    ///
    /// - Parameters:
    ///   - name: The name of the field.
    ///   - words: What the file calls entities; see ``words``.
    ///   - defaultEntity: The entity of a row without a word; see ``defaultEntity``.
    public init(
        _ name: String, words: [String: String] = [:], defaultEntity: String? = nil
    ) {
        self.name = name
        self.words = words
        self.defaultEntity = defaultEntity
    }

    /// The field of a name, with the names of entities.
    public init(stringLiteral name: String) {
        self.init(name)
    }
}
