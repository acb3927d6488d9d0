import CambiumModel
import CambiumSQL

extension CompiledBundle {
    /// What is right and worth knowing: the rules that only a save checks, a line each.
    package var remarks: [String] {
        guard let model = versions.last?.model else { return [] }
        return model.entities.flatMap { entity in
            entity.rules.filter { !model.isEnforcedByStore($0, of: entity) }.map { rule in
                "The rule \(entity.name).\(rule.name) is checked on save; the store cannot"
            }
        }
    }
}
