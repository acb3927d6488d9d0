/// A section of a controller's results, as it was when it was asked for.
public struct FetchedResultsSection<Entity: ManagedObject> {
    /// What the section's objects have in common, as text.
    public let name: String
    /// What stands for the section in a narrow list beside a long one; see
    /// ``FetchedResultsController/sectionIndexTitles``.
    public let indexTitle: String?
    let content: ResultSection
    let keyPath: [String]?
    let rows: ResultRows
    let range: Range<Int>

    /// The objects, in order.
    ///
    /// - Complexity: O(n)
    public var objects: [Entity] { rows.objects(in: range).cast(to: Entity.self) }
    /// How many objects there are.
    public var numberOfObjects: Int { range.count }

    /// What the section's objects have in common; nil where they have no value in common, or where
    /// the sections are made by another key.
    ///
    /// ```swift
    /// controller.sections[0].value(of: Product.category.created)    // a Date?
    /// ```
    ///
    /// Where names are derived from values, it is the value of one of the objects.
    public func value<SectionValue>(of key: Key<Entity, SectionValue>) -> SectionValue? {
        key.path == keyPath ? SectionValue(attributeValue: content.value) : nil
    }
}

extension FetchedResultsSection: CustomStringConvertible {
    /// The name and the number of objects: `Trees (3)`.
    public var description: String { "\(name) (\(numberOfObjects))" }
}
