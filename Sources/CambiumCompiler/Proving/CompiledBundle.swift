import CambiumMigration

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
}
