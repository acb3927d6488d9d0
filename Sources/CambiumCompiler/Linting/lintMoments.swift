import CambiumModel
import CambiumSQL

extension StepLint {
    /// A default of now says when an object was made; of one that is there already it is wrong.
    func lintMoments() {
        let fills = new.model.migration?.fills ?? []
        for change in difference.changes {
            let (entity, name): (String, String)
            switch change {
            case .attributeAdded(let owner, let added, isFilled: false):
                (entity, name) = (owner, added)
            case .attributeBecameRequired(let owner, let changed): (entity, name) = (owner, changed)
            default: continue
            }
            guard let owner = new.model.entity(named: entity),
                new.model.attribute(name, of: owner)?.defaultValue == .now,
                !fills.contains(where: { $0.entity == entity && $0.attribute == name })
            else { continue }
            report(
                .inventedMoment,
                "Objects that are there without a value get the moment of the migration as their "
                    + "'\(name)'",
                of: entity, name,
                notes: [
                    "Fill it in \(wording.migration(to: new.model.version)) with a value that says "
                        + "that it is not known, or from another attribute; or make it optional "
                        + "without a default"
                ])
        }
    }
}
