import CambiumModel
import CambiumSQL

extension StepLint {
    /// Fills of attributes that objects need, and that have no value for some objects.
    func lintFills() {
        let idle = difference.idleFills
        for fill in new.model.migration?.fills ?? [] where !idle.contains(fill) {
            guard let culprit = culprit(in: fill) else { continue }
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
}
