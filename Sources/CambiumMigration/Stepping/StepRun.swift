import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite
import Synchronization

/// A step of the program while it runs: the store, and where it is in it.
@_spi(Generated)
public final class StepRun {
    /// How many rows are read at a time.
    static let batchSize: Int64 = 500

    let step: String
    let connection: Connection
    /// The files of large values.
    let files: StepFiles?
    private let meter: MigrationMeter
    private let tables: Set<String>
    /// What each old entity is now, and how far its keys were moved.
    let successors: [String: (entity: String, shift: Int64)]
    private var statements: [ObjectIdentifier: RowStatements] = [:]
    /// The row that the step is at, for errors.
    var place: (entity: String, row: Int64)?

    init(
        _ step: String, on connection: Connection, files: ExternalFiles?, _ meter: MigrationMeter
    ) throws(SQLiteError) {
        self.step = step
        self.connection = connection
        self.files = files.map { StepFiles($0) }
        self.meter = meter
        tables = Set(try connection.rows(StepRowSQL.tables).compactMap { $0.first?.text })
        var successors: [String: (entity: String, shift: Int64)] = [:]
        for row in try connection.rows(StepRowSQL.entities) {
            guard case .text(let old)? = row.first, case .text(let new) = row[1],
                case .integer(let shift) = row[2]
            else { continue }
            successors[old] = (new, shift)
        }
        self.successors = successors
    }

    /// Runs the step.
    func run(_ code: CodeStep) throws {
        do {
            try code.body(self)
            if let failure = files?.failure { throw failure }
            try meter.requireGoingOn()
        } catch let error as MigrationError where error == .cancelled {
            throw error
        } catch let error as SQLiteError where meter.isCancellation(error) {
            throw MigrationError.cancelled
        } catch let error as CancellationError {
            _ = error
            throw MigrationError.cancelled
        } catch let error as MigrationStepError {
            throw error
        } catch {
            throw MigrationStepError(step: step, entity: place?.entity, row: place?.row, error)
        }
    }

    // MARK: Tables

    /// The statements of an entity's rows.
    ///
    /// - Parameter isNew: Whether they are those of the new version.
    func statements<Row: MigrationRow>(of type: Row.Type, isNew: Bool) -> RowStatements {
        let key = ObjectIdentifier(type)
        if let known = statements[key] { return known }
        let made = RowStatements(Row.layout, isNew: isNew, in: self)
        statements[key] = made
        return made
    }

    /// The table of an old root entity's rows.
    func oldTable(_ root: String) -> String { root }

    /// The table of a new root entity's rows at the moment.
    func newTable(_ root: String) -> String {
        workingTable(root) ?? (tables.contains("_new_" + root) ? "_new_" + root : root)
    }

    /// The table of a new root entity's rows where steps may write them.
    func workingTable(_ root: String) -> String? {
        let name = TableCopies.workingName(of: root)
        return tables.contains(name) ? name : nil
    }

    /// The table of pairs of the new version at the moment.
    func newPairs(_ table: String) -> String {
        tables.contains("_new_" + table) ? "_new_" + table : table
    }

    // MARK: Going on

    func checkCancellation() throws(MigrationError) { try meter.requireGoingOn() }

    func report(_ fraction: Double) { meter.codeIs(at: fraction) }
}

/// The files of large values that the rows of a step reference. A row cannot throw: what cannot be
/// read is remembered, and the step fails at its end.
final class StepFiles: Sendable {
    private let files: ExternalFiles
    private let firstFailure = Mutex<FileError?>(nil)

    init(_ files: ExternalFiles) {
        self.files = files
    }

    /// What could not be read, although it is there.
    var failure: FileError? { firstFailure.withLock { $0 } }

    /// The content of a file; nil where it is missing.
    func value(_ name: String) -> Data? {
        do throws(FileError) {
            return try files.read(name)
        } catch {
            if !error.isMissing { firstFailure.withLock { $0 = $0 ?? error } }
            return nil
        }
    }
}
