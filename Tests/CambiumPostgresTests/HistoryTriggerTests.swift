import CambiumEngine
import CambiumEngineSpecification
import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Triggers of a server that note in a store's history what other programs write.
struct HistoryTriggerTests {
    /// A store, and a connection of another program.
    private final class World {
        let server: PostgresServer
        let schema = PostgresServer.newSchema
        let connection: PostgresConnection

        init(_ server: PostgresServer) throws {
            self.server = server
            connection = try server.connect()
        }

        deinit {
            _ = try? connection.run("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
        }

        func open(
            triggers: Bool? = true, _ tracking: HistoryTracking = .values, isReadOnly: Bool = false
        ) throws -> PersistentContainer {
            var options = PostgresOptions()
            options.historyTriggers = triggers
            var description = StoreDescription(
                location: .postgres(server.url, schema: schema, options: options))
            description.options.history = tracking
            description.options.isReadOnly = isReadOnly
            return try PersistentContainer(Everything.model, description)
        }

        /// Runs a statement in the schema, as another program does.
        func run(_ sql: String, on other: PostgresConnection? = nil) throws {
            _ = try (other ?? connection).run(
                sql.replacingOccurrences(of: "@", with: "\"\(schema)\""))
        }

        func count(_ query: String) throws -> Int64 {
            var parameters = PostgresParameters()
            parameters.append(.text(schema), as: .text)
            return try connection.run("SELECT count(*) FROM \(query)", parameters).integer(0, 0)
        }

        var triggers: Int64 {
            get throws {
                try count(
                    """
                    pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid \
                    WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) \
                    AND tgname LIKE '\\_history.%'
                    """)
            }
        }

        var functions: Int64 {
            get throws {
                try count(
                    """
                    pg_proc WHERE pronamespace = \
                    (SELECT oid FROM pg_namespace WHERE nspname = $1)
                    """)
            }
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a store has them where that is asked for, and as long as it has a history`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        _ = try world.open(triggers: nil)
        #expect(try world.triggers == 0)
        _ = try world.open(triggers: true)
        let count = try world.triggers
        #expect(count > 40)
        #expect(try world.functions > 10)
        // They belong to the store.
        let container = try world.open(triggers: nil, .asStored)
        #expect(try world.triggers == count)
        try world.run("INSERT INTO @.\"Topic\" (\"_id\", \"name\") VALUES (50, 't')")
        #expect(try container.history().words == [["insert Topic"]])
        _ = try world.open(triggers: false, .asStored)
        #expect(try world.triggers == 0)
        #expect(try world.functions == 0)
        try world.run("UPDATE @.\"Topic\" SET \"name\" = 'u'")
        #expect(try container.history().count == 1)
        _ = try world.open(triggers: true, .asStored)
        _ = try world.open(triggers: nil, .off)
        #expect(try world.triggers == 0)
        #expect(try world.functions == 0)
        // Without a history there is nothing that they could write.
        _ = try world.open(triggers: true, .off)
        #expect(try world.triggers == 0)
        try world.run("UPDATE @.\"Topic\" SET \"name\" = 'v'")
    }

    @Test(arguments: PostgresServer.some())
    func `saves are recorded once, in as many round trips as without them`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let container = try world.open()
        let context = container.newContext()
        let box = Box(in: context, name: "b")
        let nodes = (0..<3).map { Node(in: context, number: Int64($0)) }
        for node in nodes { node.box = box }
        try context.save()
        nodes[0].tags.insert(Topic(in: context, name: "t"))
        nodes[1].number = 7
        context.delete(nodes[2])
        try context.save()
        try context.execute(BatchUpdateRequest<Node>().set(Node.label, to: "all"))
        try container.coordinator.performTransaction(isolation: .serializable) { context in
            _ = Box(in: context, name: "c")
        }
        let without = try World(server)
        let plain = try without.open(triggers: false)
        let rows = "\"_history_changes\" AS c"
        let other = plain.newContext()
        let otherBox = Box(in: other, name: "b")
        let otherNodes = (0..<3).map { Node(in: other, number: Int64($0)) }
        for node in otherNodes { node.box = otherBox }
        try other.save()
        otherNodes[0].tags.insert(Topic(in: other, name: "t"))
        otherNodes[1].number = 7
        other.delete(otherNodes[2])
        try other.save()
        try other.execute(BatchUpdateRequest<Node>().set(Node.label, to: "all"))
        try plain.coordinator.performTransaction(isolation: .serializable) { context in
            _ = Box(in: context, name: "c")
        }
        #expect(
            try world.count("\"\(world.schema)\".\(rows) WHERE $1 <> ''")
                == without.count("\"\(without.schema)\".\(rows) WHERE $1 <> ''"))
        #expect(try container.history().words == plain.history().words)
    }

    @Test(arguments: PostgresServer.some())
    func `what another program's trigger does in a save is a part of it`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let container = try world.open()
        let context = container.newContext()
        let topic = Topic(in: context, name: "t")
        try context.save()
        try world.run(
            """
            CREATE FUNCTION @."note"() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            UPDATE @."Topic" SET "name" = 'noted', "_version" = "_version" + 1; RETURN NEW; END $$
            """)
        try world.run(
            """
            CREATE TRIGGER "note" AFTER INSERT ON @."Box" FOR EACH ROW EXECUTE FUNCTION @."note"()
            """)
        let token = try container.historyToken
        context.transactionAuthor = "me"
        _ = Box(in: context, name: "b")
        try context.save()
        let history = try container.history(after: token)
        #expect(history.words == [["insert Box", "update Topic name"]])
        #expect(history.map(\.author) == ["me"])
        #expect(
            history.first?.changes.first { $0.objectID == topic.objectID }?.newValues
                == ["name": .value(.string("noted"))])
    }

