/// A controller's results by identity: sections by name, objects by ``ObjectID``. Made for views
/// that find the differences themselves; it may cross to another isolation.
///
/// An object's identity is final from the moment of its insertion: saving it changes nothing here.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section.
    public struct Section: Sendable, Hashable {
        /// What the section's objects have in common, as text.
        public let name: String
        /// The objects, in order.
        public let itemIDs: [ObjectID]
    }

    /// The sections, in order; one, without a name, where the results are not in sections.
    public let sections: [Section]
    /// The objects that were there in the snapshot before and whose values changed, or those of
    /// objects that decide their places: a view that only compares identities must show them anew.
    public let reconfiguredItemIDs: [ObjectID]

    /// All objects, in order.
    public var itemIDs: [ObjectID] { sections.flatMap(\.itemIDs) }
    /// How many objects there are.
    public var numberOfItems: Int { sections.reduce(0) { $0 + $1.itemIDs.count } }
}

extension FetchedResultsSnapshot.Section: CustomStringConvertible {
    /// The name and the number of objects: `Trees (3)`.
    public var description: String { "\(name) (\(itemIDs.count))" }
}

extension FetchedResultsController {
    /// The results by identity.
    ///
    /// - Complexity: O(n)
    public var snapshot: FetchedResultsSnapshot { snapshot(reconfigured: []) }

    func snapshot(reconfigured: [ObjectID]) -> FetchedResultsSnapshot {
        FetchedResultsSnapshot(
            sections: sections.map { section in
                .init(name: section.name, itemIDs: list.rows.objectIDs(in: section.range))
            },
            reconfiguredItemIDs: reconfigured)
    }
}
