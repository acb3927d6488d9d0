import CambiumMigration

extension VerdictCache {
    /// What a proof has seen when it was run before, or nil.
    func proof(for key: String) -> MigrationProver.Proof? {
        guard let words = verdict(for: key)?.split(separator: " "), words.count == 2,
            let rows = Int(words[0]), let refusals = Int(words[1])
        else { return nil }
        return MigrationProver.Proof(rows: rows, refusals: refusals)
    }

    /// Remembers what a proof has seen.
    func keep(_ proof: MigrationProver.Proof, for key: String) {
        keep("\(proof.rows) \(proof.refusals)", for: key)
    }
}
