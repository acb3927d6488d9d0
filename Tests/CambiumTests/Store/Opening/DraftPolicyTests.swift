import CambiumMigration
import CambiumMigrationCommand
import CambiumSQLite
import Foundation
import Synchronization
import Testing

@_spi(Generated) @testable import Cambium

/// Stores that another draft of the program's version has written, opened by containers.
@Suite(.onSQLite("A draft of a store on a server is not migrated."))
struct DraftPolicyTests {
    private static func model(_ attributes: [Attribute], version: String = "1") -> Model {
        Model(
            name: "Library", version: version,
            entities: [
                Entity(
                    name: "Book",
                    attributes: [
                        .required("title", .string),
                        Attribute(name: "cover", type: .data, isOptional: true, isExternal: true),
                    ] + attributes)
            ])
    }

    private static let first = CompiledModel(model([]))
    private static let second = CompiledModel(model([.optional("pages", .int32)]))

    private static func open(
        _ model: CompiledModel, _ path: String, _ policy: DraftPolicy = .refuse
    ) throws -> PersistentContainer {
        var options = StoreOptions()
        options.draftPolicy = policy
        options.busyTimeout = .milliseconds(50)
        return try PersistentContainer(model: model, at: .temporary(path), options: options)
    }

    private static let cover = Data(repeating: 7, count: 200_000)

    /// A store of the first draft with a book whose cover lies in a file.
    private static func makeStore(at path: String, _ model: CompiledModel = first) throws {
        let context = try open(model, path).newContext()
        let book = try context.insertObject(ofEntity: "Book")
        try book.setValue(.string("Trees"), forKey: "title")
        try book.setValue(.data(cover), forKey: "cover")
        try context.save()
    }

    private static func books(_ container: PersistentContainer) throws -> [ManagedObject] {
        try container.newContext().fetch(FetchRequest(entityName: "Book"))
    }

    private static func names(besides path: String) throws -> [String] {
        let folder = URL(filePath: path).deletingLastPathComponent().path()
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    }

