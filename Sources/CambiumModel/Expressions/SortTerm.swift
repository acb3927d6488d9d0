/// One level of an order: by a property, reached through to-one relationships, or by what is
/// computed of the object.
package struct SortTerm: Sendable, Equatable {
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
}
