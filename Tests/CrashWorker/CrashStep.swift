@_spi(Generated) import CambiumMigration

/// A step of the program in the migration of ``CrashSample``: makes labels of notes.
enum CrashStep {
    enum V1: MigrationVersion {
        static var versionName: String { "1" }

        struct CustomerRow: MigrationRow {
            typealias Version = V1
            static let layout = RowLayout(
                entity: "Customer", root: "Customer", columns: ["name", "note"])
            var storage: RowStorage
            var note: String? { storage.optional(1) }
        }
    }

    enum V2: MigrationVersion {
        static var versionName: String { "2" }

        struct CustomerRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(
                entity: "Customer", root: "Customer", columns: ["fullName"])
            var storage: RowStorage
            var fullName: String {
                get { storage.get(0) }
                set { storage.set(0, newValue) }
            }
        }

        struct LabelRow: WritableMigrationRow {
            typealias Version = V2
            static let layout = RowLayout(entity: "Label", root: "Label", columns: ["text"])
            var storage: RowStorage

            init(storage: RowStorage) { self.storage = storage }

            init(text: String) {
                storage = RowStorage(count: 1)
                storage.set(0, text)
            }
        }
    }

    /// - Parameter willWrite: Told before each write, with its number.
    static func label(_ willWrite: @escaping @Sendable (Int) -> Void) -> CodeStep {
        CodeStep("label", from: V1.self, to: V2.self) { context in
            var writes = 0
            try context.forEach(V1.CustomerRow.self) { old in
                if let note = old.note {
                    writes += 1
                    willWrite(writes)
                    try context.insert(V2.LabelRow(text: note))
                }
                writes += 1
                willWrite(writes)
                try context.update(old.rowID, as: V2.CustomerRow.self) { $0.fullName += "!" }
            }
        }
    }
}
