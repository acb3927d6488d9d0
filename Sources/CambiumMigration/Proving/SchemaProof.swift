import CambiumModel
import CambiumSQL
import CambiumSQLite

/// A part of the proof that a version's store can be made. The parts have nothing to do with each
/// other.
package struct SchemaProof: Sendable {
    private let step: Step

    private indirect enum Step: Sendable {
        case store(Schema, Model)
        case statements([String])
    }

    /// How many tables a store of a proof has at most.
    private static let tablesPerStore = 50

    /// Every statement of a fresh store, to be run on an SQLite in memory; where there are few
    /// tables, with generated rows, so that the checks are computed too.
    ///
    /// With each statement that makes a table or an index SQLite goes through all that it has, so
    /// the time for thousands would grow with the square of their number: they are made in several
    /// stores, and that no two have one name is checked here.
    ///
    /// - Throws: ``MigrationProver/Failure``.
    package static func parts(
        of schema: Schema, _ model: Model
    ) throws(MigrationProver.Failure) -> [SchemaProof] {
        guard schema.tables.count > tablesPerStore else {
            return [SchemaProof(step: .store(schema, model))]
        }
        try requireDifferentNames(schema)
        let statements = schema.statements
        var nextIndex = schema.tables.count
        return stride(from: 0, to: schema.tables.count, by: tablesPerStore).map { start in
            let tables = start..<min(start + tablesPerStore, schema.tables.count)
            let count = schema.tables[tables].reduce(0) { $0 + $1.indexes.count }
            defer { nextIndex += count }
            // The runtime's own tables, which the records are of, are the first.
            let records = start == 0 ? statements.suffix(schema.recordCount) : []
            return SchemaProof(
                step: .statements(
                    statements[tables] + statements[nextIndex..<nextIndex + count] + records))
        }
    }

    /// Makes the store.
    ///
    /// - Throws: ``MigrationProver/Failure``, ``MigrationError`` or `SQLiteError`.
    package func run() throws {
        switch step {
        case .store(let schema, let model):
            _ = try MigrationProver.makeStore(of: model, schema, seed: 0)
        case .statements(let statements):
            let connection = try Connection(path: ":memory:")
            try connection.transaction {
                for statement in statements { try connection.execute(statement) }
            }
        }
    }

    /// Names of SQLite do not tell the case of ASCII letters.
    private static func requireDifferentNames(
        _ schema: Schema
    ) throws(MigrationProver.Failure) {
        var names: Set<[UInt8]> = []
        for name in schema.tables.map(\.name) + schema.tables.flatMap(\.indexes).map(\.name) {
            let folded = name.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            guard names.insert(folded).inserted else {
                throw MigrationProver.Failure(
                    description: "There are two tables or indexes named \(name)")
            }
        }
    }
}
