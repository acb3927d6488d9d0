@testable import Cambium

/// A request whose results are followed in all four ways: by a delegate's calls, by snapshots, by
/// collection differences and by a controller's changes. Each has a view of its own, which is
/// compared with the results after every call.
final class TableConsumers<Entity: ManagedObject> {
    private let controllers: [FetchedResultsController<Entity>]
    private let calls: CallTable<Entity>
    private let snapshots: SnapshotTable<Entity>
    private let differences: DifferenceTable<Entity>
    private let quick: FetchedResultsChanges<Entity>
    private let slow: FetchedResultsChanges<Entity>
    private var quickView: TableView
    private var slowView: TableView
    private let contents: TableContents<Entity>
    private let makeController: () -> FetchedResultsController<Entity>

    /// - Parameters:
    ///   - contents: How a row looks.
    ///   - makeController: A new controller of the request.
    init(
        _ contents: TableContents<Entity>,
        _ makeController: @escaping () -> FetchedResultsController<Entity>
    ) throws {
        self.contents = contents
        self.makeController = makeController
        controllers = (0..<3).map { _ in makeController() }
        for controller in controllers { try controller.performFetch() }
        calls = CallTable(controllers[0], contents)
        snapshots = SnapshotTable(controllers[1], contents)
        differences = DifferenceTable(controllers[2])
        quick = controllers[0].changes
        slow = controllers[0].changes
        quickView = TableView(contents.sections(of: controllers[0]))
        slowView = quickView
        controllers[0].delegate = calls
        controllers[1].delegate = snapshots
        controllers[2].delegate = differences
    }

    /// What is not as it must be, after all changes were processed and merged.
    ///
    /// - Parameter looks: Whether the slow consumer looks now.
    func faults(looks: Bool) throws -> [String] {
        // What a controller shows that has just fetched.
        let fresh = makeController()
        try fresh.performFetch()
        let wanted = contents.sections(of: fresh)
        var faults = calls.faults + snapshots.faults + differences.faults
        func compare(_ name: String, _ shown: [TableView.Section]) {
            if shown != wanted { faults.append("\(name) shows \(shown) instead of \(wanted)") }
        }
        for (index, controller) in controllers.enumerated() {
            compare("controller \(index)", contents.sections(of: controller))
        }
        compare("the delegate", calls.view.sections)
        compare("the view of snapshots", snapshots.view.sections)
        let ids = wanted.flatMap(\.cells).map(\.id)
        if differences.ids != ids {
            faults.append("the differences lead to \(differences.ids) instead of \(ids)")
        }
        faults += take(quick, &quickView, wanted, "the quick consumer")
        if looks { faults += take(slow, &slowView, wanted, "the slow consumer") }
        return faults
    }

    private func take(
        _ changes: FetchedResultsChanges<Entity>, _ view: inout TableView,
        _ wanted: [TableView.Section], _ name: String
    ) -> [String] {
        if let difference = changes.take() {
            do {
                try view.update(TableView.Batch(difference.viewUpdates), to: wanted)
            } catch {
                return ["\(name): \(error)"]
            }
        }
        return view.sections == wanted
            ? [] : ["\(name) shows \(view.sections) instead of \(wanted)"]
    }
}

/// How the rows of a list look.
struct TableContents<Entity: ManagedObject> {
    /// What the cell of an object shows.
    let content: (Entity) -> String

    /// What the views of a controller are to show.
    func sections(of controller: FetchedResultsController<Entity>) -> [TableView.Section] {
        controller.sections.map { section in
            TableView.Section(title: section.name, cells: section.objects.map(cell))
        }
    }

    func cell(_ object: Entity) -> TableView.Cell {
        TableView.Cell(id: object.objectID, content: content(object))
    }
}

/// A table view as the templates for Core Data have it: each call becomes one of the view's; a row
/// that moves is deleted and inserted.
private final class CallTable<Entity: ManagedObject>: FetchedResultsControllerDelegate {
    private(set) var view: TableView
    private(set) var faults: [String] = []
    private let contents: TableContents<Entity>
    private var batch: TableView.Batch?

