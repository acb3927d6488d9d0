import CambiumModel

/// Something that a new version asks of the rows that are there, and that some of them may not meet.
/// The versions alone do not tell; whether there are such rows, only the stores out there do.
package struct RowRisk: Sendable, Hashable {
    /// What is asked.
    package enum Kind: Sendable, Hashable {
        /// No two rows have the same values of these properties.
        case uniqueness([String])
        /// Values lie within limits that are new or tighter.
        case limits
        /// Values fit into a type that holds fewer; whether a fill can see to it.
        case narrowedType(isFillable: Bool)
        /// Rows meet the rule of that name.
        case rule(String)
        /// A relationship leads to so many objects.
        case counts
        /// The entity, which is abstract now, has no objects of its own.
        case abstractEntity
        /// A value with several parts has all that it needs, which is these too from now on, or none.
        case presence(of: [String])
        /// Values lie in the row, none in a file.
        case inRow
    }

    /// The entity of the rows.
    package let entity: String
    /// The property that it is about, where it is about one.
    package let property: String?
    /// What is asked.
    package let kind: Kind
    /// Whether a store with such rows is refused; else they are read, and refused when they are saved.
    package let refusesStore: Bool
}
