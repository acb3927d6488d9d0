import CambiumModel
import CambiumPlan
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumPostgresStore
@testable import CambiumSQL
@testable import MigrationTestSupport

/// The histories of stores on a server after migrations, compared with those of files.
struct RandomCarriedHistoryTests {
    @Test(arguments: PostgresServer.some())
    func `a history says the same after the migrations of a server as of a file`(
        _ server: PostgresServer
    ) throws {
        let connection = try server.connect()
        var (carried, startedOver, changes, values) = (0, 0, 0, 0)
        forEachSeed(for: 2) { seed in
            var random = RandomModel(seed: seed, isDynamic: false)
            var versions = [random.model(version: "1")]
            for number in 2...(seed % 3 == 0 ? 3 : 2) {
                random.beginNextVersion()
                for _ in 0...seed % 7 { random.change() }
                versions.append(random.model(version: "\(number)", after: "\(number - 1)"))
            }
            do {
                let pair = try PostgresProof(versions)
                guard let plans = try pair.plans() else { return }
                let rows = SampleRows(
                    of: versions[0], for: ModelMatch(old: versions[0], new: versions[1]),
                    seed: seed, content: seed % 2 == 0 ? .ordinary : .extremesWhereTypesStay)
                let isCarried = plans.file.allSatisfy { $0.history?.obstacle == nil }
                #expect(isCarried == plans.server.allSatisfy { $0.history?.obstacle == nil })
                let (first, last) = (
                    RecordedModel(versions[0]), RecordedModel(versions[versions.count - 1])
                )
                _ = try pair.run(plans, on: try pair.file(rows), over: connection) {
                    try first.keepHistory(in: $0)
                    try first.keepHistory(in: $1)
                } compare: { file, server in
                    guard isCarried else {
                        startedOver += 1
                        let rows = try server.run("SELECT count(*) FROM \"_history_changes\"")
                        #expect(rows.integer(0, 0) == 0, "seed \(seed)")
                        return
                    }
                    var (mine, theirs) = (
                        try last.history(of: server), try last.history(of: file)
                    )
                    if zip(plans.file, plans.server).contains(where: {
                        ($0.history == nil) != ($1.history == nil)
                    }) {
                        // A derived attribute that the server itself computes is a mere addition there.
                        (mine, theirs) = (
                            mine.filter { $0[0] == "1" }, theirs.filter { $0[0] == "1" }
                        )
                    }
                    carried += 1
                    changes += theirs.count
                    values += theirs.reduce(0) { $0 + $1.count }
                    guard mine != theirs else { return }
                    let (more, less) = (
                        Set(mine).subtracting(theirs), Set(theirs).subtracting(mine)
                    )
                    throw PostgresProof.Difference(
                        description: """
                            the server's history says \(more.sorted { "\($0)" < "\($1)" }.prefix(5))
                            that of the file \(less.sorted { "\($0)" < "\($1)" }.prefix(5))
                            """)
                }
            } catch is PostgresProof.Unplanned {
            } catch {
                let changes = zip(versions, versions.dropFirst()).map {
                    ModelDifference(from: $0, to: $1).changes.map(\.summary)
                }
                Issue.record("seed \(seed): \(error)\n\(changes)")
            }
        }
        print(
            "\(carried) histories carried, \(startedOver) not, \(changes) changes, \(values) words")
        #expect(carried > 0 && values > changes)
    }
}

/// What a history has of the objects of a model.
private struct RecordedModel {
    /// A change as words: transaction, kind, entity, key, properties, values.
    typealias Change = [String]

    let model: Model
    private let layout: PostgresLayout

    init(_ model: Model) {
        self.model = model
        layout = PostgresLayout(.withoutClasses(model), schemaInSQL: "")
    }

    /// The entities with objects: where these are, all of their properties and their recorded columns.
    private var entities: [(name: String, rows: String, properties: [String], columns: [Column])] {
        let schema = Schema(of: model)
        return model.entities.filter { !$0.isAbstract }.compactMap { entity in
            let root = model.root(of: entity)
            guard
                let table = schema.tables.first(where: { $0.content == .objects(root: root.name) })
            else { return nil }
            let lineage = Set(model.lineage(of: entity).map(\.name))
            let columns = RecordedObjects(of: table, model).columns.compactMap { column in
                table.columns.first { $0.name == column.name }.flatMap { found -> Column? in
                    let declarer: String
                    switch found.content {
                    case .attribute(let name, _), .key(let name, _), .entityOfKey(let name, _):
                        declarer = name
                    case .system, .entity, .position: return nil
                    }
                    guard lineage.contains(declarer) else { return nil }
                    return (
                        column.name,
                        layout.tables[layout.model[root.name]?.index ?? 0].type(of: column.name)
                            ?? .text
                    )
                }
            }
            let properties =
                model.attributes(of: entity).filter { !$0.isTransient }.map(\.name)
                + model.relationships(of: entity).filter { !$0.isTransient }.map(\.name)
            return (
                entity.name,
                "\"\(root.name)\""
                    + (model.hasSubentities(root) ? " WHERE \"_entity\" = '\(entity.name)'" : ""),
                properties, columns
            )
        }
    }

    private typealias Column = (name: String, type: PostgresType)

    // MARK: Histories in which each object is new, and then changes in all properties

