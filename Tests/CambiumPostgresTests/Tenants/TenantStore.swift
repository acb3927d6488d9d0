import CambiumPostgres
import EverythingModel
import Foundation
import Testing

@testable import CambiumPostgresStore

/// A store of two tenants, `a` and `b`. A row belongs to the one whose letter its name begins with, and
/// policies of the server hide it from the other one.
final class TenantStore: Sendable {
    /// Whom the policies bind.
    enum Arrangement: String, Sendable, CaseIterable, CustomTestStringConvertible {
        /// A role that transactions take on, and that owns nothing. The user itself is bound by none.
        case role
        /// The user of the store, who owns the tables and forces the policies on itself.
        case owner

        var testDescription: String { rawValue }
    }

    /// Where the policies are: tables, and the columns with the names of rows.
    static let tables = [
        ("Node", "label"), ("Box", "name"), ("Topic", "name"), ("Part", "name"), ("Being", "name"),
    ]

    let container: PersistentContainer
    let schema = PostgresServer.newSchema
    private let server: PostgresServer
    private let arrangement: Arrangement
    private let role = "tenants_\(UUID().uuidString.prefix(8).lowercased())"

    init(
        _ server: PostgresServer, _ arrangement: Arrangement,
        _ tracking: HistoryTracking = .off, hook: StatementHook? = nil, through url: String? = nil,
        _ options: PostgresOptions = PostgresOptions()
    ) throws {
        self.server = server
        self.arrangement = arrangement
        let owner = try server.connect()
        let isOwner = arrangement == .owner
        _ = try owner.run("CREATE ROLE \(role) \(isOwner ? "LOGIN" : "NOLOGIN")")
        // Two tests cannot change the rights on the database at once.
        if isOwner { _ = try owner.run("CREATE SCHEMA \"\(schema)\" AUTHORIZATION \(role)") }
        var options = options
        options.applicationName = role
        let own = isOwner ? server.url.replacing("//cambium@", with: "//\(role)@") : server.url
        var description = StoreDescription(
            location: .postgres(url ?? own, schema: schema, options: options))
        description.options.history = tracking
        description.options.statementHook = hook
        container = try PersistentContainer(Everything.model, description)
        for (table, column) in Self.tables {
            let name = "\"\(schema)\".\"\(table)\""
            _ = try owner.run([
                PostgresStatement("ALTER TABLE \(name) ENABLE ROW LEVEL SECURITY"),
                PostgresStatement("ALTER TABLE \(name) FORCE ROW LEVEL SECURITY"),
                PostgresStatement(
                    """
                    CREATE POLICY own ON \(name) \
                    USING (left("\(column)", 1) = current_setting('app.tenant', true))
                    """),
            ])
        }
        guard !isOwner else { return }
        _ = try owner.run("GRANT USAGE ON SCHEMA \"\(schema)\" TO \(role)")
        _ = try owner.run("GRANT ALL ON ALL TABLES IN SCHEMA \"\(schema)\" TO \(role)")
        _ = try owner.run("GRANT ALL ON ALL SEQUENCES IN SCHEMA \"\(schema)\" TO \(role)")
    }

    /// What the transactions of a tenant begin with.
    func settings(_ tenant: String) -> TransactionSettings {
        let own: TransactionSettings = ["app.tenant": tenant]
        return arrangement == .role ? own.merging(["role": role]) : own
    }

    func container(of tenant: String) -> PersistentContainer {
        container.applying(transactionSettings: settings(tenant))
    }

    /// Runs SQL that no policy binds. `SCHEMA.` stands for the schema.
    @discardableResult
    func run(_ sql: String) throws -> PostgresRows {
        try server.connect().run(sql.replacing("SCHEMA.", with: "\"\(schema)\"."))
    }

    /// Gives a tenant three nodes in a box, each with a topic and a part, and a robot.
    ///
    /// - Returns: The ids of the nodes.
    func fill(_ tenant: String) throws -> [ObjectID] {
        let context = container(of: tenant).newContext()
        let box = Box(in: context, name: "\(tenant) box")
        let topic = Topic(in: context, name: "\(tenant) topic")
        let nodes = (0..<3).map { number in
            let node = Node(in: context, label: "\(tenant)\(number)", number: Int64(number))
            node.box = box
            node.tags.insert(topic)
            _ = Part(in: context, name: "\(tenant) part", node: node)
            return node
        }
        _ = Robot(in: context, name: "\(tenant) robot", serial: "serial of \(tenant)")
        try context.save()
        return nodes.map(\.objectID)
    }

    /// Links rows of each tenant to rows of the other one, as no tenant could.
    func linkAcross() throws {
        try run(
            """
            UPDATE SCHEMA."Node" SET "box" = (SELECT "_id" FROM SCHEMA."Box" WHERE left("name", 1) <> \
            left("label", 1)) WHERE right("label", 1) = '2'
            """)
        try run(
            """
            INSERT INTO SCHEMA."Node_tags" SELECT n."_id", t."_id" FROM SCHEMA."Node" n, \
            SCHEMA."Topic" t WHERE left(n."label", 1) <> left(t."name", 1)
            """)
    }

    func remove() throws {
        for store in container.coordinator.persistentStores {
            try container.coordinator.remove(store)
        }
        try run("DROP OWNED BY \(role)")
        try run("DROP SCHEMA IF EXISTS \"\(schema)\" CASCADE")
        try run("DROP ROLE \(role)")
    }
}

/// A server, and whom policies bind.
struct TenantCase: Sendable, CustomTestStringConvertible {
    let server: PostgresServer
    let arrangement: TenantStore.Arrangement

    static let all = PostgresServer.all.flatMap { server in
        TenantStore.Arrangement.allCases.map { TenantCase(server: server, arrangement: $0) }
    }

    /// Those where the arrangement makes no difference.
    static let roles = all.filter { $0.arrangement == .role }

    var testDescription: String { "\(server.testDescription), \(arrangement)" }

    /// Calls a body with a store that is removed afterwards.
    func withStore(
        _ tracking: HistoryTracking = .off, poolSize: Int = 10, hook: StatementHook? = nil,
        _ body: (TenantStore) async throws -> Void
    ) async throws {
        var options = PostgresOptions()
        options.poolSize = poolSize
        let store = try TenantStore(server, arrangement, tracking, hook: hook, options)
        do {
            try await body(store)
        } catch {
            try? store.remove()
            throw error
        }
        try store.remove()
    }
}
