import CambiumModel
import CambiumPlan

/// What SQLite can do for a migration: whatever there is a statement for.
struct SQLiteSupport: MigrationSupport {
    func finds(where condition: ModelExpression, of entity: Entity, in match: ModelMatch) -> Bool {
        match.rows(where: condition, of: entity) != nil
    }

    func finds(_ link: MigrationDeclaration.Link, in match: ModelMatch) -> Bool {
        LinkSource.all(of: link, in: match) != nil
    }

    func computes(
        _ fill: ModelExpression, for attribute: Attribute, of entity: Entity, in match: ModelMatch
    ) -> Bool {
        let former = match.formerRow(of: entity)
        return ValueSource.fill(fill, for: attribute, of: entity, in: match.new, former: former)
            != nil
    }

    func enforces(_ rule: Rule, of entity: Entity, in model: Model) -> Bool {
        model.isEnforcedByStore(rule, of: entity)
    }

    func enforces(pattern: String) -> Bool { GlobPattern(regularExpression: pattern) != nil }

    func properties(
        in expression: ModelExpression, of entity: Entity, of model: Model
    ) -> Set<String> {
        DerivationSources(of: expression, entity: entity, in: model).nodes[0].properties
    }
}

extension ModelMatch {
    /// Compares two versions whose stores are SQLite's.
    package init(old: Model, new: Model) { self.init(old: old, new: new, on: SQLiteSupport()) }
}

extension ModelDifference {
    /// Compares two versions whose stores are SQLite's.
    package init(from old: Model, to new: Model) {
        self.init(from: old, to: new, on: SQLiteSupport())
    }
}

extension DraftDifference {
    /// Compares two drafts whose stores are SQLite's.
    package init(from old: Model, to new: Model) {
        self.init(from: old, to: new, on: SQLiteSupport())
    }
}
