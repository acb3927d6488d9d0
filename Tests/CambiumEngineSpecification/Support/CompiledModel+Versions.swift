@_spi(Generated) import Cambium
import CambiumPostgresSQL
import CambiumSQL

extension CompiledModel {
    /// The last of some versions, with what migrates stores of the earlier ones on all engines.
    ///
    /// - Throws: All reasons why there is no plan.
    package init(versions: [Model]) throws {
        let (current, steps) = (versions[versions.count - 1], zip(versions, versions.dropFirst()))
        self.init(
            model: current, classes: [:], schema: Schema(of: current).statements,
            migrations: try steps.map { try Migration(from: $0, to: $1) },
            otherMigrations: [
                "postgres": try steps.map { try PostgresMigration.migration(from: $0, to: $1) }
            ])
    }
}
