import CambiumPlan

/// What a store is to a program: of which version, and how far from the program's.
package struct StatusReport: MigrationReport {
    /// What a store is to a program.
    package enum State: String, Sendable {
        /// There is no store.
        case none
        /// The store has the program's version.
        case current
        /// The store has the program's version with other checks, defaults or indexes.
        case outdated
        /// The store has an earlier version, and a chain ends at the program's.
        case behind
        /// The program cannot open the store.
        case refused
    }

    /// An object of the store that another program has changed.
    package struct Difference: Sendable {
        /// Its name.
        package let name: String
        /// In what way it differs.
        package let kind: String
        /// The columns and constraints of a table that differ, where that is known.
        package let parts: [Part]
        /// Why a repair cannot put it right; empty where nothing is in the way.
        package let obstacles: [String]
        /// All that in words.
        let words: String

        /// A column or a constraint of a table.
        package struct Part: Sendable {
            /// Its name.
            package let name: String
            /// In what way it differs.
            package let kind: String
            /// How many values are in a column that another program has added.
            package let values: Int?
        }

        var members: ReportValue {
            .object([
                "name": .text(name), "kind": .text(kind),
                "parts": .list(
                    parts.map { part in
                        .object([
                            "name": .text(part.name), "kind": .text(part.kind),
                            "values": .number(part.values),
                        ])
                    }),
                "obstacles": .texts(obstacles),
            ])
        }
    }

    /// An object of another program's that is in the way of the migration.
    package struct ExternalObject: Sendable {
        /// Its name.
        package let name: String
        /// Whether it is a table, index, view or trigger.
        package let kind: String
        /// What is wrong, in words.
        package let reason: String
        /// What to do about it.
        package let remedy: String

        /// Both in words.
        var words: String { "\(reason): \(remedy)" }

        var members: ReportValue {
            .object([
                "name": .text(name), "kind": .text(kind), "reason": .text(reason),
                "remedy": .text(remedy),
            ])
        }

        init(_ object: CambiumMigration.ExternalObject) {
            (name, kind) = (object.name, object.kind.rawValue)
            (reason, remedy) = (object.description, object.remedy)
        }
    }

    /// The store's path.
    package let store: String
    /// The program's model.
    package let model: String
    /// The program's version of it.
    package let programVersion: String
    /// What the store is.
    package let state: State
    /// The store's version, where that is known.
    package var version: String?
    /// The versions on the way to the program's, the store's first; empty where there is no way.
    package var versions: [String] = []
    /// The class of the gravest step.
    package var `class`: String?
    /// Whether data is deleted or becomes less exact on the way, which a graver class does not
    /// tell.
    package var losesData = false
    /// The steps that the program supplies.
    package var codeSteps: [String] = []
    /// What becomes of the store's history, in words; nil where it has none.
    package var history: String?
    /// What another program has changed.
    package var differences: [Difference] = []
    /// What a repair of that would do, in words.
    package var repair: String?
    /// What other programs have put into the store that is in the way of the migration.
    package var inTheWay: [ExternalObject] = []
    /// Why the program cannot open the store.
    package var problem: String?

    package var members: ReportValue {
        .object([
            "store": .text(store), "model": .text(model), "programVersion": .text(programVersion),
            "state": .text(state.rawValue), "version": .text(version),
            "versions": .texts(versions), "class": .text(self.class),
            "losesData": .flag(losesData), "codeSteps": .texts(codeSteps),
            "history": .text(history), "differences": .list(differences.map(\.members)),
            "repair": .text(repair), "inTheWay": .list(inTheWay.map(\.members)),
            "problem": .text(problem),
        ])
    }

    package var text: String {
        let words =
            switch state {
            case .none: "there is no store yet"
            case .current: "current: version \(programVersion) of \(model)"
            case .outdated:
                "version \(programVersion) of \(model); checks, defaults or indexes will be "
                    + "brought up to date"
            case .behind: "behind: version \(version ?? "?"), the program has \(programVersion)"
            case .refused: "cannot be opened"
            }
        let count = max(0, versions.count - 1).counted("migration")
        return ReportText.list(
            [
                ("Store", store), ("State", words),
                ("Way", state == .behind ? "\(ReportText.way(versions)) (\(count))" : nil),
                ("Why", state == .refused ? problem ?? "unknown" : nil),
                ("Class", `class`.flatMap(MigrationKind.init)?.words(losesData: losesData)),
                ("Code", codeSteps.isEmpty ? nil : codeSteps.joined(separator: ", ")),
            ]
                + Self.entries(
                    history: history, differences: differences, repair: repair, inTheWay: inTheWay))
    }

    /// What else there is to say of a store.
    static func entries(
        history: String?, differences: [Difference], repair: String?, inTheWay: [ExternalObject]
    ) -> [(label: String, value: String?)] {
        let names = differences.isEmpty ? nil : Difference.list(differences)
        return [
            ("History", history), ("Changed", names.map { "by another program: \($0)" }),
            ("Repair", repair),
        ] + inTheWay.map { ("In the way", $0.words) }
    }
}

extension StatusReport.Difference {
    init(_ difference: StoreDifference) {
        self.init(
            name: difference.name, kind: difference.kind.rawValue,
            parts: difference.parts.map {
                Part(name: $0.name, kind: $0.kind.rawValue, values: $0.values)
            },
            obstacles: difference.obstacles, words: difference.description)
    }

    /// Several, for people.
    static func list(_ differences: [Self]) -> String {
        differences.map(\.words).joined(separator: ", ")
    }
}
