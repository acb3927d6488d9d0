import CambiumPlan
import CambiumSQL

/// What the proof of a migration has to know about the program's steps in it.
struct SteppedProof {
    /// The steps: the program's own, or what stands in for them.
    let code: [CodeStep]
    /// Whether sample values stand in for the program.
    let isStandIn: Bool
    /// The tables of the new version in which rows are not what the two versions say.
    let writtenTables: Set<String>

    /// Prepares for a migration; nil where the program has nothing to do in it.
    init?(
        _ match: ModelMatch, _ migration: Migration, _ schema: Schema, _ code: [CodeStep]?
    ) {
        guard !migration.codeSteps.isEmpty,
            let coverage = StepCoverage(ModelDifference(from: match.old, to: match.new))
        else { return nil }
        isStandIn = code == nil
        let model = match.new
        if let code {
            self.code = code
            writtenTables = Set(
                schema.tables.filter { coverage.covers($0, in: model) }.map(\.name))
        } else {
            let standIn = StepStandIn(model: model, schema: schema, supplied: coverage.supplied)
            // It fills all at once; the steps after the first find nothing to do.
            self.code = migration.codeSteps.map { name in
                CodeStep(name, from: migration.from, standIn.run)
            }
            // Where a link is missing it sets one, and may have to make an object for it.
            let entities = coverage.supplied.filter(\.isRelationship).flatMap { value in
                let entity = model.entity(named: value.entity)
                let relationship = entity.flatMap { model.relationship(value.property, of: $0) }
                return [entity, relationship.flatMap { model.entity(named: $0.destination) }]
            }
            writtenTables = Set(entities.compactMap(\.self).map { model.root(of: $0).name })
        }
    }
}
