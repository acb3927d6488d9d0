import CambiumChecking
import CambiumMigration

/// A check of a complete store. It checks every value, rule and link of every object, derived
/// values, large values and the counters of keys, and runs the checks of the database itself.
///
/// ```swift
/// let check = StoreCheck(model: Shop.model, storeAt: "shop.sqlite")
/// let report = try check.run()
/// for group in report.groups { print(group.kind, group.count) }
/// ```
///
/// It needs no generated classes, so it does not run checks that the program itself adds. The store
/// is read in its state at one moment, while others write. At most a few thousand objects are in
/// memory at a time.
public struct StoreCheck: Sendable {
    /// The store, and the options for opening it. The check overrides the options that it requires.
    public let store: StoreDescription
    /// The maximum number of findings of each kind that are listed; further ones are counted.
    /// Default: 100.
    public var limit = 100
    /// Called between parts of the work on the thread that runs the check, with the progress from 0
    /// to 1 and a description of the current part.
    public var progress: @Sendable (_ fraction: Double, _ summary: String) -> Void = { _, _ in }

    private let model: CompiledModel

    /// Creates a check of the described store, which may be on a server.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - store: The store.
    public init(model: CompiledModel, store: StoreDescription) {
        self.model = model
        self.store = store
    }

    /// Creates a check of the store in a file.
    ///
    /// - Parameters:
    ///   - model: The compiled model, such as `Shop.model`.
    ///   - path: The store's path.
    public init(model: CompiledModel, storeAt path: String) {
        self.init(model: model, store: StoreDescription(location: .file(path)))
    }

    /// Checks everything. It reads all objects, and takes about as long as that. If the task is
    /// cancelled, the check ends.
    ///
    /// - Parameter repairing: Whether findings that need no decision about data are repaired
    ///   afterwards: derived values are computed, counters of keys are raised, and unreferenced
    ///   large values are removed. Otherwise nothing is written.
    /// - Throws: ``StoreError`` or an error of the database if the store cannot be opened or read;
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
        let repairs = repairing ? try checker.repair() : []
        return StoreCheckReport(
            store: "\(description.location)", model: model.model, result, repairs: repairs)
    }
}
