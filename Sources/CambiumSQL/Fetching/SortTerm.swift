import CambiumModel

/// One level of an order: by a property, reached through to-one relationships.
package struct SortTerm: Sendable, Hashable {
    /// The names from the object to the attribute.
    package let path: [String]
    /// Whether greater values come first.
    package let isDescending: Bool
    /// How texts are compared.
    package let texts: TextOrder
    /// Where nil comes; nil: where the least value comes.
    package let placesNilLast: Bool?

    package init(
        path: [String], isDescending: Bool = false, texts: TextOrder = .bytes,
        placesNilLast: Bool? = nil
    ) {
        self.path = path
        self.isDescending = isDescending
        self.texts = texts
        self.placesNilLast = placesNilLast
    }

    /// What stands in ORDER BY.
    func sql(of value: String) -> String {
        Self.sql(value, isDescending: isDescending, texts: texts, placesNilLast: placesNilLast)
    }

    /// What stands in ORDER BY for one level of an order.
    static func sql(
        _ value: String, isDescending: Bool, texts: TextOrder, placesNilLast: Bool?
    ) -> String {
        var text = value
        if texts != .bytes {
            let name = SQLText.literal(.text(texts.name))
            text = "\(StoreFunction.sortKey.rawValue)(\(text), \(name))"
        }
        if isDescending { text += " DESC" }
        // SQLite takes NULL for the least value.
        if let placesNilLast, placesNilLast != isDescending {
            text += placesNilLast ? " NULLS LAST" : " NULLS FIRST"
        }
        return text
    }
}
