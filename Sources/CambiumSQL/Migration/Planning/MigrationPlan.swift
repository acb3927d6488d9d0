import CambiumModel
import CambiumPlan

/// The SQL that makes a store of one version a store of another.
///
/// All old tables stay until the new ones are filled, so that every new value can come from
/// anywhere: first each changed table is rebuilt beside the old one and filled from old tables,
/// then what is replaced or deleted is dropped, the new tables take their names, and indexes are
/// made. Foreign keys must be off meanwhile; the caller checks them at the end.
package struct MigrationPlan: Sendable {
    /// The steps in order.
    package let steps: [MigrationStep]
    /// The changes that they carry out.
    package let changes: [ModelChange]
    /// How the history of a store is taken along; nil where nothing in it has another name or meaning
    /// afterwards.
    package let history: MigrationHistory?

    /// Plans a migration.
    ///
    /// - Parameter schemas: The tables of both, where they are laid out already.
    /// - Throws: All reasons why there is none.
    package init(
        from old: Model, to new: Model, schemas: (old: Schema, new: Schema)? = nil
    ) throws(MigrationProblems) {
        try self.init(
            ModelDifference(from: old, to: new),
            schemas: schemas ?? (Schema(of: old), Schema(of: new)))
    }

    /// Plans what a difference asks for.
    ///
    /// - Parameter schemas: The tables of both versions.
    /// - Throws: All reasons why there is no plan.
    package init(
        _ difference: ModelDifference, schemas: (old: Schema, new: Schema)
    ) throws(MigrationProblems) {
        guard difference.problems.isEmpty else {
            throw MigrationProblems(difference.problems)
        }
        changes = difference.changes
        steps =
            MigrationStepBuilder(difference: difference, schemas.old, schemas.new).steps
        history =
            changes.allSatisfy { $0.kind == .additive }
                && steps.allSatisfy { $0.kind == .additive }
            ? nil : HistoryPlanner(difference, schemas.old, schemas.new).history
    }
}

/// A part of a migration: what it does in words, and the SQL that does it.
public struct MigrationStep: Sendable, Hashable {
    /// What the step does.
    public let summary: String
    /// What it means for the data.
    public let kind: MigrationKind
    /// Whether data is deleted or becomes less exact: a copy of the store is made first. A step
    /// that needs data may do so too, which its kind alone does not tell.
    public let losesData: Bool
    /// The tables whose rows it reads or writes, by the names that they have afterwards.
    public let tables: [String]
    /// The name of the program's step that runs after the statements, if any.
    public let code: String?
    /// The statements in order.
    public let statements: [MigrationStatement]

    /// The texts of the statements.
    public var sql: [String] { statements.map(\.sql) }

    /// Describes a step.
    ///
    /// - Parameter losesData: nil takes the answer from the kind.
    public init(
        summary: String, kind: MigrationKind, losesData: Bool? = nil, tables: [String] = [],
        code: String? = nil, statements: [MigrationStatement]
    ) {
        self.summary = summary
        self.kind = kind
        self.losesData =
            losesData ?? [.lossy, .destructive, .needsCode].contains(kind)
        self.tables = tables
        self.code = code
        self.statements = statements
    }
}

/// How a migration takes the history of a store along.
///
/// Earlier changes are reported under the new names afterwards, and the migration itself is a
/// transaction: the objects that it deletes, and those whose values it sets again.
public struct MigrationHistory: Sendable, Hashable {
    /// What is done before the first step, in order.
    public let before: [String]
    /// What is done after the last step, in order.
    public let after: [String]
    /// Why it is unknown what the migration changes, as a sentence; nil where that is known. Then
    /// the history starts over.
    public let obstacle: String?

    /// Describes how a history is taken along.
    public init(before: [String], after: [String]) {
        (self.before, self.after, obstacle) = (before, after, nil)
    }

    /// Describes why it is not.
    public init(obstacle: String) {
        (before, after, self.obstacle) = ([], [], obstacle)
    }
}

/// How the key table follows the root entities. A key that was given once is never given again.
struct KeyTablePlan {
    let match: ModelMatch

    /// The statements, once no old table is needed any more.
    var statements: [MigrationStatement] {
        let oldRoots = match.oldRoots
        var uses: [String: Int] = [:]
        for name in oldRoots.values.joined() { uses[name, default: 0] += 1 }
        let isOneToOne =
            oldRoots.values.allSatisfy { $0.count <= 1 } && uses.values.allSatisfy { $0 == 1 }
        return isOneToOne ? renames(oldRoots) : sums(oldRoots)
    }

    /// Each root was one root at most.
    private func renames(_ oldRoots: [String: [String]]) -> [MigrationStatement] {
        let used = Set(oldRoots.values.joined())
        var first = match.old.roots.map(\.name).filter { !used.contains($0) }.map(deletion)
        var last: [MigrationStatement] = []
        for root in match.new.roots.map(\.name) {
            guard let oldRoot = oldRoots[root]?.first else {
                last.append(insertion(SQLText.literal(root), "1"))
                continue
            }
            guard oldRoot != root else { continue }
            // By way of a name that no entity has, because two entities may exchange theirs.
            first.append(rename(SQLText.literal(oldRoot), to: temporary(root)))
            last.append(rename(temporary(root), to: SQLText.literal(root)))
        }
        return first + last
    }

    /// The objects of several roots come together, or those of one part.
    private func sums(_ oldRoots: [String: [String]]) -> [MigrationStatement] {
        let roots = match.new.roots.map(\.name)
        let entries = roots.map { root in
            let names = oldRoots[root] ?? []
            let next = names.isEmpty ? "1" : "1 + \(ModelMatch.keyCount(of: names))"
            return insertion(temporary(root), next)
        }
        return entries + match.old.roots.map { deletion($0.name) }
            + roots.map { rename(temporary($0), to: SQLText.literal($0)) }
    }

    private func insertion(_ root: String, _ next: String) -> MigrationStatement {
        .insert(into: KeySQL.table, "(\"entity\", \"next\") VALUES (\(root), \(next))")
    }

    private func deletion(_ root: String) -> MigrationStatement {
        .delete(from: KeySQL.table, where: "\"entity\" = \(SQLText.literal(root))")
    }

    private func rename(_ root: String, to name: String) -> MigrationStatement {
        .update(KeySQL.table, set: "\"entity\" = \(name)", where: "\"entity\" = \(root)")
    }

    private func temporary(_ root: String) -> String { SQLText.literal("_new_" + root) }
}
