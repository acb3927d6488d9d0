import CambiumEngine
import CambiumRecords

extension SQLiteBatch {
    /// Writes changed rows that want unique values of each other: looks at all of them first, and
    /// takes those out of their tables meanwhile that hold values which others get.
    ///
    /// - Throws: What the arbiter throws where a row wants what another one keeps.
    func writePlanned(_ request: SaveRequest, _ arbiter: any ConflictArbiter) throws {
        let planner = SavePlanner(lookup: rows, model: model)
        let plan = try planner.plan(request, arbiter)
        let settled = plan.request
        try withExtendedLifetime(plan) {
            try write(settled, moving: try planner.movers(in: plan))
        }
    }
}