    @Test func `a store of another draft is refused with its name, the difference and the ways`()
        throws
    {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let error = try #require(
                expectOpening(throws: MigrationError.self) { try Self.open(Self.second, path) })
            #expect(
                "\(error)" == """
                    The store 'store.sqlite' was written with another draft of version 1 of \
                    Library: Book.pages was added. You can keep its data \
                    (StoreOptions.draftPolicy = .migrate), move it aside and start with an empty \
                    one (draftPolicy = .recreate), or undo the change and make it in a new \
                    version (swift package cambium version new)
                    """)
            #expect(try Self.books(Self.open(Self.first, path)).count == 1)
        }
    }

    @Test func `a store of another draft is migrated with all that it has`() throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let log = try StandardErrorCapture.text {
                let book = try #require(
                    try Self.books(Self.open(Self.second, path, .migrate)).first)
                #expect(try book.value(forKey: "title") == .string("Trees"))
                #expect(try book.value(forKey: "cover") == .data(Self.cover))
                #expect(try book.value(forKey: "pages") == .null)
            }
            #expect(
                log.contains(
                    "Cambium: The store 'store.sqlite' was migrated from another draft of version 1 "
                        + "of Library, and nothing has proven that migration: Book.pages was "
                        + "added.\n"))
            #expect(try !Self.names(besides: path).contains { $0.contains("backup") })
        }
    }

    @Test func `more than an addition makes a copy of the store first`() throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let changed = CompiledModel(
                Self.model([
                    .optional("pages", .int32),
                    Attribute(
                        name: "isbn", type: .string, defaultValue: .constant(.string("none")),
                        limits: Limits(maximumLength: 20)),
                ]))
            _ = try Self.open(changed, path, .migrate)
            let wider = CompiledModel(
                Self.model([
                    .optional("pages", .int64),
                    Attribute(
                        name: "isbn", type: .string, defaultValue: .constant(.string("none")),
                        limits: Limits(maximumLength: 20)),
                ]))
            let container = try Self.open(wider, path, .migrate)
            guard case .migrated("1", "1", _, let backup?) = container.migration else {
                Issue.record("\(container.migration)")
                return
            }
            #expect(backup.hasSuffix("store.sqlite.backup-1"))
            #expect(try Self.books(Self.open(changed, backup)).count == 1)
        }
    }

    @Test func `a store is moved aside with its files, and a new one is made`() throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let log = try StandardErrorCapture.text {
                let container = try Self.open(Self.second, path, .recreate)
                #expect(container.migration == .created)
                #expect(try Self.books(container).isEmpty)
            }
            #expect(log.contains("A new one was created in its place."))
            let names = try Self.names(besides: path)
            let aside = try #require(names.first { $0.hasPrefix("store.draft-") })
            #expect(aside.contains(/^store\.draft-\d{4}-\d\d-\d\d-\d{6}\.sqlite$/))
            #expect(names.contains(".\(aside).external"))
            #expect(!names.contains(".store.sqlite.external"))
            let old = URL(filePath: path).deletingLastPathComponent().appending(path: aside).path()
            let book = try #require(try Self.books(Self.open(Self.first, old)).first)
            #expect(try book.value(forKey: "cover") == .data(Self.cover))
        }
    }

    @Test func `a store whose data does not fit a new limit is named, and can be moved aside`()
        throws
    {
        let narrow = CompiledModel(
            Model(
                name: "Library", version: "1",
                entities: [
                    Entity(
                        name: "Book",
                        attributes: [
                            Attribute(
                                name: "title", type: .string, limits: Limits(minimumLength: 9)),
                            Attribute(
                                name: "cover", type: .data, isOptional: true, isExternal: true),
                        ])
                ]))
        try withStoreFile { path in
            try Self.makeStore(at: path)
            for policy in [DraftPolicy.refuse, .migrate] {
                let error = try #require(
                    expectOpening(throws: MigrationError.self) {
                        try Self.open(narrow, path, policy)
                    })
                #expect(
                    "\(error)".hasPrefix(
                        """
                        The store 'store.sqlite' was written with another draft of version 1 of \
                        Library: the limits of Book.title changed from none to length at least 9. Its \
                        data does not fit this one: Book.title is shorter than it may be [object 1 of Book]
                        """))
            }
            #expect(try Self.books(Self.open(Self.first, path)).count == 1)
            #expect(try Self.books(Self.open(narrow, path, .recreate)).isEmpty)
            let aside = try #require(
                try Self.names(besides: path).first { $0.hasPrefix("store.draft-") })
            let old = URL(filePath: path).deletingLastPathComponent().appending(path: aside).path()
            let book = try #require(try Self.books(Self.open(Self.first, old)).first)
            #expect(try book.value(forKey: "cover") == .data(Self.cover))
        }
    }

    @Test func `each store that is moved aside has a name of its own`() throws {
        try withStoreFile { path in
            for number in 1...3 {
                try Self.makeStore(at: path)
                _ = try Self.open(Self.second, path, .recreate)
                _ = try PersistentStoreCoordinator.destroyPersistentStore(at: path)
                let names = try Self.names(besides: path)
                #expect(names.count { $0.hasPrefix("store.draft-") } == number)
            }
        }
    }

    @Test func `a store that is open elsewhere is not moved`() throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let other = try Self.open(Self.first, path)
            _ = try Self.books(other)
            let error = expectOpening(throws: StoreError.self) {
                try Self.open(Self.second, path, .recreate)
            }
            #expect(error?.code == .busy)
            #expect(
                error?.message.contains("while another process or container has it open") == true)
            #expect(try Self.books(other).count == 1)
            #expect(try !Self.names(besides: path).contains { $0.hasPrefix("store.draft-") })
        }
    }

    @Test func `a store that is opened just before it would be moved is not moved`() throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let other = Mutex<PersistentContainer?>(nil)
            var options = StoreOptions()
            options.draftPolicy = .recreate
            options.busyTimeout = .milliseconds(50)
            options.statementHook = StatementHook { statement in
                guard statement.sql.contains("journal_mode = DELETE") else { return }
                other.withLock { $0 = try? Self.open(Self.first, path) }
            }
            let error = #expect(throws: StoreLoadingError.self) {
                _ = try PersistentContainer(
                    model: Self.second, at: .temporary(path), options: options)
            }
            #expect(error?.code == .busy)
            #expect(try !Self.names(besides: path).contains { $0.hasPrefix("store.draft-") })
            let container = try #require(other.withLock { $0 })
            #expect(try Self.books(container).count == 1)
        }
    }

    @Test func `a store that another process migrates while it is opened is opened`() throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let isMigrated = Mutex(false)
            var options = StoreOptions()
            options.draftPolicy = .migrate
            options.statementHook = StatementHook { statement in
                guard statement.sql.contains("\"_metadata\"") else { return }
                let isFirst = isMigrated.withLock { done in
                    defer { done = true }
                    return !done
                }
                if isFirst { _ = try? Self.open(Self.second, path, .migrate) }
            }
            let container = try PersistentContainer(
                model: Self.second, at: .temporary(path), options: options)
            #expect(container.migration == .current)
            #expect(try Self.books(container).count == 1)
            #expect(isMigrated.withLock { $0 })
        }
    }

    @Test func `a store that had a frozen version is never moved`() throws {
        try withStoreFile { path in
            let model = Self.first.model
            let frozen = CompiledModel(
                model: model, classes: [:], schema: Self.first.schema, migrations: [],
                isFrozen: true)
            try Self.makeStore(at: path, frozen)
            let draft = Self.model([.optional("pages", .int32)], version: "2")
            let migration = try Migration(from: model, to: draft)
            _ = try Self.open(CompiledModel(draft, migrations: [migration]), path)
            let edited = Self.model([.optional("pages", .int64)], version: "2")
            let way = try Migration(from: model, to: edited)
            do {
                _ = try Self.open(CompiledModel(edited, migrations: [way]), path, .recreate)
                Issue.record("The store was moved")
            } catch {
                #expect(
                    "\(error)".contains("It is not recreated, because it was a store of version 1"))
            }
            #expect(try !Self.names(besides: path).contains { $0.hasPrefix("store.draft-") })
        }
    }

    @Test(arguments: DraftPolicy.allCases)
    func `a store that is only read is refused`(policy: DraftPolicy) throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let before = try Data(contentsOf: URL(filePath: path))
            var options = StoreOptions()
            options.draftPolicy = policy
            options.isReadOnly = true
            expectOpening(throws: MigrationError.self) {
                try PersistentContainer(model: Self.second, at: .temporary(path), options: options)
            }
            #expect(try Data(contentsOf: URL(filePath: path)) == before)
        }
    }

    @Test func `a copy of a store has the same lineage`() throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let container = try Self.open(Self.first, path)
            let copy = path + "-copy"
            try container.coordinator.backUp(container.coordinator.persistentStores[0], to: copy)
            _ = try Self.open(Self.second, copy, .migrate)
            #expect(try Self.books(Self.open(Self.second, copy)).count == 1)
        }
    }

    @Test func `the command of the program says the same`() throws {
        try withStoreFile { path in
            try Self.makeStore(at: path)
            let command = MigrationCommand(model: Self.second, storeAt: path)
            for action in ["status", "plan", "apply"] {
                let output = Log()
                var quiet = command
                quiet.write = { output.add($0) }
                quiet.writeError = { output.add($0) }
                #expect(quiet.run([action]) == 7)
                #expect(output.text.contains("Book.pages was added"))
                #expect(output.text.contains("cambium version new"))
            }
        }
    }

    private final class Log: @unchecked Sendable {
        // Safety: the command writes on the thread that runs it.
        private(set) var text = ""

        func add(_ part: String) { text += part }
    }

    @Test func `a program that is not being developed is warned of the two policies`() {
        for policy in DraftPolicy.allCases {
            #expect(SQLiteKind.warning(about: policy, isDevelopment: true) == nil)
        }
        #expect(SQLiteKind.warning(about: .refuse, isDevelopment: false) == nil)
        #expect(
            SQLiteKind.warning(about: .migrate, isDevelopment: false)
                == "StoreOptions.draftPolicy is .migrate, which is for development, in a program that "
                + "was compiled without DEBUG. Set it inside #if DEBUG")
    }
}