    func keepHistory(in file: Connection) throws {
        for statement in HistorySQL.createStatements
            + HistorySettings(content: .values, epoch: UUID()).writeStatements
        { try file.execute(statement) }
        for (name, rows, properties, columns) in entities {
            for (kind, names) in [(0, ""), (1, properties.map { " " + $0 }.joined())] {
                try file.execute(
                    "INSERT INTO _history_changes (kind, entity, key, properties) "
                        + "SELECT \(kind), '\(name)', _id, '\(names)' FROM \(rows)")
            }
            for column in columns {
                let table = rows.prefix { $0 != " " }
                try file.execute(
                    "INSERT INTO _history_values SELECT c.number, '\(column.name)', "
                        + "o.\"\(column.name)\", o.\"\(column.name)\" FROM _history_changes AS c "
                        + "JOIN \(table) AS o ON o._id = c.key "
                        + "WHERE c.kind = 1 AND c.entity = '\(name)'")
            }
        }
        try file.execute(
            """
            INSERT INTO _history_transactions (last, first, number, date)
            SELECT max(number), 1, 1, 0 FROM _history_changes HAVING count(*) > 0
            """)
    }

    func keepHistory(in server: PostgresConnection) throws {
        let sql = PostgresHistorySQL(layout)
        var statements =
            sql.createStatements
            + HistorySettings(content: .values, epoch: UUID()).writeStatements(
                in: layout.metadata)
        for (name, rows, properties, columns) in entities {
            let names = columns.map { "'\($0.name)'" }.joined(separator: ", ")
            let values = columns.map { column in
                column.type.bytes(of: PostgresName.identifier(column.name))
            }.joined(separator: ", ")
            let arrays =
                columns.isEmpty
                ? "NULL, NULL, NULL"
                : "ARRAY[\(names)], ARRAY[\(values)]::bytea[], ARRAY[\(values)]::bytea[]"
            statements += [
                "SELECT 1, 0, '\(name)', \"_id\", '', NULL, NULL, NULL FROM \(rows)",
                "SELECT 1, 1, '\(name)', \"_id\", '\(properties.joined(separator: " "))', "
                    + "\(arrays) FROM \(rows)",
            ].map {
                """
                INSERT INTO "_history_changes" ("transaction", "kind", "entity", "key", \
                "properties", "columns", "old", "new") \($0)
                """
            }
        }
        statements += [
            "SELECT nextval('_history_sequence')",
            """
            INSERT INTO "_history_transactions" ("id", "rank", "number", "date") \
            SELECT 1, 1, 1, now() WHERE EXISTS (SELECT FROM "_history_changes")
            """,
            "UPDATE \"_history_state\" SET \"last\" = (SELECT count(*) FROM \"_history_transactions\")",
        ]
        for statement in statements { _ = try server.run(PostgresName.shortened(statement)) }
    }

    // MARK: Reading

    /// A value as both engines have it: dates as the server keeps them, single precision as it is.
    private func word(_ value: StoredValue, _ type: PostgresType) -> String {
        switch (value, type) {
        case (.real(let number), .timestamp):
            "\(PostgresTimestamp.kept.kept(number).map { StoredValue.real($0) } ?? .null)"
        case (.real(let number), .real): "\(StoredValue.real(Double(Float(number))))"
        default: "\(value)"
        }
    }

    private func type(of column: String, _ entity: String) -> PostgresType {
        guard let root = layout.model[entity]?.rootIndex else { return .bytea }
        return layout.tables[root].type(of: column) ?? .bytea
    }

    private func change(
        _ number: Int64, _ kind: Int64, _ entity: String, _ key: Int64, _ properties: String,
        _ values: [(column: String, old: StoredValue, new: StoredValue)]
    ) -> Change {
        ["\(number)", "\(kind)", entity, "\(key)"]
            + properties.split(separator: " ").map(String.init).sorted()
            + values.map { value in
                let type = type(of: value.column, entity)
                return "\(value.column): \(word(value.old, type)) \(word(value.new, type))"
            }.sorted()
    }

    func history(of file: Connection) throws -> [Change] {
        try file.rows(
            """
            SELECT t.number, c.kind, c.entity, c.key, c.properties, c.number \
            FROM _history_changes AS c JOIN _history_transactions AS t \
            ON c.number BETWEEN t.first AND t.last
            """
        ).map { row in
            guard case .integer(let number) = row[0], case .integer(let kind) = row[1],
                case .text(let entity) = row[2], case .integer(let key) = row[3],
                case .text(let properties) = row[4]
            else { return [] }
            let values = try file.rows(
                "SELECT \"column\", old, new FROM _history_values WHERE change = ?", [row[5]])
            return change(
                number, kind, entity, key, properties,
                values.compactMap { value in
                    guard case .text(let column) = value[0] else { return nil }
                    return (column, value[1], value[2])
                })
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }

    func history(of server: PostgresConnection) throws -> [Change] {
        let rows = try server.run(
            """
            SELECT t."number", c."kind", c."entity", c."key", c."properties", c."columns", \
            c."old", c."new" FROM "_history_changes" AS c JOIN "_history_transactions" AS t \
            ON t."id" = c."transaction" /* \(UUID().uuidString) */
            """)
        return (0..<rows.count).map { row in
            let entity = rows.text(row, 2)
            let (old, new) = (rows.array(row, 6), rows.array(row, 7))
            let columns = rows.isNull(row, 5) ? [] : rows.array(row, 5)
            let values = columns.enumerated().map { index, name in
                let column = name.map { String(decoding: $0, as: UTF8.self) } ?? ""
                let type = type(of: column, entity)
                return (
                    column, old[index].map(type.value) ?? .null, new[index].map(type.value) ?? .null
                )
            }
            return change(
                rows.integer(row, 0), rows.integer(row, 1), entity, rows.integer(row, 3),
                rows.text(row, 4), values)
        }.sorted { $0.lexicographicallyPrecedes($1) }
    }
}
