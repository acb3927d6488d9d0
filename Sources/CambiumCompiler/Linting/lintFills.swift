import CambiumModel
import CambiumSQL

extension StepLint {
    /// Fills of required attributes that have no value for some objects.
    mutating func lintFills() {
        let (idle, step) = (difference.idleFills, self)
        for fill in new.model.migration?.fills ?? [] where !idle.contains(fill) {
            guard let entity = new.model.entity(named: fill.entity),
                let attribute = new.model.attribute(fill.attribute, of: entity),
                !attribute.isOptional,
                let culprit = FillNullability(mayBeNil: { step.mayBeNil($0, of: entity) })
                    .culprit(in: fill.value)
            else { continue }
            let subject = "\(fill.entity).\(fill.attribute)"
            report(
                .emptyFill,
                "A store with an object whose '\(culprit)' is nil is refused: the fill of \(subject) "
                    + "gives it no value",
                of: fill.entity, fill.attribute,
                notes: [
                    "Give it one in that case too, as in TERNARY(\(culprit) == nil, …, …), unless "
                        + "there is no such object"
                ])
        }
    }

    /// Whether objects that are there may have nil as an attribute: those of the version before,
    /// where it was optional.
    private func mayBeNil(_ path: String, of entity: Entity) -> Bool {
        guard let attribute = new.model.attribute(path, of: entity),
            let declarer = new.model.declarer(of: path, in: entity)
        else { return false }
        // A fill looks at what was there before any other value is given.
        return attribute.isOptional
            || difference.match.oldAttribute(of: path, in: declarer.name)?.isOptional == true
    }
}
