import CambiumMigration
import CambiumSQL

extension CompiledBundle {
    /// What brings stores to a version: the code that runs on users' machines, with what a program
    /// with that version of the model would have in it.
    ///
    /// - Parameter version: The version's name; nil means the current one.
    /// - Returns: nil where there is no version of that name.
    package func runner(to version: String? = nil) -> MigrationRunner? {
        let target =
            version.map { name in versions.first { $0.model.version == name } } ?? versions.last
        guard let target else { return nil }
        // Nothing leads from where it goes to.
        let end = migrations.firstIndex { $0.from == target.model.version } ?? migrations.count
        var runner = MigrationRunner(model: target.model, migrations: Array(migrations[..<end]))
        let models = versions.map(\.model)
        let earlier = models.prefix { $0.version != target.model.version }
            .filter { !frozen.contains($0.version) }
        runner.drafts = DraftVersions(
            of: target.model, isFrozen: frozen.contains(target.model.version),
            earlier: Dictionary(
                earlier.map { ($0.version, $0.definition) }, uniquingKeysWith: { first, _ in first }
            ))
        runner.laterVersions = Set(
            models.drop { $0.version != target.model.version }.dropFirst().map(\.version))
        runner.earlierSchema = { store in
            models.first { $0.version == store.version && $0.versionHash == store.versionHash }
                .map { Schema(of: $0) }
        }
        return runner
    }
}
