import CambiumMigration

extension VerdictCache {
    /// What a proof has seen when it was run before, or nil.
    func proof(for key: String) -> MigrationProver.Proof? {
        guard let words = verdict(for: key)?.split(separator: " "), words.count >= 3,
            let rows = Int(words[0]), let newRows = Int(words[1]), let refusals = Int(words[2])
        else { return nil }
        return MigrationProver.Proof(
            rows: rows, newRows: newRows, refusals: refusals,
            rowless: words.dropFirst(3).map(String.init))
    }

    /// Remembers what a proof has seen.
    func keep(_ proof: MigrationProver.Proof, for key: String) {
        let counts = [proof.rows, proof.newRows, proof.refusals].map(String.init)
        keep((counts + proof.rowless).joined(separator: " "), for: key)
    }
}
