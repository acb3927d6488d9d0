import CambiumEngine
import CambiumPostgres
import EverythingModel
import Foundation
import Synchronization
import Testing

@testable import CambiumPostgresStore

/// Each failure of a server is one error that names its cause. The context keeps its changes, and nothing is
/// half written.
struct ServerFailureTests {
    /// A store of a user of its own.
    private final class World {
        let role: OwnRole
        let schema: String
        let container: PersistentContainer
        let context: ManagedObjectContext
        let box: Box
        /// What is done before the commit of a save.
        let disturbance = Disturbance()

        final class Disturbance: Sendable {
            private struct Body { let run: @Sendable () -> Void }
            private let body = Mutex<Body?>(nil)

            func set(_ run: @escaping @Sendable () -> Void) {
                body.withLock { $0 = Body(run: run) }
            }
            func end() { body.withLock { $0 = nil } }
            func run() { body.withLock { $0 }?.run() }
        }

        init(
            _ server: PostgresServer, busyTimeout: Duration = .seconds(10),
            retryTimeout: Duration = .milliseconds(50)
        ) throws {
            role = try OwnRole(server)
            schema = try role.makeSchema()
            var options = PostgresOptions()
            options.retryTimeout = retryTimeout
            // It is the server whose limit counts.
            options.idleInTransactionTimeout = nil
            var description = StoreDescription(
                location: .postgres(role.url, schema: schema, options: options))
            description.options.busyTimeout = busyTimeout
            description.options.statementHook = StatementHook { [disturbance] statement in
                if statement.sql.hasPrefix("SET CONSTRAINTS") { disturbance.run() }
            }
            container = try PersistentContainer(Everything.model, description)
            context = container.newContext()
            box = Box(in: context, name: "one")
            try context.save()
        }

        func table(_ name: String) -> String { "\"\(schema)\".\"\(name)\"" }

        func stored() throws -> String {
            try role.admin.run("SELECT \"name\" FROM \(table("Box"))").text(0, 0)
        }