    init(_ controller: FetchedResultsController<Entity>, _ contents: TableContents<Entity>) {
        self.contents = contents
        view = TableView(contents.sections(of: controller))
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController<Entity>) {
        if batch != nil { faults.append("will change within a change") }
        batch = .init()
    }

    func controller(
        _ controller: FetchedResultsController<Entity>, didChangeSection name: String,
        at index: Int, for type: FetchedResultsSectionChangeType
    ) {
        switch type {
        case .insert: batch?.insertedSections.append(index)
        case .delete: batch?.deletedSections.append(index)
        }
    }

    func controller(
        _ controller: FetchedResultsController<Entity>, didChange object: Entity,
        at path: ItemPath?, for type: FetchedResultsChangeType, newPath: ItemPath?
    ) {
        switch (type, path, newPath) {
        case (.insert, _, let new?): batch?.insertedRows.append(new)
        case (.delete, let old?, _): batch?.deletedRows.append(old)
        case (.move, let old?, let new?):
            batch?.deletedRows.append(old)
            batch?.insertedRows.append(new)
        case (.update, let old?, _): batch?.reloadedRows.append(old)
        default: faults.append("places do not fit \(type)")
        }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController<Entity>) {
        guard let done = batch else { return faults.append("did change without will change") }
        batch = nil
        do {
            try view.update(done, to: contents.sections(of: controller))
        } catch {
            faults.append("the delegate: \(error)")
        }
    }
}

/// A view that is given identities and finds the differences itself, as a diffable data source: of
/// the cells that it has it shows those anew that the snapshot names.
private final class SnapshotTable<Entity: ManagedObject>: FetchedResultsSnapshotDelegate {
    private(set) var view: TableView
    private(set) var faults: [String] = []
    private let contents: TableContents<Entity>

    init(_ controller: FetchedResultsController<Entity>, _ contents: TableContents<Entity>) {
        self.contents = contents
        view = TableView(contents.sections(of: controller))
    }

    func controller(
        _ controller: FetchedResultsController<Entity>,
        didChangeContentWith snapshot: FetchedResultsSnapshot
    ) {
        let ids = snapshot.itemIDs
        let names = snapshot.sections.map { Array($0.name.utf8) }
        if Set(ids).count != ids.count { faults.append("an identifier is there twice: \(ids)") }
        if Set(names).count != names.count { faults.append("a section is there twice") }
        if !Set(snapshot.reconfiguredItemIDs).isSubset(of: ids) {
            faults.append("an identifier is reconfigured that is not there")
        }
        let former = Dictionary(
            view.sections.flatMap(\.cells).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        let renewed = Set(snapshot.reconfiguredItemIDs)
        let source = contents.sections(of: controller)
        let current = Dictionary(
            source.flatMap(\.cells).map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        view = TableView(
            snapshot.sections.map { section in
                TableView.Section(
                    title: section.name,
                    cells: section.itemIDs.compactMap { id in
                        renewed.contains(id) ? current[id] : former[id] ?? current[id]
                    })
            })
        if !view.hasRows(of: source) {
            faults.append("the snapshots show \(view.sections) instead of \(source)")
        }
    }
}

/// A list of identities that differences are applied to.
private final class DifferenceTable<Entity: ManagedObject>: FetchedResultsDifferenceDelegate {
    private(set) var ids: [ObjectID]
    private(set) var faults: [String] = []

    init(_ controller: FetchedResultsController<Entity>) {
        ids = (controller.fetchedObjects ?? []).map(\.objectID)
    }

    func controller(
        _ controller: FetchedResultsController<Entity>,
        didChangeContentWith difference: CollectionDifference<ObjectID>
    ) {
        let shown = (controller.fetchedObjects ?? []).map(\.objectID)
        for case .remove(let offset, let id, _) in difference.removals
        where !ids.indices.contains(offset) || ids[offset] != id {
            faults.append("\(id) is not at \(offset)")
        }
        guard let now = ids.applying(difference) else {
            return faults.append("a difference cannot be applied")
        }
        ids = now
        if now != shown { faults.append("the differences lead to \(now) instead of \(shown)") }
    }
}
