import CambiumRecords
import CambiumSQLiteStore
import Synchronization

/// Stands between contexts and stores: knows the model, sends each request to the store that has
/// the rows, numbers the commits and hands each change set to the contexts that did not make it.
///
/// A ``PersistentContainer`` makes one. By hand:
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(model: Shop.model)
/// var options = StoreOptions()
/// options.migratesAutomatically = true
/// try coordinator.addPersistentStore(at: .file("shop.sqlite"), options: options)
/// let context = coordinator.newContext()
/// ```
///
/// A model's configurations say which entities a store of its own may hold. Each hierarchy of
/// entities is in exactly one store; links never cross stores. Unlike in Core Data, no two stores
/// of a coordinator hold the same entity: an object's place follows from its entity.
///
/// ## Topics
///
/// ### Stores
///
/// - ``addPersistentStore(type:configuration:at:options:)``
/// - ``remove(_:)``
/// - ``persistentStores``
/// - ``persistentStore(at:)``
/// - ``storeChanges``
/// - ``observeStoreChanges(_:)``
///
/// ### Files
///
/// - ``backUp(_:to:)``
/// - ``migratePersistentStore(_:to:options:type:progress:)``
/// - ``replacePersistentStore(at:withStoreFrom:)``
/// - ``destroyPersistentStore(at:timeout:)``
///
/// ### Metadata
///
/// - ``metadata(for:)``
/// - ``setMetadata(_:for:)``
/// - ``metadata(ofStoreAt:type:)``
/// - ``setMetadata(_:forStoreAt:type:)``
///
/// ### Contexts
///
/// - ``newContext(isolation:fileID:line:)``
/// - ``newMainContext()``
/// - ``newBackgroundContext()``
///
/// ### Row-level security
///
/// - ``applying(transactionSettings:)``
/// - ``transactionSettings``
///
/// ### History
///
/// - ``fetchHistory(_:)``
/// - ``currentHistoryToken(fromStores:)``
/// - ``deleteHistory(before:)-(HistoryToken)``
/// - ``deleteHistory(before:)-(Date)``
///
/// ### Other processes
///
/// - ``remoteChanges``
/// - ``observeRemoteChanges(_:)``
///
/// ### Identities
///
/// - ``objectID(forURI:)-(String)``
public final class PersistentStoreCoordinator: Sendable {
    let model: ModelDescription
    /// What opens stores; nil where there are none.
    private let compiledModel: CompiledModel?
    let rowCache = RowCache()
    /// Where background contexts and fetches run.
    let threads: StoreThreads
    /// What each transaction of its contexts begins with, see ``applying(transactionSettings:)``.
    public let transactionSettings: TransactionSettings
    /// The one whose stores it has, where it has settings; nil for one with stores of its own.
    let base: PersistentStoreCoordinator?
    /// Those that have the stores of this one, with settings.
    let views = Mutex<[TransactionSettings: WeakCoordinator]>([:])

    private struct Subscribers {
        var mailboxes = [UInt64: WeakMailbox]()
        var nextContext: UInt64 = 1
        var commits: Int64 = 0
    }

    private final class WeakMailbox: Sendable {
        weak let mailbox: Mailbox?

        init(_ mailbox: Mailbox) {
            self.mailbox = mailbox
        }
    }

    private let subscribers = Mutex(Subscribers())
    private let subscriberCount = Atomic(0)
    // Safety: what is published is one of `tables`, which keeps all of them: a reader may still
    // look at the one before. There is a new one when a store is added or removed, which is seldom.
    private let published: Atomic<Unmanaged<StoreTable>>
    private let tables: Mutex<[StoreTable]>
    let storeObservers: StreamObservers<StoresDidChange>
    let remoteObservers: StreamObservers<RemoteStoreChange>

    /// A coordinator without stores.
    ///
    /// - Parameter model: What the compiler made of the model, such as `Shop.model`.
    public convenience init(model: CompiledModel) {
        let description = model.modelDescription
        self.init(model, description, StoreTable([], in: description, after: nil))
    }

