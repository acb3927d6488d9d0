import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords
import CambiumSQL

/// The triggers that note the writes of other programs in a store's history.
///
/// A save notes its own changes, and marks its transaction with a setting. Then no trigger runs for
/// its own statements. If triggers of other programs write during a save, their changes are noted
/// as part of the save.
///
/// The functions run as the owner of the tables, so that the writing role needs no right to the
/// history. A transaction of another program becomes one transaction of the history, without an
/// author. Each of its statements gives it a new rank. Its final rank therefore comes after all
/// locks for which it waited.
struct PostgresHistoryTriggers {
    let recording: PostgresRecording
    let sql: PostgresHistorySQL
    private var layout: PostgresLayout { recording.layout }

    /// The name in the metadata that marks a store with triggers.
    static let name = "history.triggers"
    /// The setting with the id of another program's transaction.
    private static let recording = "cambium.recording"
    private static let prefix = PostgresHistoryNames.triggerPrefix

    /// The time at which a trigger fires.
    private enum Event: String, CaseIterable {
        case insert, update, delete, truncate

        var isBefore: Bool { self == .truncate }
        /// The server's bits for a trigger type: for each statement, with the event.
        var type: Int64 {
            switch self {
            case .insert: 4
            case .delete: 8
            case .update: 16
            case .truncate: 2 + 32
            }
        }
        var versions: [PostgresRecording.Version] {
            switch self {
            case .insert: [.new]
            case .update: [.old, .new]
            case .delete: [.old]
            case .truncate: []
            }
        }
        var name: String { prefix + rawValue }
    }

    /// A table, with the statements that note its changes.
    private struct Recorded {
        let table: String
        let notes: [(event: Event, statements: [String])]

        var function: String { PostgresName.short(prefix + table) }
    }

    /// The variable in a function that contains the id of the transaction.
    private static let id = "\"_by\""

    private var recorded: [Recorded] {
        let model = layout.model
        return Schema(of: model.model).tables.compactMap { table in
            let name = layout.qualified(table.name)
            let notes: [(Event, [String])]
            switch table.content {
            case .objects(let root):
                guard let entity = model[root] else { return nil }
                let deletions = recording.deletions(Self.id, of: entity)
                notes = [
                    (.insert, recording.insertions(Self.id, of: entity)),
                    (
                        .update,
                        recording.updates(Self.id, of: entity, from: "o", isOfOthers: true)
                    ), (.delete, deletions), (.truncate, Self.all(of: name, deletions)),
                ]
            case .links:
                guard !recording.ends(name).isEmpty else { return nil }
                let deletion = recording.links(Self.id, name, .old)
                let moves = recording.movedLinks(Self.id, name)
                notes =
                    [(.insert, [recording.links(Self.id, name)])]
                    + (moves.map { [(.update, [$0])] } ?? [])
                    + [(.delete, [deletion]), (.truncate, Self.all(of: name, [deletion]))]
            case .system: return nil
            }
            return Recorded(table: PostgresName.short(table.name), notes: notes)
        }
    }

    private static func all(of table: String, _ notes: [String]) -> [String] {
        notes.map { "WITH o AS (SELECT * FROM \(table)) \($0)" }
    }

    // MARK: Functions

    /// The name of the function for transactions. No table has a name that begins with a dot.
    private static let transaction = "\(prefix).transaction"

    /// The body of the function that returns the id for the changes of the current transaction. The
    /// trigger functions call it with their own rights and settings.
    private var transactionBody: String {
        """

        #variable_conflict use_column
        DECLARE
            "_by" bigint := nullif(current_setting('\(PostgresHistoryNames.saving)', true), '')::bigint;
        BEGIN
            IF "_by" IS NOT NULL THEN RETURN "_by"; END IF;
            "_by" := nullif(current_setting('\(Self.recording)', true), '')::bigint;
            IF "_by" IS NULL THEN
                "_by" := nextval(\(SQLText.literal(sql.sequence)));
                PERFORM set_config('\(Self.recording)', "_by"::text, true);
            END IF;
            INSERT INTO \(sql.transactions) AS t ("id", "rank", "date")
                VALUES ("_by", nextval(\(SQLText.literal(sql.sequence))), clock_timestamp())
                ON CONFLICT ("id")
                DO UPDATE SET "rank" = excluded."rank", "date" = excluded."date";
            RETURN "_by";
        END

        """
    }

    private func body(_ recorded: Recorded) -> String {
        let parts = recorded.notes.map { event, statements in
            let rows = event.versions.last?.rawValue ?? layout.qualified(recorded.table)
            let notes = statements.map { "            \($0);\n" }.joined()
            // Each event has different transition tables.
            return """
                    IF TG_OP = '\(event.rawValue.uppercased())' THEN
                        IF EXISTS (SELECT FROM \(rows)) THEN
                            "_by" := \(layout.qualified(Self.transaction))();
                \(notes)        END IF;
                    END IF;

                """
        }
        return """

            #variable_conflict use_column
            DECLARE "_by" bigint;
            BEGIN
            \(parts.joined())    RETURN NULL;
            END

            """
    }

    private func creation(_ function: String, _ result: String, _ body: String) -> String {
        let rights =
            result == "trigger"
            ? "SECURITY DEFINER SET search_path = pg_catalog, pg_temp" : "SECURITY INVOKER"
        return """
            CREATE OR REPLACE FUNCTION \(layout.qualified(function))() RETURNS \(result) \
            LANGUAGE plpgsql \(rights) AS $cambium$\(body)$cambium$
            """
    }

