import CambiumChecking
import CambiumMigration

/// A check of a whole store: every value, rule and link of every object, derived values, large values,
/// the counters of keys, and what the database itself can check.
///
/// ```swift
/// let check = StoreCheck(model: Shop.model, storeAt: "shop.sqlite")
/// let report = try check.run()
/// for group in report.groups { print(group.kind, group.count) }
/// ```
///
/// It needs no generated classes, so checks that the program itself adds are not made. The store is
/// read as it is at one moment, while others write. Memory holds some thousand objects at a time.
public struct StoreCheck: Sendable {
    /// Which store, and how to open it. The check sets what it needs of the options.
    public let store: StoreDescription
    /// How many findings of each kind are named; the others are counted. Default: 100.
    public var limit = 100
    /// Called between parts of the work on the thread that runs the check: how far it is, from 0 to 1,
    /// and what is being checked.
    public var progress: @Sendable (_ fraction: Double, _ summary: String) -> Void = { _, _ in }

    private let model: CompiledModel

    /// Checks the store that a description names, which may be on a server.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - store: Which store.
    public init(model: CompiledModel, store: StoreDescription) {
        self.model = model
        self.store = store
    }

    /// Checks the store in a file.
    ///
    /// - Parameters:
    ///   - model: What the compiler made of the model, such as `Shop.model`.
    ///   - path: The store's path.
    public init(model: CompiledModel, storeAt path: String) {
        self.init(model: model, store: StoreDescription(location: .file(path)))
    }

    /// Checks everything. It reads all objects, and takes about as long as that. A task that is
    /// cancelled ends it.
    ///
    /// - Parameter repairing: Whether what needs no decision about data is mended afterwards: derived
    ///   values are computed, counters of keys raised, and large values removed that no object
    ///   references. Without that nothing is written.
    /// - Throws: Where the store cannot be opened or read: ``StoreError``, or an error of the database;
    ///   `CancellationError`.
    public func run(repairing: Bool = false) throws -> StoreCheckReport {
        var description = store
        description.options = store.options.checking(repairs: repairing)
        if let path = description.location.path {
            try StorePathProblem.check(path)
            guard FileManager.default.fileExists(atPath: path) else {
                throw StoreError(
                    code: .cannotOpen, message: "There is no file \(path).",
                    remedy: "Name the file of a store.")
            }
        }
        let (opener, roots) = try description.opener(of: model)
        let engine = try opener.open().store
        defer { engine.close() }
        let checker = StoreChecker(engine, model.modelDescription, roots: roots, limit: limit)
        checker.progress = { progress($0.fraction, $0.summary) }
        checker.isCancelled = { Task.isCancelled }
        let result = try checker.check()
        let mends = repairing ? try checker.mend() : []
        return StoreCheckReport(
            store: "\(description.location)", model: model.model, result, mends: mends)
    }
}
