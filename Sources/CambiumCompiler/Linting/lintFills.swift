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
                let culprit = FillNullability(
                    mayBeNil: { step.mayBeNil($0, of: entity) },
                    mayBeZero: { step.mayBeZero($0, of: entity) }
                ).culprit(in: fill.value)
            else { continue }
            let (objects, remedy) = Self.words(for: culprit)
            report(
                .emptyFill,
                "A store with an object \(objects) is refused: the fill of "
                    + "\(fill.entity).\(fill.attribute) gives it no value",
                of: fill.entity, fill.attribute,
                notes: ["\(remedy), unless there is no such object"])
        }
    }

    private static func words(
        for culprit: FillNullability.Culprit
    ) -> (objects: String, remedy: String) {
        func remedy(_ condition: String) -> String {
            "Give it one in that case too, as in TERNARY(\(condition), …, …)"
        }
        switch culprit {
        case .absent(let path): return ("whose '\(path)' is nil", remedy("\(path) == nil"))
        case .zero(.literal): return ("of any kind", "Divide by another number")
        case .zero(let divisor):
            return ("whose '\(divisor)' is 0", remedy("\(divisor) == 0"))
        case .branch:
            return ("that comes to 'nil' in it", "Write a value for it in place of 'nil'")
        }
    }

    /// Whether objects that are there may have 0 as a number: where limits do not exclude it.
    private func mayBeZero(_ path: String, of entity: Entity) -> Bool {
        guard let declarer = new.model.declarer(of: path, in: entity),
            let limits = difference.match.oldAttribute(of: path, in: declarer.name)?.limits
        else { return true }
        let isPositive = limits.minimum.flatMap(FillNullability.sign) == 1
        let isNegative = limits.maximum.flatMap(FillNullability.sign) == -1
        return !isPositive && !isNegative
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
