import Cambium
import Testing

/// A list as a view shows it, which knows nothing but the differences it is told.
struct ListMirror<Entity: ManagedObject>: Equatable {
    struct Section: Equatable {
        var name: String
        var objects: [Entity]
    }

    /// What a view is told: by a delegate's calls, or by an element of a controller's changes.
    struct Told {
        var deletedSections: [(index: Int, name: String)] = []
        var insertedSections: [(index: Int, name: String)] = []
        var changes: [FetchedResultsDifference<Entity>.Change] = []

        init() {}

        init(_ difference: FetchedResultsDifference<Entity>) {
            deletedSections = difference.deletedSections.map { ($0.index, $0.name) }
            insertedSections = difference.insertedSections.map { ($0.index, $0.name) }
            changes = difference.changes
        }
    }

    private(set) var sections: [Section]

    init(_ sections: [FetchedResultsSection<Entity>]) {
        self.sections = sections.map { Section(name: $0.name, objects: $0.objects) }
    }

    init(_ sections: [Section]) {
        self.sections = sections
    }

    var objects: [Entity] { sections.flatMap(\.objects) }

    /// The object at a place, nil where there is none.
    subscript(path: ItemPath) -> Entity? {
        guard sections.indices.contains(path.section),
            sections[path.section].objects.indices.contains(path.item)
        else { return nil }
        return sections[path.section].objects[path.item]
    }

    func path(of object: Entity) -> ItemPath? {
        for (index, section) in sections.enumerated() {
            if let item = section.objects.firstIndex(where: { $0 === object }) {
                return ItemPath(section: index, item: item)
            }
        }
        return nil
    }

    /// Does what the documentation of a difference says, in its order.
    ///
    /// - Throws: A ``Fault`` where a step is not possible or names something else than is there.
    mutating func apply(_ told: Told) throws {
        let old = self
        var leaving: [ItemPath] = []
        var arriving: [(object: Entity, path: ItemPath)] = []
        var updated: [(object: Entity, path: ItemPath)] = []
        var named: Set<ManagedObject> = []
        for change in told.changes {
            let (object, from, to) = change.parts
            guard named.insert(object).inserted else { throw Fault("\(object) is named twice") }
            if let from, old[from] !== object { throw Fault("\(object) was not at \(from)") }
            switch change {
            case .delete, .move: if let from { leaving.append(from) }
            case .insert, .update: break
            }
            if let to {
                if case .update = change {
                    updated.append((object, to))
                } else {
                    arriving.append((object, to))
                }
            }
        }
        for path in leaving.sorted().reversed() {
            sections[path.section].objects.remove(at: path.item)
        }
        for section in told.deletedSections.reversed() {
            guard sections.indices.contains(section.index),
                sections[section.index] == Section(name: section.name, objects: [])
            else { throw Fault("section \(section.index) cannot be deleted") }
            sections.remove(at: section.index)
        }
        for section in told.insertedSections {
            guard section.index <= sections.count else {
                throw Fault("section \(section.index) cannot be inserted")
            }
            sections.insert(Section(name: section.name, objects: []), at: section.index)
        }
        for (object, path) in arriving.sorted(by: { $0.path < $1.path }) {
            guard sections.indices.contains(path.section),
                path.item <= sections[path.section].objects.count
            else { throw Fault("\(object) cannot be inserted at \(path)") }
            sections[path.section].objects.insert(object, at: path.item)
        }
        for (object, path) in updated where self[path] !== object {
            throw Fault("the updated \(object) is not at \(path)")
        }
        try checkMoves(told, from: old)
    }

