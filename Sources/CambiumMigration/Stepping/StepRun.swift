import CambiumModel
import CambiumPlan
import CambiumSQL

/// A step of the program while it runs: the store, and where it is in it.
@_spi(Generated)
public final class StepRun {
    /// How many rows are read at a time.
    static let batchSize: Int64 = 500

    let step: String
    let connection: any StepConnection
    private let meter: MigrationMeter
    /// What each old entity is now, and how far its keys were moved.
    let successors: [String: (entity: String, shift: Int64)]
    private var statements: [ObjectIdentifier: RowStatements] = [:]
    /// The row that the step is at, for errors.
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
            try meter.requireGoingOn()
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
        workingTable(root) ?? (connection.hasTable("_new_" + root) ? "_new_" + root : root)
    }

    /// The table of a new root entity's rows where steps may write them.
    func workingTable(_ root: String) -> String? {
        let name = TableCopies.workingName(of: root)
        return connection.hasTable(name) ? name : nil
    }

    /// The table of pairs of the new version at the moment.
    func newPairs(_ table: String) -> String {
        connection.hasTable("_new_" + table) ? "_new_" + table : table
    }

    // MARK: Going on

    func checkCancellation() throws(MigrationError) { try meter.requireGoingOn() }

    func report(_ fraction: Double) { meter.codeIs(at: fraction) }
}

extension MigrationChain {
    /// - Throws: ``MigrationError/codeIsMissing(steps:)`` where a step of the chain is not supplied.
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

    /// Runs a step that the program supplies.
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
