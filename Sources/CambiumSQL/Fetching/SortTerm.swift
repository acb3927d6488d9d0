import CambiumModel

/// One level of an order: by a property, reached through to-one relationships, or by what is
/// computed of the object.
package struct SortTerm: Sendable, Hashable {
    /// What is compared.
    package let value: ModelExpression
    /// Whether greater values come first.
    package let isDescending: Bool
    /// How texts are compared.
    package let texts: TextOrder
    /// Where nil comes; nil: where the least value comes.
    package let placesNilLast: Bool?

    package init(
        _ value: ModelExpression, isDescending: Bool = false, texts: TextOrder = .bytes,
        placesNilLast: Bool? = nil
    ) {
        self.value = value
        self.isDescending = isDescending
        self.texts = texts
        self.placesNilLast = placesNilLast
    }

    package init(
        path: [String], isDescending: Bool = false, texts: TextOrder = .bytes,
        placesNilLast: Bool? = nil
    ) {
        self.init(
            .keyPath(root: .subject, names: path), isDescending: isDescending, texts: texts,
            placesNilLast: placesNilLast)
    }

    /// The names from the object to the property; nil of what is computed.
    package var path: [String]? {
        if case .keyPath(.subject, let names) = value { names } else { nil }
    }

    /// What stands in ORDER BY.
    func sql(of value: SQLFragment) -> SQLFragment {
        value.mapText {
            Self.sql(
                $0, isDescending: isDescending, texts: texts, placesNilLast: placesNilLast)
        }
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
