import CambiumModel
import CambiumPlan

extension StepCoverage {
    /// Whether the steps may write a table of the new version.
    package func covers(_ table: Table, in model: Model) -> Bool {
        switch table.content {
        case .system: return false
        case .objects(let root): return roots.contains(root)
        case .links(let entity, let name):
            guard let source = model.entity(named: entity),
                let relationship = model.relationship(name, of: source)
            else { return false }
            return [entity, relationship.destination].compactMap(model.entity(named:))
                .contains { roots.contains(model.root(of: $0).name) }
        }
    }
}

/// The tables that the program's steps work on, between the statements that fill them and those
/// that ask of their rows what the new version asks.
package enum StepTableSQL {
    /// The next free key of each root entity that steps write.
    package static let keys = "_code_keys"
    /// What each old entity is now, and how far its keys were moved.
    package static let entities = "_code_entities"
    /// What the program said about which new object an old one became.
    package static let successors = "_code_successors"
    /// The keys of the new objects that were deleted again.
    package static let deletions = "_code_deletions"

    /// Makes a working table. It asks nothing of its rows, so that values may come one after the other.
    static func create(_ table: Table) -> MigrationStatement {
        let columns = table.columns.filter { !$0.isGenerated && $0.name != "_id" }
            .map { SQLText.identifier($0.name) }
        return .create(
            TableCopies.workingName(of: table.name),
            "(" + (["\"_id\" INTEGER PRIMARY KEY"] + columns).joined(separator: ", ") + ")")
    }

    /// Makes the tables that help the steps, and fills them.
    static func prepare(_ match: ModelMatch, _ coverage: StepCoverage) -> [MigrationStatement] {
        let oldRoots = match.oldRoots
        let keys = coverage.roots.sorted().map { root in
            let names = oldRoots[root] ?? []
            let next = names.isEmpty ? "1" : "1 + coalesce(\(ModelMatch.keyCount(of: names)), 0)"
            return MigrationStatement.insert(
                into: Self.keys, "(\"entity\", \"next\") VALUES (\(literal(root)), \(next))")
        }
        let entities = match.old.entities.compactMap { entity -> MigrationStatement? in
            guard let successor = match.newEntity(of: entity) else { return nil }
            let shift = match.keyShift(of: entity).map { "coalesce(\($0), 0)" } ?? "0"
            return .insert(
                into: Self.entities,
                """
                ("entity", "successor", "shift") \
                VALUES (\(literal(entity.name)), \(literal(successor.name)), \(shift))
                """)
        }
        return [
            .create(
                Self.keys, "(\"entity\" TEXT PRIMARY KEY, \"next\" INTEGER NOT NULL) STRICT"),
            .create(
                Self.entities,
                """
                ("entity" TEXT PRIMARY KEY, \
                "successor" TEXT NOT NULL, "shift" INTEGER NOT NULL) STRICT
                """),
            .create(
                successors,
                """
                ("root" TEXT, "key" INTEGER, "newRoot" TEXT, "newKey" INTEGER NOT NULL, \
                PRIMARY KEY ("root", "key", "newRoot")) STRICT, WITHOUT ROWID
                """),
            .create(
                deletions,
                """
                ("root" TEXT, "key" INTEGER, \
                PRIMARY KEY ("root", "key")) STRICT, WITHOUT ROWID
                """),
        ] + keys + entities
    }

    /// Brings the key table up to what the steps have given, and removes what has helped them.
    static func finish(_ coverage: StepCoverage) -> [MigrationStatement] {
        coverage.roots.sorted().map { root in
            .update(
                KeySQL.table,
                set: """
                    "next" = max("next", (SELECT given."next" FROM \
                    \(quoted(keys)) AS given WHERE given."entity" = \(literal(root))))
                    """,
                where: "\"entity\" = \(literal(root))", from: [keys])
        } + [keys, entities, successors, deletions].map { .drop($0) }
    }

    /// Gives a new table, which exists, the rows that the steps have left. From here on they meet
    /// the conditions of the new version.
    static func settle(_ table: Table, into name: String) -> [MigrationStatement] {
        let columns = table.columns.filter { !$0.isGenerated }
            .map { SQLText.identifier($0.name) }.joined(separator: ", ")
        let working = TableCopies.workingName(of: table.name)
        return [
            MigrationStatement(
                .settleRows(root: table.name, into: name),
                "INSERT INTO \(quoted(name)) (\(columns))\n",
                "SELECT \(columns)\nFROM \(quoted(working))"),
            .drop(working),
        ]
    }

    /// The same for one row, whose key is the parameter, of a statement that settles rows.
    package static func settlementOfOne(_ statement: MigrationStatement) -> String {
        statement.sql + " WHERE \"_id\" = ?"
    }

    static func quoted(_ name: String) -> String { SQLText.identifier(name) }

    static func literal(_ text: String) -> String { SQLText.literal(text) }
}
