import CambiumModel
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumMigration
import CambiumPlan
@testable import CambiumSQL

struct DraftTests {
    private static let pages = Attribute.optional("pages", .int32)

    private static func model(_ attributes: [Attribute], version: String = "1") -> Model {
        Model(
            name: "Library", version: version,
            entities: [
                Entity(name: "Book", attributes: [.required("title", .string)] + attributes)
            ])
    }

    private static let first = model([])

    private static func runner(
        _ model: Model, policy: DraftPolicy = .refuse, isFrozen: Bool = false,
        earlier: [Model] = [], migrations: [Migration] = []
    ) -> MigrationRunner {
        let runner = MigrationRunner(model: model, migrations: migrations)
        runner.drafts = DraftVersions(
            of: model, isFrozen: isFrozen,
            earlier: Dictionary(uniqueKeysWithValues: earlier.map { ($0.version, $0.definition) }))
        runner.draftPolicy = policy
        return runner
    }

    /// A store of a draft with one book.
    private static func store(
        of model: Model = first, isFrozen: Bool = false
    ) throws -> Connection {
        let connection = try Connection(path: ":memory:")
        #expect(try runner(model, isFrozen: isFrozen).open(connection) == .created)
        try connection.execute(
            "INSERT INTO \"Book\" (\"_id\", \"_version\", \"title\") VALUES (1, 1, 'Trees')")
        return connection
    }

    private static func refusal(
        _ runner: MigrationRunner, _ store: Connection
    ) throws -> OtherDraft? {
        do {
            _ = try runner.open(store)
            Issue.record("The store was opened")
            return nil
        } catch MigrationError.otherDraft(let draft) {
            return draft
        }
    }

    private static func kept(_ store: Connection) throws -> StoreDefinition? {
        let metadata = try #require(try MigrationRunner.readMetadata(store))
        return StoreDefinition(rows: try store.rows(StoreDefinition.query), of: metadata)
    }

    // MARK: What a store says

    @Test func `a new store says what it was written with`() throws {
        let kept = try #require(try Self.kept(Self.store()))
        #expect(kept.definition == Self.first.definition)
        #expect(kept.frozenVersion == nil)
    }

