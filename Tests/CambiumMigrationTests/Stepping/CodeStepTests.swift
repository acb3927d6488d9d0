@_spi(Generated) import CambiumMigration
import CambiumModel
import CambiumSQLite
import Testing

@testable import MigrationTestSupport

/// Steps that the program itself does in the middle of a migration.
struct CodeStepTests {
    private typealias Sample = StepSample
    private typealias V1 = StepSample.V1
    private typealias V2 = StepSample.V2

    private func people(_ connection: Connection) throws -> [[String]] {
        try TestStore.text(
            connection.rows(
                "SELECT p._id, p.firstName, h.name FROM Person p JOIN Place h ON h._id = p.home "
                    + "ORDER BY 1"))
    }

    /// Runs a step that must fail, and makes sure that the store is as it was.
    private func failure(
        _ body: @escaping @Sendable (StepSample.Context) throws -> Void
    ) throws -> any Error {
        let connection = try Sample.store()
        let before = try TestStore.dump(connection)
        var failure: (any Error)?
        do {
            _ = try Sample.runner(body).open(connection)
        } catch {
            failure = error
        }
        #expect(try TestStore.dump(connection) == before)
        return try #require(failure)
    }

    // MARK: What a step can do

    @Test func `a step fills what only it knows, from all of the old version`() throws {
        let connection = try Sample.store()
        let outcome = try Sample.runner().open(connection)
        guard case .migrated = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(
            try people(connection) == [
                ["1", "Ada", "London"], ["2", "Grace", "New York"], ["5", "Alan", "London"],
            ])
        #expect(
            try TestStore.text(connection.rows("SELECT owner FROM Pet ORDER BY _id")) == [
                ["5"], ["nil"],
            ])
        let helpers = try connection.rows(
            "SELECT name FROM sqlite_schema WHERE name LIKE '\\_step%' ESCAPE '\\' "
                + "OR name LIKE '\\_code%' ESCAPE '\\'")
        #expect(helpers.isEmpty)
        #expect(try Sample.runner().open(connection) == .current)
    }

    @Test func `the store of a migration with a step is that of a fresh one`() throws {
        let connection = try Sample.store()
        _ = try Sample.runner().open(connection)
        let fresh = try MigrationProver.makeStore(of: Sample.second, seed: nil)
        let query = "SELECT name, sql FROM sqlite_schema ORDER BY name"
        #expect(try connection.rows(query) == fresh.rows(query))
    }

    @Test func `the keys of what a step inserts are given once`() throws {
        let connection = try Sample.store()
        _ = try Sample.runner { context in
            try Sample.settle(context)
            let place = try context.insert(V2.PlaceRow(name: "Paris"))
            let new = try context.insert(V2.PersonRow(firstName: "Marie", home: place))
            #expect(new.key == 9)
        }.open(connection)
        let next = try TestStore.text(
            connection.rows("SELECT entity, next FROM _keys ORDER BY entity"))
        #expect(next == [["Person", "10"], ["Pet", "9"], ["Place", "4"]])
    }

    @Test func `links to what a step deletes go with it`() throws {
        let connection = try Sample.store()
        _ = try Sample.runner { context in
            try Sample.settle(context)
            let alan = try context.newID(of: RowID<V1.PersonRow>(key: 5), as: V2.PersonRow.self)
            try context.delete(alan)
        }.open(connection)
        #expect(try people(connection).map { $0[0] } == ["1", "2"])
        // Pets are none of what the step names, so that the link must be gone by itself.
        #expect(
            try TestStore.text(connection.rows("SELECT owner FROM Pet ORDER BY _id")) == [
                ["nil"], ["nil"],
            ])
    }

    @Test func `an old object is found as what it was replaced with`() throws {
        let connection = try Sample.store()
        _ = try Sample.runner { context in
            try Sample.settle(context)
            let ada = RowID<V1.PersonRow>(key: 1)
            let place = try context.insert(V2.PlaceRow(name: "Paris"))
            let new = try context.insert(V2.PersonRow(firstName: "Marie", home: place))
            try context.replace(ada, with: new)
            #expect(try context.newID(of: ada, as: V2.PersonRow.self) == new)
            #expect(try context.newID(of: ada, as: V2.PlaceRow.self) == nil)
            let nobody = RowID<V1.PersonRow>(key: 77)
            #expect(try context.newID(of: nobody, as: V2.PersonRow.self) == nil)
            // A row that was not inserted has no number.
            let unborn = V2.PlaceRow(name: "Rome").rowID
            #expect(try context.row(unborn) == nil && unborn == nil)
            #expect(throws: MigrationStepMistake.noRow(entity: "Place", row: 0)) {
                try context.update(unborn) { $0.name = "Roma" }
            }
        }.open(connection)
    }

    @Test func `a step reads links of the old version and rows of the new one`() throws {
        let connection = try Sample.store()
        _ = try Sample.runner { context in
            try Sample.settle(context)
            let alan = RowID<V1.PersonRow>(key: 5)
            #expect(try context.related(V1.PersonRow.pets, to: alan).map(\.key) == [1])
            #expect(try context.row(alan)?.name == "Alan")
            #expect(try context.row(RowID<V2.PetRow>(key: 1))?.owner?.key == 5)
            #expect(try context.count(of: V2.PlaceRow.self) == 2)
        }.open(connection)
    }

    @Test func `rows are read in batches, each once, whatever is written meanwhile`() throws {
        let connection = try MigrationProver.makeStore(of: Sample.first, seed: nil)
        try connection.execute(
            """
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1203)
            INSERT INTO Person (_id, name, city) SELECT i, 'n' || i, 'c' FROM n;
            UPDATE _keys SET next = 2000
            """)
        _ = try Sample.runner { context in
            var seen: [Int64] = []
            let place = try context.insert(V2.PlaceRow(name: "c"))
            try context.forEach(V1.PersonRow.self) { old in
                seen.append(old.rowID?.key ?? 0)
                try context.update(old.rowID, as: V2.PersonRow.self) {
                    $0.firstName = old.name
                    $0.home = place
                }
            }
            #expect(seen == Array(1...1203))
        }.open(connection)
        #expect(try connection.rows("SELECT count(*) FROM Person") == [[.integer(1203)]])
    }

    // MARK: What goes wrong

    @Test func `a migration whose step nobody supplies changes nothing`() throws {
        let connection = try Sample.store()
        let before = try TestStore.dump(connection)
        let runner = try Sample.runner(nil)
        #expect(throws: MigrationError.codeIsMissing(steps: ["settle"])) {
            try runner.open(connection)
        }
        #expect(try TestStore.dump(connection) == before)
    }

    @Test func `all steps that nobody supplies are told before anything is done`() throws {
        let second = Model(
            name: "Shop", version: "2", entities: Sample.second.entities,
            migration: MigrationDeclaration(
                from: "1", drops: Sample.second.migration?.drops ?? [],
                steps: ["settle", "tidy", "count"].map {
                    .init(name: $0, entities: ["Person", "Place"])
                }))
        let runner = MigrationRunner(
            model: second, migrations: [try Migration(from: Sample.first, to: second)])
        runner.code = [CodeStep("settle", from: V1.self, to: V2.self, Sample.settle)]
        var summaries: [String] = []
        runner.progress = { summaries.append($0.summary) }
        let connection = try Sample.store()
        #expect(throws: MigrationError.codeIsMissing(steps: ["tidy", "count"])) {
            try runner.open(connection)
        }
        #expect(summaries == [])
    }

    @Test func `an error of a step undoes all, and names the step, the entity and the row`() throws
    {
        struct Oops: Error {}
        let error = try #require(
            try failure { context in
                try Sample.settle(context)
                try context.forEach(V1.PersonRow.self) { old in
                    if old.name == "Grace" { throw Oops() }
                }
            } as? MigrationStepError)
        #expect(error.step == "settle" && error.entity == "Person" && error.row == 2)
        #expect(error.underlying is Oops)
    }

    @Test func `a row that a step forgets undoes all, and is named`() throws {
        let error = try #require(
            try failure { context in
                let place = try context.insert(V2.PlaceRow(name: "c"))
                try context.forEach(V1.PersonRow.self) { old in
                    guard old.name != "Alan" else { return }
                    try context.update(old.rowID, as: V2.PersonRow.self) {
                        $0.firstName = old.name
                        $0.home = place
                    }
                }
            } as? MigrationStepError)
        #expect(error.step == "settle" && error.entity == "Person" && error.row == 5)
        #expect("\(error)".contains("firstName"))
    }

    @Test func `a value that breaks a limit is refused with its row`() throws {
        let error = try #require(
            try failure { context in
                try Sample.settle(context)
                try context.update(RowID<V1.PersonRow>(key: 2), as: V2.PersonRow.self) {
                    $0.firstName = ""
                }
            } as? MigrationStepError)
        #expect(error.row == 2)
    }

    @Test func `a step that makes equal what is unique is refused`() throws {
        let error = try #require(
            try failure { context in
                try Sample.settle(context)
                try context.insert(V2.PlaceRow(name: "London"))
            } as? MigrationStepError)
        #expect(error.step == "settle")
        guard
            case .notUnique("Place", ["name"], let rows)? = error.underlying
                as? MigrationStepMistake
        else {
            Issue.record("\(error)")
            return
        }
        #expect(rows.count == 2 && error.row == rows.first)
        #expect("\(error)".contains("Two Place (\(rows[0]) and \(rows[1])) have the same name,"))
    }

    @Test func `a step writes no entity that it does not name`() throws {
        let error = try #require(
            try failure { context in
                try Sample.settle(context)
                try context.delete(RowID<V2.PetRow>(key: 1))
            } as? MigrationStepError)
        #expect(error.underlying as? MigrationStepMistake == .notWritable(entity: "Pet"))
    }

    @Test func `a decimal with more places than its scale is no value`() throws {
        let error = try #require(
            try failure { context in
                try Sample.settle(context)
                try context.update(RowID<V1.PersonRow>(key: 1), as: V2.PersonRow.self) {
                    $0.age = Decimal(string: "1.25")
                }
            } as? MigrationStepError)
        #expect(
            error.underlying as? MigrationStepMistake
                == .unfitValue(entity: "Person", column: "age"))
    }

    @Test func `a text with a NUL is refused, unless it was there`() throws {
        for isInserted in [true, false] {
            let error = try #require(
                try failure { context in
                    try Sample.settle(context)
                    guard !isInserted else {
                        try context.insert(V2.PlaceRow(name: "a\0b"))
                        return
                    }
                    try context.update(RowID<V1.PersonRow>(key: 1), as: V2.PersonRow.self) {
                        $0.firstName = "a\0b"
                    }
                } as? MigrationStepError)
            let place =
                isInserted
                ? (entity: "Place", column: "name") : (entity: "Person", column: "firstName")
            #expect(
                error.underlying as? MigrationStepMistake
                    == .nulInText(entity: place.entity, column: place.column))
        }
    }

    @Test func `a step ends when the migration is cancelled`() throws {
        let connection = try Sample.store()
        let before = try TestStore.dump(connection)
        let asked = Asked()
        let runner = try Sample.runner { context in
            asked.isOn = true
            try Sample.settle(context)
        }
        runner.isCancelled = { asked.isOn }
        #expect(throws: MigrationError.cancelled) { try runner.open(connection) }
        #expect(try TestStore.dump(connection) == before)
    }

    @Test func `progress goes on while a step runs`() throws {
        let connection = try Sample.store()
        let runner = try Sample.runner()
        var summaries: [String] = []
        var last = 0.0
        runner.progress = { progress in
            #expect(progress.fraction >= last && progress.completed <= progress.total)
            last = progress.fraction
            summaries.append(progress.summary)
        }
        _ = try runner.open(connection)
        #expect(summaries.contains("Run settle of the program"))
    }
}

/// Something that a step and who asks for its end both look at, on one thread.
// Safety: it is used on the test's own thread only.
private final class Asked: @unchecked Sendable {
    var isOn = false
}
