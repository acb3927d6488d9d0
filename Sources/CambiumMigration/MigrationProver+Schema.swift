import CambiumModel
import CambiumSQL

extension MigrationProver {
    /// Runs all parts of the proof that a version's store can be made, at the same time.
    ///
    /// - Throws: ``Failure``, ``MigrationError`` or `SQLiteError`.
    package static func prove(_ schema: Schema, of model: Model) throws {
        let outcomes = try SchemaProof.parts(of: schema, model).concurrentMap { part in
            Result { try part.run() }
        }
        for outcome in outcomes { try outcome.get() }
    }
}
