import CambiumMigration
import CambiumModel
import CambiumSQL

/// Steps from one version to another.
package struct MigrationSteps {
    let migrations: [Migration]
    let targets: [Model]
    let obstacles: [String: String]

    /// - Parameters:
    ///   - targets: The versions that the steps lead to, with all declared that the steps do. A
    ///     version that is not among them declares it itself.
    ///   - obstacles: Why no step starts from a version, by its name.
    package init(
        migrations: [Migration], targets: [Model] = [], obstacles: [String: String] = [:]
    ) {
        self.migrations = migrations
        self.targets = targets
        self.obstacles = obstacles
    }
}

/// The steps from the version that wrote a store as far towards another one as they lead.
struct MigrationWay {
    /// The version that wrote the store.
    let first: Model
    /// The steps in order.
    let steps: [Migration]
    /// The version of each step's end, with all declared that the step does.
    let models: [Model]
    /// Why the last step does not lead to the version that was asked for; nil where it does.
    let obstacle: String?

    /// The version that the way leads to.
    var last: Model { models.last ?? first }

    /// How many changes on the way delete or overwrite data.
    ///
    /// - Parameter known: How many do in the steps that were looked at, by the version they lead to.
    func weight(_ known: inout [String: Int]) -> Int {
        zip([first] + models, models).reduce(0) { sum, step in
            let weight =
                known[step.1.version] ?? MigrationDataLoss.weight(from: step.0, to: step.1)
            known[step.1.version] = weight
            return sum + weight
        }
    }

    /// No way: the version that wrote the store comes after the one to go to.
    init(at last: Model, tooLateFor target: String) {
        first = last
        (steps, models) = ([], [])
        obstacle =
            "it comes after '\(target)', which is the current version, and migrations only run "
            + "forwards: a program needs '\(last.version)' or a later one to open the store"
    }

    /// - Parameter target: The name of the version to go to.
    init(from first: Model, to target: String, versions: [Model], _ known: MigrationSteps) {
        self.first = first
        var steps: [Migration] = []
        var models: [Model] = []
        var obstacle: String?
        var current = first
        while current.version != target {
            guard let step = known.migrations.first(where: { $0.from == current.version }),
                let next = (known.targets + versions).first(where: { $0.version == step.to })
            else {
                obstacle =
                    known.obstacles[current.version]
                    ?? "no migration starts from '\(current.version)'"
                break
            }
            if let code = step.codeSteps.first {
                obstacle =
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
        (self.steps, self.models, self.obstacle) = (steps, models, obstacle)
    }
}
