/// What leads from one state of a controller's results to the next.
///
/// To apply it to a list: remove what was deleted and what moves, the last first; remove the
/// deleted sections, the last first; insert the new sections, the first first; insert what is new
/// and what moved, the first first. Old places count in the old list, new places in the new one.
///
/// An object that changes its section moves, also when it takes the last place of its old section
/// with it or is the first of its new one, as with Core Data: the difference names the section
/// besides. Table views refuse such a move, from a section that goes or into one that comes; for
/// them ``viewUpdates`` says the same with a delete and an insert in its place.
public struct FetchedResultsDifference<Entity: ManagedObject> {
    /// A section that came or went.
    public struct SectionChange {
        /// The section's place: in the old list for one that went, in the new for one that came.
        public let index: Int
        let section: ResultSection

        /// What the section's objects have in common, as text.
        public var name: String { section.name }
    }

    /// What happened to an object.
    public enum Change {
        /// It came, and is at that place now.
        case insert(Entity, at: ItemPath)
        /// It went; it was at that place.
        case delete(Entity, at: ItemPath)
        /// It changed its place among the others.
        case move(Entity, from: ItemPath, to: ItemPath)
        /// Its values changed, but not its place among the others. The places differ where others
        /// came or went before it.
        case update(Entity, from: ItemPath, to: ItemPath)
    }

    /// The sections that went, in ascending order of their old places.
    public internal(set) var deletedSections: [SectionChange] = []
    /// The sections that came, in ascending order of their new places.
    public internal(set) var insertedSections: [SectionChange] = []
    /// What happened to objects: deletes, inserts, moves, updates, each in ascending order.
    public internal(set) var changes: [Change] = []
    /// Where the sections started in the old list, and where they start in the new one.
    var oldStarts: [Int] = [0]
    var newStarts: [Int] = [0]

    init() {}

    /// The same, with the objects as what they are.
    init(_ difference: FetchedResultsDifference<ManagedObject>) {
        deletedSections = difference.deletedSections.map {
            SectionChange(index: $0.index, section: $0.section)
        }
        insertedSections = difference.insertedSections.map {
            SectionChange(index: $0.index, section: $0.section)
        }
        changes = difference.changes.compactMap { $0.cast(to: Entity.self) }
        (oldStarts, newStarts) = (difference.oldStarts, difference.newStarts)
    }

    /// Whether nothing happened.
    public var isEmpty: Bool {
        deletedSections.isEmpty && insertedSections.isEmpty && changes.isEmpty
    }
}

extension FetchedResultsDifference<ManagedObject>.Change {
    fileprivate func cast<Class: ManagedObject>(
        to class: Class.Type
    ) -> FetchedResultsDifference<Class>.Change? {
        switch self {
        case .insert(let object, let path):
            object.cast(to: Class.self).map { .insert($0, at: path) }
        case .delete(let object, let path):
            object.cast(to: Class.self).map { .delete($0, at: path) }
        case .move(let object, let old, let new):
            object.cast(to: Class.self).map { .move($0, from: old, to: new) }
        case .update(let object, let old, let new):
            object.cast(to: Class.self).map { .update($0, from: old, to: new) }
        }
    }
}
