import CambiumCompiler

extension CompiledBundle {
    /// The generated Swift files. Their names are always the same.
    ///
    /// - Parameter folder: The folder to which paths in the Swift compiler's messages are relative;
    ///   nil for the package of the model.
    package func swiftFiles(relativeTo folder: String? = nil) -> [SwiftFile] {
        guard let current = versions.last else { return [] }
        return SwiftEmitter(
            model: current.model, bundle: "\(name).cambium", access: current.access,
            lines: SourceLines(of: current, relativeTo: folder),
            steppedMigrations: SteppedMigration.all(between: versions.map(\.model))
        ).files(schema: schema, migrations: migrations)
    }
}
