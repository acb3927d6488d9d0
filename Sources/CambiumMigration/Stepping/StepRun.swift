import CambiumModel
import CambiumPlan
import CambiumSQL

/// The state of a running custom step: the store, and the current row.
@_spi(Generated)
public final class StepRun {
    /// The number of rows that are read at a time.
    static let batchSize: Int64 = 500

    let step: String
    let connection: any StepConnection
    private let meter: MigrationMeter
    /// For each old entity, its new name and the shift of its keys.
    let successors: [String: (entity: String, shift: Int64)]
    private var statements: [ObjectIdentifier: RowStatements] = [:]
    /// The current row, for errors.
    var place: (entity: String, row: Int64)?

    package init(
        _ step: String, on connection: any StepConnection, _ meter: MigrationMeter
    ) throws {
        self.step = step
        self.connection = connection
        self.meter = meter
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
    package func run(_ code: CodeStep) throws {
        do {
            try code.body(self)
            if let failure = connection.largeValues?.failure { throw failure }
            try meter.checkCancellation()
        } catch let error as MigrationError where error == .cancelled {
            throw error
        } catch  where connection.ending(error) != nil {
            throw connection.ending(error) ?? error
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

    /// Returns the statements for an entity's rows.
    ///
    /// - Parameter isNew: Whether the rows belong to the new version.
    func statements<Row: MigrationRow>(of type: Row.Type, isNew: Bool) -> RowStatements {
        let key = ObjectIdentifier(type)
        if let known = statements[key] { return known }
        let made = RowStatements(Row.layout, isNew: isNew, in: self)
        statements[key] = made
        return made
    }

    /// The table of the rows of an old root entity.
    func oldTable(_ root: String) -> String { root }

    /// The current table of the rows of a new root entity.
    func newTable(_ root: String) -> String {
        workingTable(root) ?? (connection.hasTable("_new_" + root) ? "_new_" + root : root)
    }

    /// The table of the rows of a new root entity; nil if steps may not write them.
    func workingTable(_ root: String) -> String? {
        let name = TableCopies.workingName(of: root)
        return connection.hasTable(name) ? name : nil
    }

    /// The current table of pairs of the new version.
    func newPairs(_ table: String) -> String {
        connection.hasTable("_new_" + table) ? "_new_" + table : table
    }

    // MARK: Progress and cancellation

    func checkCancellation() throws(MigrationError) { try meter.checkCancellation() }

    func report(_ fraction: Double) { meter.codeIs(at: fraction) }
}

extension MigrationChain {
    /// - Throws: ``MigrationError/codeIsMissing(steps:)`` if a custom step of the chain is not
    ///   supplied.
    package func requireCode(in code: [CodeStep]) throws(MigrationError) {
        let missing = migrations.flatMap { migration in
            migration.codeSteps.filter { migration.code(of: $0, in: code) == nil }
        }
        guard missing.isEmpty else { throw .codeIsMissing(steps: missing) }
    }
}

extension Migration {
    fileprivate func code(of step: String, in code: [CodeStep]) -> CodeStep? {
        code.first { $0.name == step && $0.from == from }
    }

    /// Runs a custom step.
    package func run(
        _ step: String, of code: [CodeStep], on connection: any StepConnection,
        _ meter: MigrationMeter
    ) throws {
        guard let code = self.code(of: step, in: code) else {
            throw MigrationError.codeIsMissing(steps: [step])
        }
        try StepRun(step, on: connection, meter).run(code)
    }
}
