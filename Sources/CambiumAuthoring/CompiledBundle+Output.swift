import CambiumCompiler
import CambiumMigration
import CambiumModel
import CambiumPlan
import CambiumPostgresSQL
import CambiumSQL

extension CompiledBundle {
    /// The SQL of an empty store, exactly as the runtime executes it.
    ///
    /// - Parameters:
    ///   - version: The version's name; nil means the current one.
    ///   - engine: The engine of the store.
    /// - Returns: nil if there is no version of that name.
    package func schemaSQL(
        version: String? = nil, on engine: CheckedEngine = .sqlite
    ) -> String? {
        let model =
            version.map { name in versions.first { $0.model.version == name } }
            ?? versions.last
        return model.map { model in
            let title = "-- The schema of \(name), version \(model.model.version)\n"
            let statements =
                switch engine {
                case .sqlite: Schema(of: model.model).statements
                case .postgres: PostgresSchema.script(of: model.model)
                }
            return title + Self.script(statements)
        }
    }

    /// The SQL that lets a user of a server read and write a store of the current version.
    ///
    /// - Parameters:
    ///   - schema: The name of the store's schema; nil means the default schema.
    ///   - user: The name of the user.
    /// - Returns: nil if the server does not accept one of the names.
    package func grantsSQL(in schema: String?, to user: String) -> String? {
        let name = schema ?? PostgresSchema.defaultName
        let areTaken = [name, user].allSatisfy {
            (1...PostgresName.maximum).contains($0.utf8.count)
        }
        guard areTaken else { return nil }
        return versions.last.map { current in
            let title = """
                -- Lets the user \(Self.comment(user)) read and write a store of \(self.name) in the schema
                -- \(Self.comment(name)). Run this as the owner of its tables, the user that creates and
                -- migrates the store: with psql --single-transaction --set=ON_ERROR_STOP=1.
                --
                -- Every user may create temporary tables, which some saves need, unless that was revoked.
                -- Then grant TEMPORARY on the database, too.

                """
            return title
                + Self.script(PostgresGrants.script(of: current.model, in: name, to: user))
        }
    }

    /// The SQL that migrates a store from one version to another, step by step, exactly as the
    /// runtime executes it.
    ///
    /// - Returns: nil if one of the versions is unknown or the first is not older.
    /// - Throws: ``MigrationProblems`` if the engine cannot run a step.
    package func migrationSQL(
        from: String, to: String, on engine: CheckedEngine = .sqlite
    ) throws(MigrationProblems) -> String? {
        guard let first = migrations.firstIndex(where: { $0.from == from }),
            let last = migrations.firstIndex(where: { $0.to == to }), first <= last
        else { return nil }
        return try migrations(in: first..<last + 1, on: engine)
            .map { script($0, on: engine) }.joined(separator: "\n")
    }

    /// A file for the current schema and one for each migration, for review.
    ///
    /// - Throws: ``MigrationProblems`` if the engine cannot run a step.
    package func sqlFiles(
        on engine: CheckedEngine = .sqlite
    ) throws(MigrationProblems) -> [(name: String, contents: String)] {
        let schema = versions.last.flatMap { current in
            schemaSQL(on: engine).map { ("\(name)-\(current.model.version).sql", $0) }
        }
        let all = try migrations(in: migrations.indices, on: engine)
        return [schema].compactMap(\.self)
            + all.map { ("\(name)-\($0.from)-to-\($0.to).sql", script($0, on: engine)) }
    }

    /// Some of the migrations, as an engine runs them.
    private func migrations(
        in range: Range<Int>, on engine: CheckedEngine
    ) throws(MigrationProblems) -> [Migration] {
        guard engine == .postgres else { return Array(migrations[range]) }
        var result: [Migration] = []
        // The first versions may have no way to the current one.
        let models = versions.suffix(migrations.count + 1).map { $0 }
        for index in range {
            result.append(
                try ModelCompiler.serverMigration(
                    from: models[index], to: models[index + 1],
                    isLast: index + 2 == models.count))
        }
        return result
    }

    /// The runner that migrates stores to a version: the same code as on users' machines, with the
    /// content of a program of that version.
    ///
    /// - Parameter version: The version's name; nil means the current one.
    /// - Returns: nil if there is no version of that name.
    package func runner(to version: String? = nil) -> MigrationRunner? {
        let target =
            version.map { name in versions.first { $0.model.version == name } } ?? versions.last
        guard let target else { return nil }
        // No migration starts at the target.
        let end = migrations.firstIndex { $0.from == target.model.version } ?? migrations.count
        let runner = MigrationRunner(model: target.model, migrations: Array(migrations[..<end]))
        let models = versions.map(\.model)
        let earlier = models.prefix { $0.version != target.model.version }
            .filter { !frozen.contains($0.version) }
        runner.drafts = DraftVersions(
            of: target.model, isFrozen: frozen.contains(target.model.version),
            earlier: Dictionary(
                earlier.map { ($0.version, $0.definition) }, uniquingKeysWith: { first, _ in first }
            ))
        runner.laterVersions = Set(
            models.drop { $0.version != target.model.version }.dropFirst().map(\.version))
        runner.earlierSchema = { store in
            models.first { $0.version == store.version && $0.versionHash == store.versionHash }
                .map { Schema(of: $0) }
        }
        return runner
    }

    private func script(_ migration: Migration, on engine: CheckedEngine) -> String {
        let title = "-- \(name): from version \(migration.from) to version \(migration.to)\n"
        let start = engine == .postgres ? Self.script([PostgresSchema.searchPath()]) : ""
        let steps = migration.steps.map { step in
            "\n-- \(Self.comment(step.summary)) (\(step.kind))\n" + Self.script(step.sql)
        }
        return title + start + steps.joined()
    }

    private static func script(_ statements: [String]) -> String {
        statements.map { $0 + ";\n" }.joined()
    }

    /// A summary names things of the model; a line of a comment holds nothing that ends it.
    private static func comment(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
