import CambiumModel
import CambiumSQL
import CambiumSQLite

/// The store between two versions, for a step of the program.
///
/// A step runs in the transaction of the whole chain of migrations, at one moment: **after** the
/// statements that make the new tables and give them all that the two versions say (what stays, what
/// is renamed, fills and defaults), and **before** the new version's conditions are asked of them,
/// before anything old is dropped, and before derived attributes are computed. So it reads all of
/// the old version, finds in the new version what was carried over, and puts right what is not as it
/// should be. What it leaves has to meet the new version's conditions; if a row does not, or the
/// step throws, the whole chain is undone, and the error names the step, the entity and the row.
///
/// ```swift
/// func splitName(_ context: MigrationContext<Shop.Version1, Shop.Version2>) throws {
///     try context.forEach(Shop.Version1.PersonRow.self) { old in
///         let words = old.name.split(separator: " ", maxSplits: 1)
///         try context.update(old.rowID, as: Shop.Version2.PersonRow.self) { new in
///             new.firstName = words.first.map(String.init) ?? ""
///             new.lastName = words.dropFirst().last.map(String.init) ?? ""
///         }
///     }
/// }
/// ```
///
/// Rows are read some hundred at a time, in the order of their numbers, so that the memory does not
/// grow with their number. Rules that only the runtime checks (patterns, numbers of links, custom
/// validation) are not asked.
///
/// ## Topics
/// - Reading: ``forEach(_:_:)``, ``row(_:)``, ``count(of:)``
/// - Writing: ``insert(_:)``, ``update(_:_:)``, ``update(_:as:_:)``, ``delete(_:)``
/// - Links: ``related(_:to:)``, ``link(_:_:to:at:)``, ``unlink(_:_:from:)``
/// - What became of objects: ``newID(of:as:)``, ``replace(_:with:)``
/// - Going on: ``report(_:)``, ``checkCancellation()``
public struct MigrationContext<Old: MigrationVersion, New: MigrationVersion> {
    let run: StepRun

    init(_ run: StepRun) {
        self.run = run
    }

    /// Tells how far the step is, from 0 to 1. ``forEach(_:_:)`` does so by itself.
    public func report(_ fraction: Double) { run.report(fraction) }

    /// Ends the migration where that was asked for. All that reads and writes does so by itself;
    /// call it in long computations between.
    ///
    /// - Throws: ``MigrationError/cancelled``.
    public func checkCancellation() throws { try run.checkCancellation() }

    // MARK: Where rows are

    func table<Row: MigrationRow>(of type: Row.Type) -> String {
        Row.Version.self == New.self
            ? run.newTable(Row.layout.root) : run.oldTable(Row.layout.root)
    }

    func sql<Row: MigrationRow>(of type: Row.Type) -> RowStatements {
        run.statements(of: type, isNew: Row.Version.self == New.self)
    }

    /// - Throws: ``MigrationStepMistake/notWritable(entity:)``.
    func writing<Row: WritableMigrationRow>(
        _ type: Row.Type
    ) throws -> RowStatements where Row.Version == New {
        let sql = sql(of: type)
        guard sql.isWritable else {
            throw MigrationStepMistake.notWritable(entity: Row.layout.entity)
        }
        return sql
    }
}
