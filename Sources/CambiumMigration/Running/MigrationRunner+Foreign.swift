import CambiumSQL
import CambiumSQLite

/// What other programs have added to the model's tables.
extension MigrationRunner {
    /// The columns that come along.
    ///
    /// - Throws: ``MigrationError/storeDiffers(_:)`` where the migration has no place for some.
    func foreignColumns(
        _ changed: [StoreDifference], on connection: Connection, _ chain: MigrationChain
    ) throws -> ForeignColumns {
        guard driftPolicy == .report, !changed.isEmpty else {
            return ForeignColumns(areRepaired: !changed.isEmpty)
        }
        let foreign = ForeignColumns(
            changed, in: Catalogue(rows: try connection.rows(Catalogue.query)))
        let lost = Set(chain.migrations.flatMap(foreign.lost))
        guard lost.isEmpty else {
            throw MigrationError.columnsHaveNoPlace(changed.filter { lost.contains($0.name) })
        }
        return foreign
    }

    /// Looks at the tables of the new version for columns that nobody knew of before, because the
    /// store was made by another form of its version. They stay, or the store is refused.
    func leaveOrRefuse(_ foreign: inout ForeignColumns, in catalogue: Catalogue) throws {
        if foreign.areRepaired { return }
        let found = foreign.add(besides: schema, in: catalogue)
        guard driftPolicy != .refuse || found.isEmpty else {
            throw MigrationError.storeDiffers(found)
        }
    }

    /// Gives a new table the columns of others that the old one has, before that goes.
    func carry(
        _ foreign: ForeignColumns, before statement: MigrationStatement, of step: String,
        _ connection: Connection, _ meter: MigrationMeter
    ) throws {
        for addition in foreign.statements(before: statement.operation) {
            try execute(addition, of: step, on: connection, meter, isOfOthers: true)
        }
    }
}
