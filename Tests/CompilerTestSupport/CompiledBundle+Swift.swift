import CambiumCompiler

extension CompiledBundle {
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