    /// A coordinator for objects that no store has. It opens none.
    convenience init(detached model: ModelDescription, _ table: StoreTable) {
        self.init(nil, model, table)
    }

    private init(_ compiled: CompiledModel?, _ model: ModelDescription, _ table: StoreTable) {
        compiledModel = compiled
        self.model = model
        tables = Mutex([table])
        published = Atomic(Unmanaged.passUnretained(table))
        threads = StoreThreads()
        storeObservers = StreamObservers()
        remoteObservers = StreamObservers(joining: RemoteStoreChange.join)
        transactionSettings = .none
        base = nil
    }

    /// One with the stores of another one, for contexts whose transactions begin with settings.
    init(of base: PersistentStoreCoordinator, _ settings: TransactionSettings) {
        compiledModel = base.compiledModel
        model = base.model
        let table = base.table.view(in: base.model, with: settings, after: nil)
        tables = Mutex([table])
        published = Atomic(Unmanaged.passUnretained(table))
        threads = base.threads
        storeObservers = base.storeObservers
        remoteObservers = base.remoteObservers
        transactionSettings = settings
        self.base = base
    }

    /// The model of the stores.
    public var managedObjectModel: Model { model.model }

    // MARK: Stores

    var compiled: CompiledModel {
        get throws {
            guard let compiledModel else { throw StoreError.closed }
            return compiledModel
        }
    }

    var table: StoreTable { published.load(ordering: .acquiring).takeUnretainedValue() }