    @Test func `a store that was made without a definition gets one, and counts as shipped`() throws
    {
        let store = try Connection(path: ":memory:")
        _ = try MigrationRunner(model: Self.first).open(store)
        #expect(try Self.kept(store) == nil)
        #expect(try Self.runner(Self.first).open(store) == .current)
        #expect(
            try Self.kept(store)
                == StoreDefinition(definition: Self.first.definition, frozenVersion: "1"))
    }

    @Test func `a store that is only read gets no definition`() throws {
        let store = try Connection(path: ":memory:")
        _ = try MigrationRunner(model: Self.first).open(store)
        let runner = Self.runner(Self.first)
        runner.isReadOnly = true
        #expect(try runner.open(store) == .current)
        #expect(try Self.kept(store) == nil)
    }

    @Test func `that a version was frozen stays true of a store`() throws {
        let store = try Self.store(isFrozen: true)
        #expect(try Self.kept(store)?.frozenVersion == "1")
        let second = Self.model([Self.pages], version: "2")
        let migration = try Migration(from: Self.first, to: second)
        _ = try Self.runner(second, migrations: [migration]).open(store)
        #expect(
            try Self.kept(store)
                == StoreDefinition(definition: second.definition, frozenVersion: "1"))
        #expect(try Self.runner(second, isFrozen: true).open(store) == .current)
        #expect(try Self.kept(store)?.frozenVersion == "2")
    }

    @Test func `the definition follows what no hash sees`() throws {
        func model(_ message: String) -> Model {
            let rule = Rule(name: "r", message: message, condition: .literal(.bool(true)))
            return Model(
                name: "Library", version: "1",
                entities: [Entity(name: "Book", attributes: [Self.pages], rules: [rule])])
        }
        let store = try Connection(path: ":memory:")
        _ = try Self.runner(model("One")).open(store)
        #expect(try Self.runner(model("Two")).open(store) == .current)
        #expect(try Self.kept(store)?.definition == model("Two").definition)
    }

    @Test func `a definition of another version, or of a later Cambium, says nothing`() throws {
        let store = try Self.store()
        let other = Self.runner(Self.model([Self.pages]), policy: .migrate)
        // What a program that knows no definitions leaves behind.
        try store.execute(
            "UPDATE \"_metadata\" SET \"value\" = replace(\"value\", substr(\"value\", 1, 4), 'beef') "
                + "WHERE \"name\" = 'definition'")
        #expect(throws: MigrationError.self) { try other.open(store) }
        #expect(try Self.kept(store) == nil)
        let later = try Self.store()
        try later.execute(
            "UPDATE \"_metadata\" SET \"value\" = \"value\" || 'later[]' "
                + "WHERE \"name\" = 'definition'")
        do {
            _ = try other.open(later)
        } catch MigrationError.unknownVersion(let version, _, _) {
            #expect(version == "1")
        }
    }

    // MARK: Refusing

    @Test func `a store of another draft is refused in words, with the ways on`() throws {
        let changed = Model(
            name: "Library", version: "1",
            entities: [
                Entity(
                    name: "Book", attributes: [.required("title", .date), Self.pages],
                    uniqueConstraints: [UniqueConstraint(properties: ["title"])])
            ])
        let draft = try #require(try Self.refusal(Self.runner(changed), Self.store()))
        #expect(
            draft.changes == [
                "Book.pages was added", "title of Book became unique",
                "Book.title changed from string to date",
            ])
        #expect(
            draft.description.hasSuffix(
                """
                It cannot be migrated to this one: Book.title changes its type from string to date, \
                and some values may not fit. You can move it aside and start with an \
                empty one (draftPolicy = .recreate), or undo the change and make it in a new \
                version (swift package cambium version new)
                """))
        #expect(draft.obstacles.count == 1)
    }

    @Test func `a removed property is named, and never lost`() throws {
        let store = try Self.store(of: Self.model([Self.pages]))
        for policy in DraftPolicy.allCases {
            let draft = try #require(
                try Self.refusal(Self.runner(Self.first, policy: policy), store))
            #expect(draft.changes == ["Book.pages was removed"])
            #expect(
                draft.obstacles == [
                    "Book.pages of version 1 of the store is missing in version 1 of the program, and "
                        + "nothing there has renamedFrom=\"pages\""
                ])
        }
    }

    @Test func `what is refused is as it was`() throws {
        let store = try Self.store()
        let before = try TestStore.dump(store)
        _ = try Self.refusal(Self.runner(Self.model([Self.pages])), store)
        #expect(try TestStore.dump(store) == before)
    }

    @Test func `a store of a frozen version is none of a draft`() throws {
        let store = try Self.store(isFrozen: true)
        #expect(throws: MigrationError.self) {
            try Self.runner(Self.model([Self.pages]), policy: .migrate).open(store)
        }
        do {
            _ = try Self.runner(Self.model([Self.pages]), policy: .migrate).open(store)
        } catch MigrationError.otherDraft {
            Issue.record("The version had shipped")
        } catch {}
    }

    // MARK: Migrating

    @Test func `a property that is added is added, and the log says that nothing has proven it`()
        throws
    {
        let store = try Self.store()
        let changed = Self.model([
            Self.pages, Attribute(name: "price", type: .int64, defaultValue: .constant(.int(3))),
        ])
        let runner = Self.runner(changed, policy: .migrate)
        let log = Log()
        runner.log = { log.lines.append($0) }
        guard case .migrated("1", "1", _, nil) = try runner.open(store) else {
            Issue.record("The store was not migrated")
            return
        }
        let rows = try store.rows("SELECT \"title\", \"pages\", \"price\" FROM \"Book\"")
        #expect(rows == [[.text("Trees"), .null, .integer(3)]])
        #expect(
            log.lines == [
                "The store was migrated from another draft of version 1 of Library, and nothing has "
                    + "proven that migration: Book.pages was added, Book.price was added"
            ])
        #expect(try Self.kept(store)?.definition == changed.definition)
        #expect(try Self.kept(store)?.frozenVersion == nil)
        #expect(try runner.open(store) == .current)
    }

    private final class Log {
        var lines: [String] = []
    }

    @Test func `rows that do not fit leave the store as it was`() throws {
        let store = try Self.store()
        let before = try TestStore.dump(store)
        let changed = Model(
            name: "Library", version: "1",
            entities: [
                Entity(
                    name: "Book",
                    attributes: [
                        Attribute(
                            name: "title", type: .string, limits: Limits(minimumLength: 9)),
                        Self.pages,
                    ])
            ])
        let draft = try #require(
            try Self.refusal(Self.runner(changed, policy: .migrate), store))
        #expect(
            draft.changes == [
                "the limits of Book.title changed from none to length at least 9",
                "Book.pages was added",
            ])
        #expect(draft.refusal?.objects == [1])
        #expect(
            draft.description.hasSuffix(
                """
                Its data does not fit this one: Book.title is shorter than it may be [object 1 of Book]. \
                You can move it aside and start with an empty one (draftPolicy = .recreate), or undo the change, repair the data, and make the change again
                """))
        #expect(try TestStore.dump(store) == before)
    }

    @Test func `data that does not fit a version that has shipped is no draft's`() throws {
        let store = try Self.store()
        let narrow = Model(
            name: "Library", version: "2",
            entities: [
                Entity(
                    name: "Book",
                    attributes: [
                        Attribute(name: "title", type: .string, limits: Limits(minimumLength: 9))
                    ])
            ])
        let migration = try Migration(from: Self.first, to: narrow)
        for policy in DraftPolicy.allCases {
            let error = #expect(throws: MigrationError.self) {
                try Self.runner(
                    narrow, policy: policy, earlier: [Self.first], migrations: [migration]
                ).open(store)
            }
            guard case .refused? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
    }

    @Test func `a required property says what a draft can do about it`() throws {
        let changed = Self.model([.required("isbn", .string)])
        let draft = try #require(try Self.refusal(Self.runner(changed), Self.store()))
        #expect(
            draft.obstacles == [
                "Book.isbn is new and required, and existing objects have no value for it: give "
                    + "isbn a default, or make it optional"
            ])
    }

    @Test func `limits that read the same are no change of a draft`() throws {
        func model(_ type: AttributeType, _ one: Value, _ ten: Value) -> Model {
            Self.model([
                Attribute(
                    name: "pages", type: type, isOptional: true,
                    limits: Limits(minimum: one, maximum: ten))
            ])
        }
        let store = try Self.store(of: model(.int32, .int(1), .int(10)))
        let draft = try #require(
            try Self.refusal(
                Self.runner(model(.decimal(scale: 2), .decimal(1), .decimal(10))), store))
        #expect(draft.changes == ["Book.pages changed from int32 to decimal(2)"])
    }

    @Test func `a draft of version 1 goes to the program's version 1 first`() throws {
        let own = Self.model([Self.pages])
        let second = Self.model([Self.pages, .optional("isbn", .string)], version: "2")
        let migration = try Migration(from: own, to: second)
        let store = try Self.store()
        let refusing = Self.runner(second, earlier: [own], migrations: [migration])
        #expect(try Self.refusal(refusing, store)?.changes == ["Book.pages was added"])
        let runner = Self.runner(
            second, policy: .migrate, earlier: [own], migrations: [migration])
        guard case .migrated("1", "2", _, _) = try runner.open(store) else {
            Issue.record("The store was not migrated")
            return
        }
        #expect(try store.rows("SELECT \"isbn\" FROM \"Book\"") == [[.null]])
        #expect(try Self.kept(store)?.definition == second.definition)
    }

    @Test func `a draft of a version that has shipped since in another form is refused`() throws {
        let own = Self.model([Self.pages])
        let second = Self.model([Self.pages, .optional("isbn", .string)], version: "2")
        let runner = Self.runner(
            second, policy: .migrate, migrations: [try Migration(from: own, to: second)])
        let draft = try #require(try Self.refusal(runner, Self.store()))
        #expect(draft.changes.isEmpty)
        #expect(draft.obstacles == ["version 1 has shipped since in another form"])
        #expect(draft.description.hasSuffix("go on with it in the program that wrote it"))
    }

    @Test func `a later draft of a store that had a frozen version is migrated, never recreated`()
        throws
    {
        let store = try Self.store(isFrozen: true)
        let second = Self.model([Self.pages], version: "2")
        let migration = try Migration(from: Self.first, to: second)
        _ = try Self.runner(second, migrations: [migration]).open(store)
        let edited = Self.model([Self.pages, .optional("isbn", .string)], version: "2")
        let way = [try Migration(from: Self.first, to: edited)]
        let draft = try #require(
            try Self.refusal(Self.runner(edited, policy: .recreate, migrations: way), store))
        #expect(draft.frozenVersion == "1")
        #expect(draft.description.contains("not recreated, because it was a store of version 1"))
        guard
            case .migrated("2", "2", _, _) = try Self.runner(
                edited, policy: .migrate, migrations: way
            ).open(store)
        else {
            Issue.record("The store was not migrated")
            return
        }
        #expect(try Self.kept(store)?.frozenVersion == "1")
    }

    @Test func `equal hashes are no other draft, whatever the policy`() throws {
        let limited = Model(
            name: "Library", version: "1",
            entities: [
                Entity(
                    name: "Book",
                    attributes: [
                        Attribute(name: "title", type: .string, limits: Limits(maximumLength: 90))
                    ])
            ])
        for policy in DraftPolicy.allCases {
            let store = try Self.store()
            #expect(
                try Self.runner(limited, policy: policy).open(store) == .refreshed(backup: nil))
            #expect(try Self.kept(store)?.definition == limited.definition)
        }
    }

    @Test func `automatic migration that is off is said in words`() throws {
        let runner = Self.runner(Self.model([Self.pages]), policy: .migrate)
        runner.allowsMigration = false
        let draft = try #require(try Self.refusal(runner, Self.store()))
        #expect(
            draft.obstacles == [
                "automatic migration is off (StoreOptions.migratesAutomatically)"
            ])
    }

    @Test func `a store can say of itself what it likes, and an error stays short`() throws {
        let many = (0..<40).map { Attribute.optional("a\($0)", .int32) }
        let draft = try #require(try Self.refusal(Self.runner(Self.model(many)), Self.store()))
        #expect(draft.changes.count == 40)
        #expect(draft.description.contains("and 28 more"))
    }

    // MARK: Names of the version before

    private static func named(_ name: String, from former: String?) -> Attribute {
        Attribute(name: name, type: .string, isOptional: true, renamedFrom: former)
    }

    @Test(
        arguments: [
            // Both drafts say that it was the same thing in the version before.
            (("titel", "name"), [("heading", "name")], true),
            // The draft before had not renamed it yet.
            (("name", nil), [("heading", "name")], true),
            // Both have it, and what it was is of no interest.
            (("heading", "name"), [("heading", "name")], true),
            (("heading", "name"), [("heading", nil)], true),
            // Which of the two is it?
            (("heading", "name"), [("heading", nil), ("name", nil)], false),
            (("heading", nil), [("title2", nil)], false),
        ] as [((String, String?), [(String, String?)], Bool)])
    func `what a draft says of former names is about the version before`(
        old: (String, String?), new: [(String, String?)], isClear: Bool
    ) throws {
        let before = Self.model([Self.named(old.0, from: old.1)], version: "2")
        let after = Self.model(new.map { Self.named($0.0, from: $0.1) }, version: "2")
        let difference = DraftDifference(from: before, to: after)
        #expect(difference.obstacles.isEmpty == isClear, "\(difference.obstacles)")
    }
}
