import CambiumMigration

extension VerdictCache {
    /// What a proof has seen when it was run before, or nil.
    func proof(for key: String) -> MigrationProver.Proof? {
        guard let words = verdict(for: key)?.split(separator: " "), words.count >= 3,
            let rows = Int(words[0]), let newRows = Int(words[1]), let refusals = Int(words[2])
        else { return nil }
        let names = words.dropFirst(3)
        return MigrationProver.Proof(
            rows: rows, newRows: newRows, refusals: refusals,
            refused: names.filter { !$0.hasPrefix(dropMark) }.map(String.init),
            dropped: names.filter { $0.hasPrefix(dropMark) }.map { String($0.dropFirst()) })
    }

    /// Remembers what a proof has seen.
    func keep(_ proof: MigrationProver.Proof, for key: String) {
        let counts = [proof.rows, proof.newRows, proof.refusals].map(String.init)
        let dropped = proof.dropped.map { dropMark + $0 }
        keep((counts + proof.refused + dropped).joined(separator: " "), for: key)
    }

    /// What stands before the name of an entity of which drops have taken objects. No name begins with
    /// it.
    private var dropMark: String { "-" }
}