    /// The store that has the rows of a hierarchy.
    func store(ofRoot root: Int) -> any StoreEngine {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.store(ofRoot: root) }
    }

    /// Reads a row from the store that has it.
    @inline(__always)
    func readRow(
        _ key: Int64, ofRoot root: EntityDescription, at commit: Int64?, into writer: RecordWriter
    ) throws -> ReadRow? {
        try published.load(ordering: .acquiring)._withUnsafeGuaranteedRef {
            try $0.store(ofRoot: root.rootIndex)
                .readRow(key, ofRoot: root, at: commit, into: writer)
        }
    }

    /// The identity of the store that has the rows of a hierarchy.
    func storeIdentifier(ofRoot root: Int) -> StoreIdentifier {
        published.load(ordering: .acquiring)
            ._withUnsafeGuaranteedRef { $0.identifier(ofRoot: root) }
    }

    /// How dates are kept where not every one comes back to the bit. Contexts round them so.
    var keptDates: KeptDates? {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.keptDates }
    }

    /// A date, in seconds since 2001, as the stores keep it.
    func kept(_ seconds: Double) -> Double { keptDates?.rounded(seconds) ?? seconds }

    /// The greatest number of bytes of a value; nil where no store has a limit.
    var largestValue: Int? {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.largestValue }
    }

    /// Whether ``keptDates`` is not nil.
    var roundsDates: Bool {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.keptDates != nil }
    }

    func hasStore(_ identifier: StoreIdentifier) -> Bool { table.contains(identifier) }

    /// Replaces the list of stores, unless the body throws.
    ///
    /// - Returns: What the body returns.
    @discardableResult
    func updateStores<Result: Sendable>(
        _ body: (inout [PersistentStore]) throws -> Result
    ) rethrows -> Result {
        let result = try updateTable { former in
            var stores = former.persistentStores
            let result = try body(&stores)
            return (StoreTable(stores, in: model, after: former), result)
        }
        views.withLock { views in
            for view in views.values { view.coordinator?.followBase() }
        }
        return result
    }

    /// Takes over the stores of the one that it is a view of.
    private func followBase() {
        guard let base else { return }
        updateTable { (base.table.view(in: model, with: transactionSettings, after: $0), ()) }
    }

    private func updateTable<Result: Sendable>(
        _ body: (_ former: StoreTable) throws -> (StoreTable, Result)
    ) rethrows -> Result {
        try tables.withLock { tables in
            let (table, result) = try body(table)
            tables.append(table)
            published.store(Unmanaged.passUnretained(table), ordering: .releasing)
            return result
        }
    }

    // MARK: Contexts

    /// A number for a new context.
    func makeContextIdentifier() -> ContextIdentifier {
        if let base { return base.makeContextIdentifier() }
        return subscribers.withLock { subscribers in
            defer { subscribers.nextContext += 1 }
            return ContextIdentifier(number: subscribers.nextContext)
        }
    }

    func subscribe(_ mailbox: Mailbox, for context: ContextIdentifier) {
        subscribers.withLock { subscribers in
            subscribers.mailboxes[context.number] = WeakMailbox(mailbox)
            subscriberCount.store(subscribers.mailboxes.count, ordering: .relaxed)
        }
    }

    func unsubscribe(_ context: ContextIdentifier) {
        subscribers.withLock { subscribers in
            subscribers.mailboxes[context.number] = nil
            subscriberCount.store(subscribers.mailboxes.count, ordering: .relaxed)
        }
    }

    /// Whether there is more than one context that uses the stores.
    var hasSeveralContexts: Bool { subscriberCount.load(ordering: .relaxed) > 1 }

    /// Whether a context other than this one observes changes.
    func hasListeners(beside context: ContextIdentifier) -> Bool {
        subscribers.withLock { subscribers in
            subscribers.mailboxes.contains { $0.key != context.number && $0.value.mailbox != nil }
        }
    }

    /// The number of the latest commit.
    var latestCommit: Int64 { subscribers.withLock { $0.commits } }

    /// Numbers what a save changed and posts it to all other contexts.
    ///
    /// Called while the store's writer is still locked, so that numbers follow commits.
    @discardableResult
    func publish(
        _ entities: [EntityChanges], from origin: ContextIdentifier, store: StoreIdentifier
    ) -> ChangeSet {
        // Stores commit side by side; the row cache and all mailboxes see one order.
        let (changeSet, jobs) = subscribers.withLock { subscribers in
            subscribers.commits += 1
            let changeSet = ChangeSet(
                number: subscribers.commits, origin: origin, store: store, entities: entities,
                settings: transactionSettings)
            rowCache.follow(entities, commit: changeSet.number)
            let others = subscribers.mailboxes.lazy.filter { $0.key != origin.number }
            return (changeSet, others.compactMap { $0.value.mailbox?.post(changeSet) })
        }
        for job in jobs { job() }
        return changeSet
    }

    /// Numbers a commit that changed too much to be told (more than
    /// ``ChangeSet/maximumListedRows``), or nobody knows what, and lets all contexts know that they
    /// should read everything again, the origin too.
    ///
    /// Called while the store's writer is still locked.
    @discardableResult
    func publishLoss(from origin: ContextIdentifier, store: StoreIdentifier) -> ChangeSet {
        let (changeSet, jobs) = subscribers.withLock { subscribers in
            subscribers.commits += 1
            rowCache.removeAll()
            rowCache.follow([], commit: subscribers.commits)
            let changeSet = ChangeSet(
                number: subscribers.commits, origin: origin, store: store, entities: [],
                settings: transactionSettings)
            return (
                changeSet, subscribers.mailboxes.values.compactMap { $0.mailbox?.postLoss() }
            )
        }
        for job in jobs { job() }
        return changeSet
    }

    /// Empties the row cache when a store goes, and keeps out of it what was read of the store.
    /// That counts as a commit, which changes nothing.
    func forgetRows() {
        for view in views.withLock({ Array($0.values) }) { view.coordinator?.forgetRows() }
        subscribers.withLock { subscribers in
            subscribers.commits += 1
            rowCache.removeAll()
            rowCache.follow([], commit: subscribers.commits)
        }
    }
}

