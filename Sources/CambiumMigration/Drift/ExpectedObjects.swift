import CambiumModel
import CambiumPlan
import CambiumSQL
import CambiumSQLite

/// The known tables and indexes that a store should have.
indirect enum ExpectedObjects {
    /// All objects, because the store has the program's version.
    case all(Schema)
    /// The columns of the tables. The store has the program's version, but was created when that
    /// version had other checks, defaults or indexes.
    case columns(Schema)
    /// A fingerprint of each, because the store has an earlier version. The program's version adds
    /// details about some tables. If something differs, the statements of the chain are searched
    /// for more details.
    case fingerprints([String: String], later: Schema, FormerStatements)
    /// No expected objects. The store has the program's version in an unknown form.
    case nothing

    /// The statements of a chain before and after a version.
    struct FormerStatements {
        let earlier: [MigrationStatement]
        let later: [SchemaOperation]
    }

    /// Returns the differences of a store, sorted by name.
    func differences(in connection: Connection) throws(SQLiteError) -> [StoreDifference] {
        var rows = try connection.rows(Catalogue.query)
        rows.removeAll { row in
            // SQLite's statistics, and the history: it is optional.
            guard case .text(let name)? = row.first else { return true }
            return name.hasPrefix("sqlite_") || name.hasPrefix(HistorySQL.prefix)
        }
        let differences =
            switch self {
            case .all(let schema): Self.differences(of: rows, from: schema)
            case .columns(let schema):
                try Self.external(in: rows, besides: Self.statements(of: schema.tables))
                    + Self.columnDifferences(in: connection, from: schema)
            case .fingerprints(let expected, let later, let former):
                Self.differences(of: rows, from: expected, later, former)
            case .nothing: [StoreDifference]()
            }
        return differences.ordered { $0.name < $1.name }
    }

    /// The tables that are known completely. This takes time for an earlier version.
    var tables: [Table] {
        switch self {
        case .all(let schema), .columns(let schema): schema.tables
        case .fingerprints(let expected, let later, _):
            Catalogue.tables(ofFingerprints: expected, from: later)
        case .nothing: []
        }
    }

    // MARK: Names

    /// The names of the tables and indexes that are the model's own.
    func names(
        among objects: [StoreObject], _ chain: MigrationChain?, _ target: Schema
    ) -> [String] {
        func names(of schema: Schema) -> [String] {
            schema.tables.map(\.name) + schema.tables.flatMap(\.indexes).map(\.name)
        }
        switch self {
        case .all(let schema): return names(of: schema)
        case .columns(let schema):
            // An older store may have other indexes.
            return schema.tables.map(\.name) + Self.indexes(among: objects)
        case .fingerprints(let expected, _, _):
            let used = Self.names(neededBy: chain, target)
            let keys = Set(expected.keys)
            // If a chain does not begin with the first version, its information is incomplete.
            let isAll = used.allSatisfy(keys.contains)
            return expected.keys + (isAll ? [] : used + Self.indexes(among: objects))
        case .nothing:
            return Self.names(neededBy: chain, target) + Self.indexes(among: objects)
        }
    }

    private static func indexes(among objects: [StoreObject]) -> [String] {
        objects.filter { $0.kind == .index && TableIndex.mayBeOurs($0.name) }.map(\.name)
    }

    /// The tables that a chain drops, or that the new version has, without the tables that the
    /// chain itself creates.
    private static func names(neededBy chain: MigrationChain?, _ target: Schema) -> [String] {
        var used: [String] = []
        var made: Set<String> = []
        for operation in chain?.operations ?? [] {
            switch operation {
            case .dropTable(let table) where !made.contains(table): used.append(table)
            case .createTable(let table), .renameTable(_, let table): made.insert(table)
            default: continue
            }
        }
        return used + target.tables.map(\.name).filter { !made.contains($0) }
    }

    // MARK: All

    /// A store that was never migrated has the original text of each statement. Only other texts
    /// are compared by their meaning.
    private static func differences(
        of rows: [[StoredValue]], from schema: Schema
    ) -> [StoreDifference] {
        let statements = statements(of: schema.tables)
        let actual = texts(of: rows)
        let suspects = statements.filter { name, statement in actual[name] != statement }
        guard !suspects.isEmpty else { return external(in: rows, besides: statements) }
        let expectedMeaning = Catalogue(rows: suspects.map { [.text($0.key), .text($0.value)] })
        let actualMeaning = Catalogue(
            rows: rows.filter { row in
                if case .text(let name)? = row.first { suspects[name] != nil } else { false }
            })
        let changed = actualMeaning.differences(from: expectedMeaning).map { name in
            StoreDifference(
                name: name, kind: actual[name] == nil ? .missing : .changed,
                expected: statements[name], actual: actual[name],
                parts: parts(of: name, in: actualMeaning, besides: expectedMeaning))
        }
        return changed + external(in: rows, besides: statements)
    }

    private static func parts(
        of table: String, in actual: Catalogue, besides expected: Catalogue
    ) -> [StoreDifference.Part] {
        guard let before = expected.parts(of: table), let after = actual.parts(of: table) else {
            return []
        }
        // SQLite ignores case in names.
        let known = Dictionary(
            before.map { ($0.name.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
        let names = Set(after.map { $0.name.lowercased() })
        return after.compactMap { part in
            guard let old = known[part.name.lowercased()] else { return .init(part, .external) }
            return old == part ? nil : .init(part, .changed)
        }
            + before.filter { !names.contains($0.name.lowercased()) }.map { .init($0, .missing) }
    }

    private static func statements(of tables: [Table]) -> [String: String] {
        var statements: [String: String] = [:]
        for table in tables {
            statements[table.name] = table.createStatement()
            for index in table.indexes { statements[index.name] = index.createStatement }
        }
        return statements
    }

    private static func texts(of rows: [[StoredValue]]) -> [String: String] {
        var texts: [String: String] = [:]
        for row in rows {
            if case .text(let name)? = row.first, case .text(let sql)? = row.last {
                texts[name] = sql
            }
        }
        return texts
    }

    private static func external(
        in rows: [[StoredValue]], besides known: [String: String]
    ) -> [StoreDifference] {
        texts(of: rows).compactMap { name, sql in
            known[name] == nil ? StoreDifference(name: name, kind: .external, actual: sql) : nil
        }
    }

    // MARK: Less than all

    private static func differences(
        of rows: [[StoredValue]], from expected: [String: String], _ later: Schema,
        _ former: FormerStatements
    ) -> [StoreDifference] {
        let catalogue = Catalogue(rows: rows)
        let actual = catalogue.fingerprints
        guard expected.contains(where: { actual[$0] != $1 }) else {
            return external(in: rows, besides: expected)
        }
        let texts = texts(of: rows)
        let formerTables = FormerTables(
            after: former.earlier, before: former.later, expected)
        let statements = statements(
            of: Catalogue.tables(ofFingerprints: expected, from: later)
        ).merging(formerTables.statements) { known, _ in known }
        let knownCatalogue = Catalogue(rows: statements.map { [.text($0.key), .text($0.value)] })
        let changed = expected.compactMap { name, fingerprint -> StoreDifference? in
            guard actual[name] != fingerprint else { return nil }
            let parts =
                statements[name] == nil
                ? guessedParts(of: name, fingerprint, in: catalogue, formerTables)
                : parts(of: name, in: catalogue, besides: knownCatalogue)
            return StoreDifference(
                name: name, kind: actual[name] == nil ? .missing : .changed,
                expected: statements[name], actual: texts[name], parts: parts)
        }
        return changed + external(in: rows, besides: expected)
    }

    /// The probable differences of a table with an unknown statement. If the fingerprint matches
    /// without some columns, these are the differences. Otherwise, they are the missing columns
    /// that the chain will need.
    private static func guessedParts(
        of table: String, _ fingerprint: String, in catalogue: Catalogue, _ former: FormerTables
    ) -> [StoreDifference.Part] {
        let added = catalogue.columnsAdded(to: table, ofFingerprint: fingerprint)
        if !added.isEmpty { return added.map { .init($0, .external) } }
        guard let parts = catalogue.parts(of: table) else { return [] }
        let names = Set(parts.filter(\.isColumn).map { $0.name.lowercased() })
        return former.later.columnsRead(of: table).filter { !names.contains($0.lowercased()) }
            .map { .init(name: $0, kind: .missing) }
    }

    private static func columnDifferences(
        in connection: Connection, from schema: Schema
    ) throws(SQLiteError) -> [StoreDifference] {
        var columns: [String: Set<String>] = [:]
        for row in try connection.rows(Catalogue.columnsQuery) {
            if case .text(let table)? = row.first, case .text(let column)? = row.last {
                columns[table, default: []].insert(column)
            }
        }
        return schema.tables.compactMap { table in
            guard let actual = columns[table.name] else {
                return StoreDifference(
                    name: table.name, kind: .missing, expected: table.createStatement())
            }
            let expected = table.columns.map(\.name)
            let added = actual.sorted().filter { !Self.contains(expected, $0) }
            let gone = expected.sorted().filter { !Self.contains(Array(actual), $0) }
            guard !(added.isEmpty && gone.isEmpty) else { return nil }
            return StoreDifference(
                name: table.name, kind: .changed, expected: table.createStatement(),
                parts: added.map { .init(name: $0, kind: .external) }
                    + gone.map { .init(name: $0, kind: .missing) })
        }
    }

    private static func contains(_ names: [String], _ name: String) -> Bool {
        names.contains { $0 == name || $0.lowercased() == name.lowercased() }
    }
}

extension StoreDifference.Part {
    init(_ part: Catalogue.Part, _ kind: StoreDifference.Kind) {
        self.init(name: part.name, kind: kind, isColumn: part.isColumn)
    }
}

/// The columns that other programs have added to the model's tables, for a migration that keeps
/// them. If a table is rebuilt, the new table gets them too.
struct AddedColumns {
    /// The columns of each table.
    private(set) var tables: [String: [Catalogue.Part]] = [:]
    /// Whether a repair deletes the columns. If so, a copy of the store was made first.
    let areRepaired: Bool

    /// Creates a value without known columns.
    init(areRepaired: Bool = false) {
        self.areRepaired = areRepaired
    }

    /// Takes the columns from the differences of a comparison.
    init(_ differences: [StoreDifference], in catalogue: Catalogue) {
        areRepaired = false
        for difference in differences {
            let names = Set(difference.parts.filter { $0.kind == .external }.map(\.name))
            let columns = (catalogue.parts(of: difference.name) ?? [])
                .filter { $0.isColumn && names.contains($0.name) }
            if !columns.isEmpty { tables[difference.name] = columns }
        }
    }

    /// The names of the added columns, by the names of the tables.
    var names: [String: Set<String>] { tables.mapValues { Set($0.map(\.name)) } }

    /// The statements that add the columns to the tables of a new version.
    var additions: [MigrationStatement] {
        tables.keys.sorted().flatMap { table in
            (tables[table] ?? []).map { .add($0.name, $0.definition, to: table) }
        }
    }

    /// Adds the columns that tables have in addition to a schema, and that are not known yet.
    ///
    /// - Parameter isOfOthers: Whether a column is not the model's own.
    /// - Returns: The tables with such columns.
    mutating func add(
        besides schema: Schema, in catalogue: Catalogue,
        where isOfOthers: (Catalogue.Part) -> Bool = { _ in true }
    ) -> [StoreDifference] {
        schema.tables.compactMap { table in
            let expected = Set(table.columns.map { $0.name.lowercased() })
            let known = names[table.name] ?? []
            let more = (catalogue.parts(of: table.name) ?? []).filter {
                $0.isColumn && !expected.contains($0.name.lowercased()) && !known.contains($0.name)
                    && isOfOthers($0)
            }
            guard !more.isEmpty else { return nil }
            tables[table.name, default: []] += more
            return StoreDifference(
                name: table.name, kind: .changed,
                parts: more.map { .init(name: $0.name, kind: .external) })
        }
    }

    // MARK: During a migration

    /// Returns the tables with added columns that cannot be migrated. The rows of such a table are
    /// deleted or moved to other tables, or the new version has a column with the same name.
    func lost(in migration: Migration) -> [String] {
        let operations = migration.operations
        return tables.keys.sorted().filter { table in
            let made = TableCopies.columnsMade(in: table, by: operations)
            let names = tables[table, default: []].map { $0.name.lowercased() }
            if names.contains(where: made.contains) { return true }
            return operations.contains(.dropTable(table))
                && !TableCopies.isCarried(table, by: operations)
        }
    }

    /// The statements to run before an operation of the migration. Before an old table is dropped,
    /// they add its columns to the new one, which has the rows already.
    func statements(before operation: SchemaOperation) -> [MigrationStatement] {
        guard case .dropTable(let table) = operation,
            let columns = tables[table]
        else { return [] }
        return columns.flatMap { column in
            MigrationStatement.carry(column, of: table)
        }
    }
}
