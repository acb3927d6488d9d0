extension FetchedResultsDifference {
    /// The difference in the form that table and collection views take, section and row by number.
    ///
    /// Deletes, reloads and the first places of moves count in the old list; inserts and the second
    /// places of moves in the new one. Nothing moves out of a section that goes or into one that
    /// comes.
    public struct ViewUpdates: Hashable, Sendable {
        /// A row that changes its place.
        public struct Move: Hashable, Sendable {
            /// Its place in the old list.
            public let from: ItemPath
            /// Its place in the new list.
            public let to: ItemPath
        }

        /// Sections to delete.
        public internal(set) var deletedSections: [Int] = []
        /// Sections to insert.
        public internal(set) var insertedSections: [Int] = []
        /// Rows to delete, by their old places; none of a section that goes, which takes its rows
        /// along.
        public internal(set) var deletedItems: [ItemPath] = []
        /// Rows to insert, by their new places; none of a section that comes, which brings its rows
        /// along.
        public internal(set) var insertedItems: [ItemPath] = []
        /// Rows to move.
        public internal(set) var movedItems: [Move] = []
        /// Rows to show anew, by their old places.
        public internal(set) var reloadedItems: [ItemPath] = []
    }

    /// The difference in the form that table and collection views take.
    public var viewUpdates: ViewUpdates {
        var updates = ViewUpdates()
        updates.deletedSections = deletedSections.map(\.index)
        updates.insertedSections = insertedSections.map(\.index)
        let (going, coming) = (Set(updates.deletedSections), Set(updates.insertedSections))
        for change in changes {
            switch change {
            case .insert(_, let path):
                if !coming.contains(path.section) { updates.insertedItems.append(path) }
            case .delete(_, let path):
                if !going.contains(path.section) { updates.deletedItems.append(path) }
            case .move(_, let old, let new):
                let (goes, comes) = (going.contains(old.section), coming.contains(new.section))
                if !goes, !comes {
                    updates.movedItems.append(.init(from: old, to: new))
                } else {
                    if !goes { updates.deletedItems.append(old) }
                    if !comes { updates.insertedItems.append(new) }
                }
            case .update(_, let old, _):
                updates.reloadedItems.append(old)
            }
        }
        updates.deletedItems.sort()
        updates.insertedItems.sort()
        return updates
    }

    /// The difference as one of the standard library, over the objects of all sections in order.
    ///
    /// It says which objects came, went and moved; that an object was updated it cannot say.
    public var collectionDifference: CollectionDifference<ObjectID> {
        typealias Step = CollectionDifference<ObjectID>.Change
        var steps: [Step] = []
        for change in changes {
            switch change {
            case .insert(let object, let path):
                steps.append(
                    .insert(
                        offset: newStarts[path.section] + path.item, element: object.objectID,
                        associatedWith: nil))
            case .delete(let object, let path):
                steps.append(
                    .remove(
                        offset: oldStarts[path.section] + path.item, element: object.objectID,
                        associatedWith: nil))
            case .move(let object, let old, let new):
                let from = oldStarts[old.section] + old.item
                let to = newStarts[new.section] + new.item
                steps.append(.remove(offset: from, element: object.objectID, associatedWith: to))
                steps.append(.insert(offset: to, element: object.objectID, associatedWith: from))
            case .update:
                continue
            }
        }
        // Of places that are all different it can always be made.
        return CollectionDifference(steps) ?? [].difference(from: [])
    }
}
