import CambiumRecords
import CambiumSQLiteStore
import Synchronization

/// The coordinator between contexts and stores. It has the model, sends each request to the store
/// that has the rows, numbers the commits, and posts each change set to the other contexts.
///
/// A ``PersistentContainer`` creates one. Without a container:
///
/// ```swift
/// let coordinator = PersistentStoreCoordinator(model: Shop.model)
/// var options = StoreOptions()
/// options.migratesAutomatically = true
/// try coordinator.addPersistentStore(at: .file("shop.sqlite"), options: options)
/// let context = coordinator.newContext()
/// ```
///
/// A model's configurations define the entities that separate stores can hold. Each hierarchy of
/// entities is in exactly one store; links never cross stores. Unlike in Core Data, no two stores
/// of a coordinator hold the same entity: the entity of an object determines its store.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(model:)``
/// - ``managedObjectModel``
///
/// ### Stores
///
/// - ``addPersistentStore(type:configuration:at:options:)``
/// - ``addPersistentStore(with:)``
/// - ``remove(_:)``
/// - ``persistentStores``
/// - ``persistentStore(at:)``
/// - ``persistentStore(of:)``
/// - ``storeChanges``
/// - ``observeStoreChanges(_:)``
///
/// ### Contexts
///
/// - ``newContext(isolation:fileID:line:)``
/// - ``newMainContext()``
/// - ``newBackgroundContext()``
///
/// ### Transactions
///
/// - ``performTransaction(isolation:_:)``
/// - ``outcome(of:)``
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
/// - ``objectID(forURI:)-(URL)``
///
/// ### Notifications for ported code
///
/// - ``postNotifications(to:)``
/// - ``storesDidChangeNotification``
/// - ``remoteChangeNotification``
/// - ``NotificationKey``
public final class PersistentStoreCoordinator: Sendable {
    let model: ModelDescription
    /// The compiled model for opening stores, or nil for a coordinator that opens none.
    private let compiledModel: CompiledModel?
    let rowCache = RowCache()
    /// The threads of background contexts and fetches.
    let threads: StoreThreads
    /// The settings that each transaction of its contexts begins with, see
    /// ``applying(transactionSettings:)``.
    public let transactionSettings: TransactionSettings
    /// The coordinator that owns the stores, if this one adds settings; nil if it owns its stores.
    let base: PersistentStoreCoordinator?
    /// The coordinators with the same stores and additional settings.
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
    // Safety: the published table is one of `tables`, and `tables` retains all of them, because a
    // reader may still use an earlier one. A new table is added only when a store is added or
    // removed.
    private let published: Atomic<Unmanaged<StoreTable>>
    private let tables: Mutex<[StoreTable]>
    let storeObservers: StreamObservers<StoresDidChange>
    let remoteObservers: StreamObservers<RemoteStoreChange>

    /// Creates a coordinator without stores.
    ///
    /// - Parameter model: The compiled model, such as `Shop.model`.
    public convenience init(model: CompiledModel) {
        let description = model.modelDescription
        self.init(model, description, StoreTable([], in: description, after: nil))
    }

    /// Creates a coordinator for objects that belong to no store. It opens no stores.
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

    /// Creates a coordinator with the stores of another one, for contexts with transaction
    /// settings.
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

    /// Returns the store that has the rows of a hierarchy.
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

    /// Returns the identity of the store that has the rows of a hierarchy.
    func storeIdentifier(ofRoot root: Int) -> StoreIdentifier {
        published.load(ordering: .acquiring)
            ._withUnsafeGuaranteedRef { $0.identifier(ofRoot: root) }
    }

    /// The date rounding of a store that does not store every date exactly, or nil. Contexts round
    /// dates in the same way.
    var datePrecision: StoredDatePrecision? {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.datePrecision }
    }

    /// Returns a date, in seconds since 2001, as the stores store it.
    func kept(_ seconds: Double) -> Double { datePrecision?.rounded(seconds) ?? seconds }

    /// The maximum number of bytes of a value, or nil if no store has a limit.
    var largestValue: Int? {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.largestValue }
    }

    /// Whether ``datePrecision`` is not nil.
    var roundsDates: Bool {
        published.load(ordering: .acquiring)._withUnsafeGuaranteedRef { $0.datePrecision != nil }
    }

    func hasStore(_ identifier: StoreIdentifier) -> Bool { table.contains(identifier) }

    /// Replaces the list of stores, unless the closure throws.
    ///
    /// - Returns: The result of the closure.
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

    /// Updates the stores of a view from its base coordinator.
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

    /// Returns an identifier for a new context.
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

    /// Numbers the changes of a save and posts them to all other contexts.
    ///
    /// Called while the store's writer is still locked, so that numbers follow commits.
    @discardableResult
    func publish(
        _ entities: [EntityChanges], from origin: ContextIdentifier, store: StoreIdentifier
    ) -> ChangeSet {
        // Stores commit independently, but the row cache and all mailboxes receive the changes in
        // one order.
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

    /// Numbers a commit with unknown changes, or with too many to list (more than
    /// ``ChangeSet/maximumListedRows``). All contexts, including the origin, read their objects
    /// again.
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

    /// Empties the row cache when a store is removed, and prevents that rows of earlier reads are
    /// added. This counts as a commit without changes.
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
    /// Returns the identity for a text, or nil if it is of no store of the coordinator. The object
    /// may not exist.
    public func objectID(forURI uri: String) -> ObjectID? {
        ObjectID(uri: uri) { name, store in
            guard let entity = model[name], storeIdentifier(ofRoot: entity.rootIndex) == store
            else { return nil }
            return entity
        }
    }

    /// Returns the identity for a URL, or nil if it is of no store of the coordinator.
    public func objectID(forURI url: URL) -> ObjectID? {
        objectID(forURI: url.absoluteString)
    }
}

extension PersistentStoreCoordinator {
    /// Returns the metadata of an open store, including notes that wait for a save.
    ///
    /// - Throws: Any error of the store.
    public func metadata(for store: PersistentStore) throws -> PersistentStoreMetadata {
        PersistentStoreMetadata(
            identifier: store.identifier, type: store.type, modelName: model.model.name,
            modelVersion: model.model.version, versionHash: model.model.versionHash,
            notes: try store.store.notes())
    }

    /// Replaces the program's notes in the metadata of a store. The next save of a context writes
    /// them, in its transaction, even if it has no other changes.
    public func setMetadata(_ notes: [String: String], for store: PersistentStore) {
        store.store.setNotes(notes)
    }

    /// Returns the metadata of a store without opening it for objects.
    ///
    /// - Throws: ``StoreLoadingError`` if there is no store at the location, or it cannot be read.
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
    /// - Throws: ``StoreLoadingError`` if there is no store at the location, or it cannot be
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

/// The metadata of a store.
public struct PersistentStoreMetadata: Sendable, Hashable {
    /// The store's UUID. If the file is moved, it stays the same.
    public let identifier: UUID
    /// The type of the store.
    public let type: StoreType
    /// The name of the model.
    public let modelName: String
    /// The name of the model's version.
    public let modelVersion: String
    /// The hash of the model's version.
    public let versionHash: String
    /// The program's notes, by names that the program chooses.
    public let notes: [String: String]

    /// Returns whether a program with this model can open the store without a migration: the store
    /// has the model's version, by name and by hash. A migration between two versions with the same
    /// hash may still change values.
    public func isCompatible(with model: Model) -> Bool {
        modelName == model.name && modelVersion == model.version
            && versionHash == model.versionHash
    }
}
