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

    /// One line that says what was found to be right.
    package var summary: String {
        let steps = migrations.count
        var proof =
            steps == 0
            ? "" : "; \(steps) migration\(steps == 1 ? "" : "s") proven on SQLite"
        if emptyProofs > 0 {
            proof += emptyProofs == steps ? "," : ", \(emptyProofs) of them"
            proof += " not with two rows of every entity"
        }
        return "\(name), version \(versions.last?.model.version ?? ""): no errors\(proof)"
    }

    /// What is right and worth knowing, a line each: the rules that only a save checks, and what the
    /// program's own steps of migrations have to fill.
    package var remarks: [String] {
        guard let model = versions.last?.model else { return [] }
        return steppedRemarks
            + model.entities.flatMap { entity in
                entity.rules.filter { !model.isEnforcedByStore($0, of: entity) }.map { rule in
                    "The rule \(entity.name).\(rule.name) is checked on save; the store cannot"
                }
            }
    }

    private var steppedRemarks: [String] {
        SteppedMigration.all(between: versions.map(\.model)).map { stepped in
            let names = stepped.coverage.steps.map(\.name).joined(separator: ", ")
            let values = stepped.coverage.supplied.map(\.name).joined(separator: ", ")
            return
                "The migration from version \(stepped.old.version) to \(stepped.new.version) runs "
                + "\(names) of the program"
                + (values.isEmpty ? "" : ", which must fill \(values)")
                + ": prove it with \(name).verifyMigrations"
        }
    }

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
