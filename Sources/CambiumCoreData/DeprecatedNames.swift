import Cambium
import CambiumCoreDataStore

/// The former name.
@available(*, deprecated, renamed: "CoreDataImportError")
public typealias AdoptionError = CoreDataImportError
/// The former name.
@available(*, deprecated, renamed: "CoreDataImportProgress")
public typealias AdoptionProgress = CoreDataImportProgress
/// The former name.
@available(*, deprecated, renamed: "CoreDataImportReport")
public typealias AdoptionReport = CoreDataImportReport

extension PersistentContainer {
    /// The former name of ``init(importing:at:model:earlierVersions:writtenBy:options:report:progress:)``.
    ///
    /// - Throws: The same.
    @available(
        *, deprecated,
        renamed: "init(importing:at:model:earlierVersions:writtenBy:options:report:progress:)"
    )
    public convenience init(
        adopting oldStore: URL, at path: String, model: CompiledModel,
        earlierVersions: [Model] = [], writtenBy version: String? = nil,
        options: StoreOptions = StoreOptions(),
        report: (CoreDataImportReport) -> Void = { _ in },
        progress: (CoreDataImportProgress) -> Void = { _ in }
    ) throws {
        try self.init(
            importing: oldStore, at: path, model: model, earlierVersions: earlierVersions,
            writtenBy: version, options: options, report: report, progress: progress)
    }

    /// The former name of
    /// ``open(importing:at:model:earlierVersions:writtenBy:options:progress:)``.
    ///
    /// - Throws: The same.
    @available(
        *, deprecated,
        renamed: "open(importing:at:model:earlierVersions:writtenBy:options:progress:)"
    )
    public static func open(
        adopting oldStore: URL, at path: String, model: CompiledModel,
        earlierVersions: [Model] = [], writtenBy version: String? = nil,
        options: StoreOptions = StoreOptions(),
        progress: (@Sendable (CoreDataImportProgress) -> Void)? = nil
    ) async throws -> (container: PersistentContainer, report: CoreDataImportReport?) {
        try await open(
            importing: oldStore, at: path, model: model, earlierVersions: earlierVersions,
            writtenBy: version, options: options, progress: progress)
    }
}