extension PersistentStoreCoordinator {
    /// The identity that a text names, or nil where it is of no store that the coordinator has. The
    /// object may not exist (any more).
    public func objectID(forURI uri: String) -> ObjectID? {
        ObjectID(uri: uri) { name, store in
            guard let entity = model[name], storeIdentifier(ofRoot: entity.rootIndex) == store
            else { return nil }
            return entity
        }
    }

    /// The identity that a URL names, or nil where it is of no store that the coordinator has.
    public func objectID(forURI url: URL) -> ObjectID? {
        objectID(forURI: url.absoluteString)
    }
}

extension PersistentStoreCoordinator {
    /// What a store of the coordinator says about itself. Notes that wait for a save count.
    ///
    /// - Throws: What the store threw.
    public func metadata(for store: PersistentStore) throws -> PersistentStoreMetadata {
        PersistentStoreMetadata(
            identifier: store.identifier, type: store.type, modelName: model.model.name,
            modelVersion: model.model.version, versionHash: model.model.versionHash,
            notes: try store.store.notes())
    }

    /// Replaces the program's notes in the metadata of a store. They are written with the next save
    /// of a context, in its transaction, also where it has nothing else to write.
    public func setMetadata(_ notes: [String: String], for store: PersistentStore) {
        store.store.setNotes(notes)
    }

    /// What a store says about itself, without opening it for objects.
    ///
    /// - Throws: ``StoreLoadingError`` where there is no store at the place, or it cannot be read.
    public static func metadata(
        ofStoreAt location: StoreLocation, type: StoreType = .sqlite
    ) throws(StoreLoadingError) -> PersistentStoreMetadata {
        try withMetadata(of: location, type, isReadOnly: true) { access in
            let found = try access.metadata(path: location.path)
            return PersistentStoreMetadata(
                identifier: found.identifier, type: .sqlite, modelName: found.model.model,
                modelVersion: found.model.version, versionHash: found.model.versionHash,
                notes: found.notes)
        }
    }

    /// Replaces the program's notes in the metadata of a store, at once and without opening it for
    /// objects.
    ///
    /// - Throws: ``StoreLoadingError`` where there is no store at the place, or it cannot be
    ///   written.
    public static func setMetadata(
        _ notes: [String: String], forStoreAt location: StoreLocation, type: StoreType = .sqlite
    ) throws(StoreLoadingError) {
        try withMetadata(of: location, type, isReadOnly: false) { access in
            _ = try access.metadata(path: location.path)
            try access.setNotes(notes)
        }
    }

    private static func withMetadata<Result>(
        of location: StoreLocation, _ type: StoreType, isReadOnly: Bool,
        _ body: (StoreMetadataAccess) throws -> Result
    ) throws(StoreLoadingError) -> Result {
        do {
            guard let path = location.path, type == .sqlite else {
                throw StoreError.invalidRequest(
                    "Only the metadata of a SQLite store in a file can be used without "
                        + "opening the store.",
                    remedy: "Add the store to a coordinator, and use the coordinator's metadata.")
            }
            return try SQLiteFile.withMetadata(of: path, isReadOnly: isReadOnly, body)
        } catch {
            throw StoreLoadingError(StoreDescription(type: type, location: location), error)
        }
    }
}

/// What a store says about itself.
public struct PersistentStoreMetadata: Sendable, Hashable {
    /// The store's UUID: its identity, wherever its file is.
    public let identifier: UUID
    /// What keeps the rows.
    public let type: StoreType
    /// The name of the model.
    public let modelName: String
    /// The name of the model's version.
    public let modelVersion: String
    /// The hash of the model's version.
    public let versionHash: String
    /// What the program noted, by names of its own.
    public let notes: [String: String]

    /// Whether a program with this model can open the store without a migration: it has the model's
    /// version, by name and by hash. Two versions that look the same can have a migration between
    /// them, which fills values again.
    public func isCompatible(with model: Model) -> Bool {
        modelName == model.name && modelVersion == model.version
            && versionHash == model.versionHash
    }
}
