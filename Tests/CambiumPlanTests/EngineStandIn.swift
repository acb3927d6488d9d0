import CambiumModel
import CambiumPlan

/// An engine that does all that it is asked about, but for what a test takes from it.
struct EngineStandIn: MigrationSupport {
    var findsObjects = true
    var computesFills = true
    var enforcesConditions = true

    func finds(where condition: ModelExpression, of entity: Entity, in match: ModelMatch) -> Bool {
        findsObjects
    }

    func finds(_ link: MigrationDeclaration.Link, in match: ModelMatch) -> Bool { findsObjects }

    func computes(
        _ fill: ModelExpression, for attribute: Attribute, of entity: Entity, in match: ModelMatch
    ) -> Bool { computesFills }

    func enforces(_ rule: Rule, of entity: Entity, in model: Model) -> Bool { enforcesConditions }

    func enforces(pattern: String) -> Bool { enforcesConditions }

    func properties(
        in expression: ModelExpression, of entity: Entity, of model: Model
    ) -> Set<String> {
        var properties: Set<String> = []
        expression.visit { part in
            guard case .keyPath(root: .subject, let names) = part else { return }
            properties.insert(names.joined(separator: "."))
        }
        return properties
    }
}

extension ModelDifference {
    /// Compares two versions whose stores can do everything.
    convenience init(from old: Model, to new: Model) {
        self.init(from: old, to: new, on: EngineStandIn())
    }
}

extension ModelMatch {
    /// Compares two versions whose stores can do everything.
    convenience init(old: Model, new: Model) { self.init(old: old, new: new, on: EngineStandIn()) }
}
