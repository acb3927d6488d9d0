/// One level of an order: by a property, reached through to-one relationships.
package struct SortTerm: Sendable, Hashable {
    /// The names from the object to the attribute.
    package let path: [String]
    /// Whether greater values come first. Nil counts as less than any value.
    package let isDescending: Bool

    package init(path: [String], isDescending: Bool = false) {
        self.path = path
        self.isDescending = isDescending
    }
}
