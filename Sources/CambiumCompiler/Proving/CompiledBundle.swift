import CambiumMigration
import CambiumModel
import CambiumSQL

/// A bundle without errors.
package struct CompiledBundle: Sendable {
    /// The model's name.
    package let name: String
    /// All versions, oldest first; there is at least one.
    package let versions: [CheckedModel]
    /// The statements that make an empty store of the current version.
    package let schema: [String]
    /// The steps from each version to the next.
    package let migrations: [Migration]
    /// The names of the versions that have shipped.
    package var frozen: Set<String> = []
    /// How many of them were proven without rows, or with too few of an entity.
    package var emptyProofs = 0

    /// The generated Swift: always files of the same names.
    ///
    /// - Parameter folder: What paths in the Swift compiler's messages are relative to; nil for the
    ///   package that the model is in.
    package func swiftFiles(relativeTo folder: String? = nil) -> [SwiftFile] {
        guard let current = versions.last else { return [] }
        return SwiftEmitter(
            model: current.model, bundle: "\(name).cambium", access: current.access,
            lines: SourceLines(of: current, relativeTo: folder),
            steppedMigrations: SteppedMigration.all(between: versions.map(\.model))
        ).files(schema: schema, migrations: migrations)
    }
}