    /// What a table view would find wrong with a difference in its form: it takes the rows of
    /// sections that come from the new list, and refuses rows that leave sections that go.
    func faults(
        ofViewUpdates difference: FetchedResultsDifference<Entity>, to new: ListMirror
    ) -> [String] {
        let updates = difference.viewUpdates
        let leaving = updates.deletedItems + updates.movedItems.map(\.from)
        let arriving = updates.insertedItems + updates.movedItems.map(\.to)
        var faults: [String] = []
        let named = leaving + updates.reloadedItems
        if Set(named).count != named.count { faults.append("a row is named twice") }
        if named.contains(where: { updates.deletedSections.contains($0.section) }) {
            faults.append("a row leaves a section that goes")
        }
        if arriving.contains(where: { updates.insertedSections.contains($0.section) }) {
            faults.append("a row comes into a section that comes")
        }
        for move in updates.movedItems where self[move.from] !== new[move.to] {
            faults.append("a move is of another row")
        }
        let gone = Set(leaving)
        var shown = sections.enumerated().map { section, content in
            content.objects.enumerated().filter { item, _ in
                !gone.contains(ItemPath(section: section, item: item))
            }.map(\.element)
        }
        for section in updates.deletedSections.sorted().reversed() { shown.remove(at: section) }
        for section in updates.insertedSections.sorted() where section <= shown.count {
            shown.insert(new.sections[section].objects, at: section)
        }
        for path in arriving.sorted() {
            guard let object = new[path], shown.indices.contains(path.section),
                path.item <= shown[path.section].count
            else { return faults + ["a row cannot come in at \(path)"] }
            shown[path.section].insert(object, at: path.item)
        }
        if shown != new.sections.map(\.objects) { faults.append("a view shows \(shown)") }
        let ids = objects.map(\.objectID).applying(difference.collectionDifference)
        if ids != new.objects.map(\.objectID) { faults.append("a collection has \(ids ?? [])") }
        return faults
    }

    /// An object moves only past another one.
    private func checkMoves(_ told: Told, from old: ListMirror) throws {
        for case .move(let object, let from, let to) in told.changes {
            guard
                old.sections[from.section].name.utf8.elementsEqual(sections[to.section].name.utf8)
            else { continue }
            let earlier = Set(old.sections[from.section].objects)
            let later = sections[to.section].objects
            let before = old.sections[from.section].objects[..<from.item].filter {
                Set(later).contains($0)
            }
            let beforeNow = later[..<to.item].filter { earlier.contains($0) }
            if Set(before) == Set(beforeNow) { throw Fault("\(object) moves past no other") }
        }
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }
}

extension FetchedResultsDifference.Change {
    /// The object, its old and its new place.
    var parts: (object: Entity, from: ItemPath?, to: ItemPath?) {
        switch self {
        case .insert(let object, let path): (object, nil, path)
        case .delete(let object, let path): (object, path, nil)
        case .move(let object, let from, let to), .update(let object, let from, let to):
            (object, from, to)
        }
    }
}

/// A view that follows a controller as its delegate.
final class MirrorDelegate<Entity: ManagedObject>: FetchedResultsControllerDelegate {
    private(set) var mirror: ListMirror<Entity>
    /// What was told, one element for each will change and did change.
    private(set) var told: [ListMirror<Entity>.Told] = []
    private(set) var faults: [String] = []
    /// Called at the end of each change.
    var onChange: (() -> Void)?
    private var current: ListMirror<Entity>.Told?

    init(_ controller: FetchedResultsController<Entity>) {
        mirror = ListMirror(controller.sections)
    }

    func forget() {
        told = []
    }

    /// The changes since ``forget()``, in words without places: `insert A`, `move B`.
    func words(_ name: (Entity) -> String) -> [String] {
        told.flatMap(\.changes).map { change in
            switch change {
            case .insert(let object, _): "insert \(name(object))"
            case .delete(let object, _): "delete \(name(object))"
            case .move(let object, _, _): "move \(name(object))"
            case .update(let object, _, _): "update \(name(object))"
            }
        }
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Entity>) {
        if current != nil { faults.append("will change within a change") }
        current = .init()
    }

    func controller(
        _ controller: FetchedResultsController<Entity>, didChangeSection name: String,
        at index: Int, for type: FetchedResultsSectionChangeType
    ) {
        if current?.changes.isEmpty != true { faults.append("a section after objects") }
        switch type {
        case .insert: current?.insertedSections.append((index, name))
        case .delete: current?.deletedSections.append((index, name))
        }
    }

    func controller(
        _ controller: FetchedResultsController<Entity>, didChange object: Entity,
        at path: ItemPath?, for type: FetchedResultsChangeType, newPath: ItemPath?
    ) {
        switch (type, path, newPath) {
        case (.insert, nil, let new?): current?.changes.append(.insert(object, at: new))
        case (.delete, let old?, nil): current?.changes.append(.delete(object, at: old))
        case (.move, let old?, let new?):
            current?.changes.append(.move(object, from: old, to: new))
        case (.update, let old?, let new?):
            current?.changes.append(.update(object, from: old, to: new))
        default: faults.append("places do not fit \(type)")
        }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Entity>) {
        guard let change = current else { return faults.append("did change without will change") }
        current = nil
        told.append(change)
        do {
            try mirror.apply(change)
        } catch {
            faults.append("\(error)")
        }
        if mirror != ListMirror(controller.sections) {
            faults.append("the view shows another list")
        }
        onChange?()
    }
}