    private func creation(_ event: Event, _ recorded: Recorded) -> String {
        let versions = event.versions.map { version in
            "\(version == .old ? "OLD" : "NEW") TABLE AS \(version.rawValue) "
        }
        return """
            CREATE TRIGGER \(SQLText.identifier(event.name)) \
            \(event.isBefore ? "BEFORE" : "AFTER") \(event.rawValue.uppercased()) \
            ON \(layout.qualified(recorded.table)) \
            \(versions.isEmpty ? "" : "REFERENCING \(versions.joined())")FOR EACH STATEMENT \
            WHEN (pg_trigger_depth() > 0 \
            OR coalesce(current_setting('\(PostgresHistoryNames.saving)', true), '') = '') \
            EXECUTE FUNCTION \(layout.qualified(recorded.function))()
            """
    }

    // MARK: Existing triggers

    /// A trigger as the server describes it.
    private struct Trigger: Hashable {
        let table: String
        let name: String
        let type: Int64
        let isEnabled: Bool
        let function: String
        /// The names of the transition tables, and whether there is a condition.
        let parts: String
    }

    /// The triggers and functions of a store.
    private struct Found {
        var triggers: Set<Trigger> = []
        /// The text and the rights of each function, by its name.
        var functions: [String: String] = [:]
    }

    /// A text that describes a function without its name.
    private static func text(_ body: String, isDefiner: Bool) -> String {
        "\(isDefiner ? "definer" : "invoker"):\(body)"
    }

    private func found(_ connection: PostgresConnection) throws -> Found {
        var parameters = PostgresParameters()
        parameters.append(.text(layout.schemaName), as: .text)
        parameters.append(.text(Self.prefix), as: .text)
        let rows = try connection.run(
            """
            SELECT c.relname::text, t.tgname::text, t.tgtype::bigint, t.tgenabled = 'O', \
            CASE WHEN p.pronamespace = c.relnamespace THEN p.proname::text ELSE '' END, \
            concat_ws(' ', t.tgoldtable, t.tgnewtable, t.tgqual IS NOT NULL) \
            FROM pg_catalog.pg_trigger AS t JOIN pg_catalog.pg_class AS c ON c.oid = t.tgrelid \
            JOIN pg_catalog.pg_proc AS p ON p.oid = t.tgfoid \
            WHERE c.relnamespace = (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1) \
            AND NOT t.tgisinternal AND starts_with(t.tgname::text, $2) UNION ALL \
            SELECT NULL, p.proname::text, 0, \
            p.prosecdef AND coalesce(p.proconfig::text LIKE '%search_path=pg_catalog,%', false), \
            p.prosrc, NULL FROM pg_catalog.pg_proc AS p WHERE p.pronamespace = \
            (SELECT oid FROM pg_catalog.pg_namespace WHERE nspname = $1) \
            AND starts_with(p.proname::text, $2) AND p.pronargs = 0
            """, parameters)
        var found = Found()
        for row in 0..<rows.count {
            if rows.isNull(row, 0) {
                found.functions[rows.text(row, 1)] = Self.text(
                    rows.text(row, 4), isDefiner: rows.boolean(row, 3))
            } else {
                found.triggers.insert(
                    Trigger(
                        table: rows.text(row, 0), name: rows.text(row, 1),
                        type: rows.integer(row, 2), isEnabled: rows.boolean(row, 3),
                        function: rows.text(row, 4), parts: rows.text(row, 5)))
            }
        }
        return found
    }

    /// Returns the statements that create, replace or drop triggers and functions. If the store is
    /// as it should be, there are none.
    ///
    /// - Parameter isOn: Whether the store should have the triggers.
    func changes(isOn: Bool, _ connection: PostgresConnection) throws -> [String] {
        let found = try found(connection)
        let recorded = isOn ? recorded : []
        var functions: [String: String] = [:]
        var creations: [String: String] = [:]
        func want(_ name: String, _ result: String, _ body: String) {
            functions[name] = Self.text(body, isDefiner: result == "trigger")
            creations[name] = creation(name, result, body)
        }
        if isOn { want(Self.transaction, "bigint", transactionBody) }
        var triggers: [Trigger: String] = [:]
        for table in recorded {
            want(table.function, "trigger", body(table))
            for (event, _) in table.notes {
                let versions = event.versions.map(\.rawValue)
                let trigger = Trigger(
                    table: table.table, name: event.name, type: event.type, isEnabled: true,
                    function: table.function,
                    parts: (versions + ["t"]).joined(separator: " "))
                triggers[trigger] = creation(event, table)
            }
        }
        let removed = found.triggers.filter { triggers[$0] == nil }
        return removed.sorted { ($0.table, $0.name) < ($1.table, $1.name) }.map {
            """
            DROP TRIGGER \(SQLText.identifier($0.name)) \
            ON \(layout.schema).\(SQLText.identifier($0.table))
            """
        }
            + found.functions.keys.filter { functions[$0] == nil }.sorted().map {
                "DROP FUNCTION \(layout.schema).\(SQLText.identifier($0))()"
            }
            + creations.filter { found.functions[$0.key] != functions[$0.key] }
            .sorted { $0.key < $1.key }.map(\.value)
            + triggers.filter { !found.triggers.contains($0.key) }
            .sorted { ($0.key.table, $0.key.name) < ($1.key.table, $1.key.name) }.map(\.value)
    }

    /// The functions of a new store, with the schema.
    var functions: [String] {
        ([Self.transaction] + recorded.map(\.function)).map { "\(layout.qualified($0))()" }
    }

    /// The tables that have triggers.
    func tables(_ connection: PostgresConnection) throws -> [String] {
        Set(try found(connection).triggers.map(\.table)).sorted()
    }
}