        /// Expects a save to fail, and the next one not to.
        ///
        /// - Parameters:
        ///   - break: Makes the save fail.
        ///   - mend: Ends that.
        func expect(
            _ failure: ServerFailure, _ code: StoreError.Code, break: () throws -> Void,
            mend: () throws -> Void, at location: SourceLocation = #_sourceLocation
        ) throws {
            try `break`()
            box.name = "two"
            let error = #expect(throws: StoreError.self, sourceLocation: location) {
                try context.save()
            }
            #expect(error?.serverFailure == failure, "\(error as Any)", sourceLocation: location)
            #expect(error?.code == code, sourceLocation: location)
            #expect(context.hasChanges && box.name == "two", sourceLocation: location)
            try mend()
            #expect(try stored() == "one", sourceLocation: location)
            try context.save()
            #expect(try stored() == "two", sourceLocation: location)
            #expect(
                try container.newContext().fetch(Box.fetchRequest()).map(\.name) == ["two"],
                sourceLocation: location)
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a user that the server does not let in any more`(_ server: PostgresServer) throws {
        let world = try World(server)
        let role = world.role
        try world.expect(
            .wrongCredentials, .inaccessible, break: { try role.alter("NOLOGIN") },
            mend: { try role.alter("LOGIN") })
    }

    @Test(arguments: PostgresServer.some())
    func `a user that has too many connections`(_ server: PostgresServer) throws {
        let world = try World(server)
        let role = world.role
        try world.expect(
            .tooManyConnections, .busy, break: { try role.alter("CONNECTION LIMIT 0") },
            mend: { try role.alter("CONNECTION LIMIT -1") })
    }

    @Test(arguments: PostgresServer.some())
    func `a server whose transactions are read-only`(_ server: PostgresServer) throws {
        let world = try World(server)
        let role = world.role
        try world.expect(
            .readOnly, .readOnly,
            break: {
                try role.alter("SET default_transaction_read_only = on")
                #expect(try world.container.newContext().count(for: Box.fetchRequest()) == 1)
            },
            mend: { try role.alter("RESET default_transaction_read_only") })
    }

    @Test(arguments: PostgresServer.some())
    func `a transaction that the server lets wait no longer`(_ server: PostgresServer) throws {
        let world = try World(server)
        let role = world.role
        try world.expect(
            .transactionTimeout, .busy,
            break: {
                try role.alter("SET idle_in_transaction_session_timeout = '50ms'")
                world.disturbance.set { Thread.sleep(forTimeInterval: 0.2) }
            },
            mend: {
                world.disturbance.end()
                try role.alter("RESET idle_in_transaction_session_timeout")
            })
    }

    @Test(arguments: PostgresServer.some())
    func `a statement that the server lets run no longer`(_ server: PostgresServer) throws {
        let world = try World(server)
        let role = world.role
        try world.expect(
            .statementTimeout, .busy,
            break: {
                try role.alter("SET statement_timeout = '100ms'")
                try role.run("BEGIN")
                try role.run("SELECT FROM \(world.table("Box")) FOR UPDATE")
            }, mend: { try role.run("ROLLBACK") })
    }

    @Test(arguments: PostgresServer.some())
    func `rows that others have locked`(_ server: PostgresServer) throws {
        let world = try World(server, busyTimeout: .milliseconds(100))
        let role = world.role
        try world.expect(
            .lockTimeout, .busy,
            break: {
                try role.run("BEGIN")
                try role.run("SELECT FROM \(world.table("Box")) FOR UPDATE")
            }, mend: { try role.run("ROLLBACK") })
    }

    @Test(arguments: PostgresServer.some())
    func `a table that the user may not write`(_ server: PostgresServer) throws {
        let world = try World(server)
        let role = world.role
        for table in ["_commits", "Box"] {
            world.box.name = "one"
            try world.context.save()
            try world.expect(
                .missingPrivilege, .notPermitted,
                break: {
                    try role.run(
                        "REVOKE INSERT, UPDATE ON \(world.table(table)) FROM \(role.name)")
                },
                mend: {
                    try role.run("GRANT INSERT, UPDATE ON \(world.table(table)) TO \(role.name)")
                })
        }
    }

    @Test(arguments: PostgresServer.some())
    func `a server without room`(_ server: PostgresServer) throws {
        let world = try World(server)
        let role = world.role
        // As the server says it.
        let function = world.table("full")
        try world.expect(
            .outOfResources, .inaccessible,
            break: {
                try role.run(
                    """
                    CREATE FUNCTION \(function)() RETURNS trigger LANGUAGE plpgsql AS \
                    $$BEGIN RAISE 'could not extend file' USING ERRCODE = '53100'; END$$
                    """)
                try role.run(
                    """
                    CREATE TRIGGER full_disk BEFORE UPDATE ON \(world.table("Box")) \
                    FOR EACH ROW EXECUTE FUNCTION \(function)()
                    """)
            }, mend: { try role.run("DROP TRIGGER full_disk ON \(world.table("Box"))") })
    }

    @Test(arguments: PostgresServer.some())
    func `a column that another program has renamed`(_ server: PostgresServer) throws {
        let world = try World(server)
        let role = world.role
        try world.expect(
            .changedTables, .corrupt,
            break: {
                try role.run("ALTER TABLE \(world.table("Box")) RENAME \"name\" TO \"other\"")
            },
            mend: {
                try role.run("ALTER TABLE \(world.table("Box")) RENAME \"other\" TO \"name\"")
            })
    }

    @Test(arguments: PostgresServer.some())
    func `a server that ends each connection before the commit`(_ server: PostgresServer) throws {
        let world = try World(server, retryTimeout: .seconds(1))
        let role = world.role
        let (name, count) = (role.name, Counter())
        @Sendable func end() {
            count.add()
            _ = try? server.connect().run(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = '\(name)'"
            )
        }
        try world.expect(
            .restarting, .inaccessible, break: { world.disturbance.set(end) },
            mend: { world.disturbance.end() })
        #expect(count.value > 0)
        // One that is ended once is no failure.
        let once = Once()
        world.disturbance.set { if once.take() { end() } }
        world.box.name = "three"
        try world.context.save()
        #expect(once.isOver)
        #expect(try world.stored() == "three")
    }

    private final class Counter: Sendable {
        private let number = Mutex(0)
        var value: Int { number.withLock { $0 } }
        func add() { number.withLock { $0 += 1 } }
    }

    // MARK: Prepared statements

    @Test(arguments: PostgresServer.some())
    func `statements whose tables were changed are prepared again`(
        _ server: PostgresServer
    ) throws {
        let world = try World(server)
        let reader = world.container.newContext()
        func names() throws -> [String] {
            try reader.fetch(Box.fetchRequest().sorted(by: Box.name)).map(\.name)
        }
        func transaction() throws -> [String] {
            try world.container.coordinator.performTransaction { context in
                let boxes = try context.fetch(Box.fetchRequest())
                for box in boxes { box.name += "!" }
                return boxes.map(\.name)
            }
        }
        #expect(try names() == ["one"])
        #expect(try transaction() == ["one!"])
        for (round, type) in ["varchar", "text COLLATE \"C\""].enumerated() {
            try world.role.run(
                "ALTER TABLE \(world.table("Box")) ALTER COLUMN \"name\" TYPE \(type)")
            reader.reset()
            #expect(try names().count == 1)
            try world.role.run(
                "ALTER TABLE \(world.table("Box")) ALTER COLUMN \"name\" TYPE varchar(\(90 + round))"
            )
            #expect(try transaction().count == 1)
        }
    }

    // MARK: Opening

    @Test(arguments: PostgresServer.some())
    func `a store that cannot be opened says why`(_ server: PostgresServer) throws {
        let role = try OwnRole(server)
        func expect(
            _ failure: ServerFailure, _ url: String, _ words: String,
            at location: SourceLocation = #_sourceLocation
        ) throws {
            let error = try #require(
                throws: StoreLoadingError.self, sourceLocation: location
            ) {
                try PersistentContainer(
                    Everything.model,
                    StoreDescription(location: .postgres(url, schema: PostgresServer.newSchema)))
            }
            let cause = error.underlying as? StoreError
            #expect(cause?.serverFailure == failure, "\(error)", sourceLocation: location)
            #expect("\(error)".contains(words), "\(error)", sourceLocation: location)
        }
        try expect(.unreachable, "host=/nowhere user=nobody", "/nowhere/")
        try expect(.unreachable, "postgresql://nobody@127.0.0.1:1/none", "refused")
        try expect(.unreachable, "postgresql://nobody@nowhere.invalid/none", "nowhere.invalid")
        try expect(
            .unknownDatabase, server.url.replacing("@/cambium", with: "@/nothing"), "\"nothing\"")
        try expect(
            .wrongCredentials, server.url.replacing("cambium@", with: "no_such_user@"),
            "no_such_user")
        try role.alter("CONNECTION LIMIT 0")
        try expect(.tooManyConnections, role.url, "too many connections")
        try role.alter("CONNECTION LIMIT -1")
        try expect(.missingPrivilege, role.url, "permission denied")
    }
}
