import CambiumMigration
import CambiumModel
import CambiumSQL

/// Steps from one version to another.
package struct MigrationSteps {
    let migrations: [Migration]
    let targets: [Model]
    let blockers: [String: String]

    /// - Parameters:
    ///   - targets: The versions after the steps, with declarations for everything that the steps
    ///     do. If a version is not among them, its own declarations are used.
    ///   - blockers: The reasons that no step starts from a version, by its name.
    package init(
        migrations: [Migration], targets: [Model] = [], blockers: [String: String] = [:]
    ) {
        self.migrations = migrations
        self.targets = targets
        self.blockers = blockers
    }
}

/// The steps from the version that wrote a store as far towards another one as they lead.
struct StoreMigrationPath {
    /// The version that wrote the store.
    let first: Model
    /// The steps in order.
    let steps: [Migration]
    /// The version of each step's end, with all declared that the step does.
    let models: [Model]
    /// The reason that the last step does not end at the requested version; nil if it does.
    let blocker: String?

    /// The version after the last step.
    var last: Model { models.last ?? first }

    /// The number of changes in the steps that delete or overwrite data.
    ///
    /// - Parameter known: The numbers of the steps examined so far, by the version after the step.
    func weight(_ known: inout [String: Int]) -> Int {
        zip([first] + models, models).reduce(0) { sum, step in
            let weight =
                known[step.1.version] ?? MigrationDataLoss.weight(from: step.0, to: step.1)
            known[step.1.version] = weight
            return sum + weight
        }
    }

    /// An empty migration, because the version that wrote the store comes after the target version.
    init(at last: Model, tooLateFor target: String) {
        first = last
        (steps, models) = ([], [])
        blocker =
            "it comes after '\(target)', which is the current version, and migrations only run "
            + "forwards: a program needs '\(last.version)' or a later one to open the store"
    }

    /// - Parameter target: The name of the version to go to.
    init(from first: Model, to target: String, versions: [Model], _ known: MigrationSteps) {
        self.first = first
        var steps: [Migration] = []
        var models: [Model] = []
        var blocker: String?
        var current = first
        while current.version != target {
            guard let step = known.migrations.first(where: { $0.from == current.version }),
                let next = (known.targets + versions).first(where: { $0.version == step.to })
            else {
                blocker =
                    known.blockers[current.version]
                    ?? "no migration starts from '\(current.version)'"
                break
            }
            if let code = step.codeSteps.first {
                blocker =
                    "the step to '\(step.to)' runs code of the program (\(code)): open the store "
                    + "with the program"
                break
            }
            steps.append(step)
            models.append(next)
            current = next
            // Ends a chain that is a circle by mistake.
            if steps.count > versions.count { break }
        }
        (self.steps, self.models, self.blocker) = (steps, models, blocker)
    }
}
