import CambiumModel
import CambiumSQL

extension CompiledBundle {
    /// What is right and worth knowing, a line each: the rules that only a save checks, and what the
    /// program's own steps of migrations have to fill.
    package var remarks: [String] {
        guard let model = versions.last?.model else { return [] }
        return steppedRemarks
            + model.entities.flatMap { entity in
                entity.rules.filter { !model.isEnforcedByStore($0, of: entity) }.map { rule in
                    "The rule \(entity.name).\(rule.name) is checked on save; the store cannot"
                }
            }
    }

    private var steppedRemarks: [String] {
        SteppedMigration.all(between: versions.map(\.model)).map { stepped in
            let names = stepped.coverage.steps.map(\.name).joined(separator: ", ")
            let values = stepped.coverage.supplied.map(\.name).joined(separator: ", ")
            return
                "The migration from version \(stepped.old.version) to \(stepped.new.version) runs "
                + "\(names) of the program"
                + (values.isEmpty ? "" : ", which must fill \(values)")
                + ": prove it with \(name).verifyMigrations"
        }
    }
}