    @Test(arguments: PostgresServer.some())
    func `a table that is emptied has all of its rows deleted`(_ server: PostgresServer) throws {
        let world = try World(server)
        let container = try world.open()
        let context = container.newContext()
        let nodes = (0..<2).map { Node(in: context, number: Int64($0)) }
        let topic = Topic(in: context, name: "t")
        nodes[0].tags.insert(topic)
        _ = Part(in: context, name: "p", node: nodes[1])
        try context.save()
        let token = try container.historyToken
        try world.run("TRUNCATE @.\"Part\", @.\"Node_tags\"")
        #expect(
            try container.history(after: token).words == [
                [
                    "delete Part", "update Node parts", "update Node tags", "update Topic nodes",
                ]
            ])
        try world.run("TRUNCATE @.\"Part\"")
        #expect(try container.history(after: token).count == 1)
    }

    @Test(arguments: PostgresServer.some())
    func `who writes needs no right to the history, and a read-only store shows it`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let container = try world.open()
        let role = try OwnRole(server)
        for statement in [
            "GRANT USAGE ON SCHEMA @ TO", "GRANT INSERT, UPDATE, DELETE, SELECT ON @.\"Box\" TO",
        ] { try world.run("\(statement) \"\(role.name)\"") }
        let connection = try PostgresConnection(PostgresSettings(role.url))
        try world.run("INSERT INTO @.\"Box\" (\"_id\", \"name\") VALUES (9, 'b')", on: connection)
        #expect(throws: PostgresError.self) {
            try world.run("SELECT * FROM @.\"_history_changes\"", on: connection)
        }
        #expect(throws: PostgresError.self) {
            try world.run("SELECT @.\"_history..transaction\"()", on: connection)
        }
        #expect(try container.history().words == [["insert Box"]])
        let reader = try world.open(triggers: false, .off, isReadOnly: true)
        #expect(try reader.history().words == [["insert Box"]])
        #expect(try world.triggers > 0)
    }

    @Test(arguments: PostgresServer.some())
    func `triggers that somebody has removed, disabled or changed come back`(
        _ server: PostgresServer
    ) throws {
        let changes = [
            "DROP TRIGGER \"_history.insert\" ON @.\"Box\"",
            "ALTER TABLE @.\"Box\" DISABLE TRIGGER \"_history.insert\"",
            "ALTER FUNCTION @.\"_history.Box\"() SECURITY INVOKER",
            """
            CREATE OR REPLACE FUNCTION @."_history.Box"() RETURNS trigger LANGUAGE plpgsql AS \
            $$ BEGIN RETURN NULL; END $$
            """,
            """
            CREATE TRIGGER "_history.more" BEFORE INSERT ON @."Box" \
            FOR EACH ROW EXECUTE FUNCTION @."_history.Box"()
            """,
        ]
        let world = try World(server)
        _ = try world.open()
        let (triggers, functions) = (try world.triggers, try world.functions)
        for (number, change) in changes.enumerated() {
            try world.run(change)
            let container = try world.open(triggers: nil, .asStored)
            #expect(try (world.triggers, world.functions) == (triggers, functions), "\(change)")
            let token = try container.historyToken
            try world.run(
                "INSERT INTO @.\"Box\" (\"_id\", \"name\") VALUES (\(number + 1), 'b')")
            let history = try container.history(after: token)
            #expect(history.words == [["insert Box"]], "\(change)")
            #expect(history.first?.changes.first?.newValues.count == 1, "\(change)")
        }
    }

    @Test(arguments: PostgresServer.some())
    func `turning them off waits for a program that is writing`(_ server: PostgresServer) throws {
        let world = try World(server)
        let container = try world.open()
        try world.run("BEGIN")
        try world.run("INSERT INTO @.\"Box\" (\"_id\", \"name\") VALUES (9, 'b')")
        var options = PostgresOptions()
        options.historyTriggers = false
        var description = StoreDescription(
            location: .postgres(server.url, schema: world.schema, options: options))
        description.options.busyTimeout = .milliseconds(200)
        let error = #expect(throws: StoreLoadingError.self) {
            try PersistentContainer(Everything.model, description)
        }
        #expect("\(error as Any)".contains("cannot be turned on or off"))
        try world.run("COMMIT")
        #expect(try container.history().words == [["insert Box"]])
        _ = try PersistentContainer(Everything.model, description)
        #expect(try world.triggers == 0)
    }

    /// Two transactions of other programs that write one object: the later one may have begun first.
    @Test(arguments: PostgresServer.some())
    func `an object's changes come in the order in which they were made`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let container = try world.open()
        try world.run("INSERT INTO @.\"Box\" (\"_id\", \"name\") VALUES (1, ''), (2, '')")
        let token = try container.historyToken
        let other = try server.connect()
        try world.run("BEGIN")
        try world.run("UPDATE @.\"Box\" SET \"name\" = 'a' WHERE \"_id\" = 2")
        try world.run("BEGIN", on: other)
        try world.run("UPDATE @.\"Box\" SET \"name\" = 'b' WHERE \"_id\" = 1", on: other)
        try world.run("COMMIT", on: other)
        try world.run("UPDATE @.\"Box\" SET \"name\" = 'c' WHERE \"_id\" = 1")
        try world.run("COMMIT")
        let names = try container.history(after: token).flatMap(\.changes)
            .compactMap { $0.newValues["name"] }
        #expect(names.first == .value(.string("b")))
        #expect(Set(names.dropFirst()) == [.value(.string("a")), .value(.string("c"))])
    }

    @Test(arguments: PostgresServer.some())
    func `they are nothing that somebody has added to a store`(_ server: PostgresServer) throws {
        let world = try World(server)
        _ = try world.open()
        var description = StoreDescription(location: .postgres(server.url, schema: world.schema))
        description.options.trust = .schemaOnly
        // As another version of the server describes its tables.
        try world.run("UPDATE @.\"_metadata\" SET value = 'other' WHERE name = 'catalogue'")
        let container = try PersistentContainer(Everything.model, description)
        try world.run("INSERT INTO @.\"Box\" (\"_id\", \"name\") VALUES (9, 'b')")
        #expect(try container.history().words == [["insert Box"]])
    }
}
