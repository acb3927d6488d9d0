import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import Testing

/// What becomes of the tables, indexes, views and triggers of other programs in a migration.
struct ExternalObjectTests {
    private typealias Store = TestStore

    /// P is made anew with another name for `n`, and with `a` and `b` exchanged; Q becomes R.
    private static let old = Store.model(
        "1",
        [
            Entity(
                name: "P",
                attributes: ["n", "s", "a", "b"].map { Store.string($0, optional: true) }),
            Entity(name: "Q", attributes: [Store.string("s", optional: true)]),
        ])
    private static let new = Store.model(
        "2",
        [
            Entity(
                name: "P",
                attributes: [
                    Store.string("m", optional: true, from: "n"),
                    Store.string("s", optional: true),
                    Store.string("a", optional: true, from: "b"),
                    Store.string("b", optional: true, from: "a"),
                    Store.string("added", optional: true),
                ],
                indexes: [Index(elements: [IndexElement(property: "m")])]),
            Entity(
                name: "R", renamedFrom: "Q", attributes: [Store.string("s", optional: true)]),
        ])

    private func runner(isNoted: Bool = true) throws -> MigrationRunner {
        let migrations = [try Migration(from: Self.old, to: Self.new)]
        let schemas = [Self.old, Self.new].map { Schema(of: $0) }
        return MigrationRunner(
            model: Self.new, migrations: isNoted ? migrations.noting(schemas) : migrations)
    }

    private func store(_ theirs: String) throws -> Connection {
        let connection = try MigrationProver.makeStore(of: Self.old, seed: nil)
        try connection.execute(
            "INSERT INTO P (_id, n, s) VALUES (1, 'n', 's'); INSERT INTO Q (_id, s) VALUES (1, 'q')"
        )
        try connection.execute(theirs)
        return connection
    }

    @Test(
        arguments: [
            "CREATE TABLE log (id INTEGER PRIMARY KEY, q TEXT CHECK (q <> 'q'))",
            "CREATE TABLE log (q TEXT); CREATE INDEX i ON log (q)",
            "CREATE TABLE log (q TEXT); CREATE VIEW v AS SELECT q, q AS r FROM log",
            "CREATE VIEW v AS SELECT s AS q FROM P",
            "CREATE TABLE log (x); CREATE TRIGGER t AFTER INSERT ON P BEGIN "
                + "INSERT INTO log VALUES ('q'); END",
        ])
    func `a word that is the name of an entity is in nobody's way`(_ theirs: String) throws {
        let connection = try store(theirs)
        let before = try connection.rows(StoreObject.query).count
        #expect(try runner().open(connection) != .current)
        let names = try connection.rows("SELECT name FROM sqlite_schema").compactMap { row in
            if case .text(let name)? = row.first { name } else { nil }
        }
        #expect(before > 0 && names.contains(theirs.contains("log") ? "log" : "v"))
    }

    // MARK: In the way

    /// Their statement, what the migration says of it.
    private static let conflicts: [(sql: String, words: [String])] = [
        (
            "CREATE TABLE R (x); INSERT INTO R VALUES (1)",
            [
                "the table R has a name that the migration uses: give it another name: "
                    + "ALTER TABLE \"R\" RENAME TO \"R_2\""
            ]
        ),
        (
            "CREATE TABLE r (x); CREATE TABLE R_2 (x)",
            [
                "table r has a name that the migration uses", "(R) except for case",
                "ALTER TABLE \"r\" RENAME TO \"r_2_2\"",
            ]
        ),
        ("CREATE TABLE _new_p (x)", ["table _new_p has a name that the migration uses"]),
        (
            "CREATE INDEX R ON P (s)",
            ["index R has a name that the migration uses", "DROP INDEX \"R\""]
        ),
        (
            "CREATE VIEW r AS SELECT s FROM P",
            ["view r has a name that the migration uses", "DROP VIEW \"r\""]
        ),
        (
            "CREATE INDEX \"P.index.m\" ON P (s)",
            ["index P.index.m has a name that the migration uses"]
        ),
        ("CREATE INDEX \"P.index.s\" ON P (s)", ["index P.index.s has a name that is reserved"]),
        (
            "CREATE VIEW v AS SELECT n FROM P",
            ["view v would no longer work (no such column: n)"]
        ),
        (
            "CREATE VIEW v AS SELECT n FROM p; CREATE VIEW w AS SELECT n FROM v",
            ["view v would no longer", "view w would no longer", "DROP VIEW \"w\""]
        ),
        ("CREATE VIEW v AS SELECT s FROM q", ["view v would no longer work (no such table"]),
        (
            "CREATE TRIGGER t AFTER INSERT ON p BEGIN UPDATE q SET s = 'x'; END",
            ["trigger t would no longer work (no such table: main.q)", "CREATE TRIGGER t AFTER"]
        ),
        (
            """
            CREATE TRIGGER t AFTER INSERT ON P BEGIN UPDATE P SET s = 'x'; END;
            CREATE TRIGGER u AFTER INSERT ON P BEGIN UPDATE P SET s = NEW.n; END
            """,
            ["conflict with the migration, and nothing was changed: the trigger u would no longer"]
        ),
        (
            """
            CREATE VIEW v AS SELECT s FROM P;
            CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN INSERT INTO P (n) VALUES (NEW.s); END
            """,
            [
                "trigger t would no longer work (table P has no column named n)",
                "drop it (DROP TRIGGER \"t\")",
            ]
        ),
        (
            """
            CREATE VIEW v AS SELECT s FROM P;
            CREATE TRIGGER t INSTEAD OF UPDATE ON v BEGIN UPDATE P SET s = NEW.s; END;
            CREATE TRIGGER u INSTEAD OF UPDATE ON v BEGIN UPDATE P SET n = NEW.s; END;
            CREATE TRIGGER w INSTEAD OF DELETE ON v BEGIN DELETE FROM P; END
            """, ["nothing was changed: the trigger u would no longer work (no such column: n)"]
        ),
        (
            "CREATE TRIGGER t AFTER UPDATE OF s, n ON P BEGIN SELECT 1; END",
            ["trigger t would no longer work (no such column: n)"]
        ),
        ("CREATE TRIGGER t AFTER INSERT ON Q BEGIN SELECT 1; END", ["trigger t would no longer"]),
        ("CREATE INDEX i ON P (n)", ["index i would no longer work (no such column: n)"]),
        ("CREATE INDEX i ON Q (s)", ["index i would no longer work"]),
        (
            "CREATE TABLE mine (x REFERENCES Q (_id)); INSERT INTO mine VALUES (1)",
            [
                "table mine would no longer work (no such table: main.Q)",
                "drop it (DROP TABLE \"mine\") and create it again without the "
                    + "references that fail: CREATE TABLE mine (x REFERENCES Q (_id))",
            ]
        ),
        (
            "CREATE VIRTUAL TABLE f USING fts5(n, content='P', content_rowid='_id')",
            ["table f would no longer work (no such column: n)", "drop it (DROP TABLE \"f\")"]
        ),
        (
            """
            CREATE VIEW v AS SELECT n FROM P;
            CREATE TRIGGER t INSTEAD OF INSERT ON V BEGIN INSERT INTO P (s) VALUES ('z'); END
            """,
            [
                "changed: the trigger t belongs to the view v, which has to be dropped: drop it "
                    + "first (DROP TRIGGER \"t\") and create it again when V is rebuilt: "
                    + "CREATE TRIGGER t INSTEAD OF INSERT ON V BEGIN INSERT INTO P (s) VALUES ('z'); "
                    + "END; the view v would no longer"
            ]
        ),
        (
            """
            CREATE VIEW v AS SELECT n FROM P; CREATE VIEW w AS SELECT n FROM v;
            CREATE TRIGGER t INSTEAD OF INSERT ON v BEGIN INSERT INTO P (n) VALUES ('z'); END;
            CREATE TRIGGER u INSTEAD OF INSERT ON w BEGIN INSERT INTO P (s) VALUES ('z'); END
            """,
            [
                "the trigger t belongs to the view v", "the trigger u belongs to the view w",
                "END; the view v",
            ]
        ),
        (
            """
            CREATE VIEW r AS SELECT s FROM P; CREATE VIEW w AS SELECT s FROM r;
            CREATE TRIGGER t INSTEAD OF INSERT ON r BEGIN INSERT INTO P (s) VALUES ('z'); END;
            CREATE TRIGGER u INSTEAD OF INSERT ON w BEGIN INSERT INTO P (s) VALUES ('z'); END;
            CREATE TRIGGER x AFTER DELETE ON P BEGIN INSERT INTO r VALUES (1); END;
            """,
            [
                "the trigger t belongs to the view r",
                "the trigger u belongs to the view w",
                "the trigger x would mean something else (r is something else then)",
                "the view w would mean something else (r is something else then)",
            ]
        ),
        (
            """
            CREATE TABLE mine (x REFERENCES Q (_id)); CREATE INDEX i ON mine (x);
            CREATE TRIGGER t AFTER INSERT ON mine BEGIN SELECT 1; END
            """,
            [
                "the trigger t belongs to the table mine",
                "; the index i belongs to the table mine",
                "; the table mine would no longer",
            ]
        ),
        (
            "CREATE VIEW v AS SELECT s, a FROM P",
            ["view v would mean something else (P.a has other values then)"]
        ),
    ]

    @Test(arguments: conflicts.indices)
    func `what would be lost or broken is named before anything runs`(number: Int) throws {
        let (sql, words) = Self.conflicts[number]
        let connection = try store(sql)
        let before = try Store.dump(connection)
        let error = #expect(throws: MigrationError.self) { try runner().open(connection) }
        guard case .externalObjectsInTheWay(let objects)? = error else {
            Issue.record("\(sql): \(error as Any)")
            return
        }
        for word in words { #expect("\(try #require(error))".contains(word)) }
        #expect(try Store.dump(connection) == before)
        #expect(try runner().forecast(connection, at: nil)?.externalObjects == objects)
    }

    @Test func `what a program does not know of its version does not hide what is in the way`()
        throws
    {
        for (sql, word) in [
            ("CREATE TABLE r (x)", "table r has a name that the migration uses"),
            ("CREATE VIEW v AS SELECT n FROM P", "no such column: n"),
        ] {
            let connection = try store(sql)
            let error = #expect(throws: MigrationError.self) {
                try runner(isNoted: false).open(connection)
            }
            #expect("\(error as Any)".contains(word))
        }
    }

    @Test func `a table that was given another name is out of the way`() throws {
        let connection = try store(
            "CREATE TABLE R (x); INSERT INTO R VALUES (7); CREATE VIEW v AS SELECT x FROM R")
        let error = #expect(throws: MigrationError.self) { try runner().open(connection) }
        guard case .externalObjectsInTheWay(let objects)? = error else {
            Issue.record("\(error as Any)")
            return
        }
        let statement = try #require(objects[0].remedy.split(separator: ": ").last)
        try connection.execute(String(statement))
        _ = try runner().open(connection)
        #expect(try Store.text(connection.rows("SELECT x FROM v")) == [["7"]])
        #expect(try Store.text(connection.rows("SELECT s FROM R")) == [["q"]])
    }

    @Test func `what must be taken away can be, in the order in which it is named`() throws {
        for name in ["v", "r"] {
            let connection = try store(
                """
                CREATE VIEW \(name) AS SELECT n FROM P; CREATE VIEW w AS SELECT n FROM \(name);
                CREATE TRIGGER t INSTEAD OF DELETE ON w BEGIN DELETE FROM \(name); END;
                CREATE TRIGGER u INSTEAD OF DELETE ON \(name) BEGIN DELETE FROM P WHERE n = 1; END
                """)
            let before = Set(try theirs(connection))
            let objects = try #require(try runner().forecast(connection, at: nil)).externalObjects
            #expect(Set(objects.map(\.statement)) == before)
            for object in objects {
                let statement = object.remedy.split(separator: "(")[1].split(separator: ")")[0]
                try connection.execute(String(statement))
            }
            #expect(try theirs(connection).isEmpty)
            _ = try runner().open(connection)
        }
    }

    private func theirs(_ connection: Connection) throws -> [String] {
        try Store.text(
            connection.rows("SELECT sql FROM sqlite_schema WHERE type IN ('view', 'trigger')")
        ).joined().map(\.self)
    }

    // MARK: Carried on

    @Test func `what can go on goes on`() throws {
        let connection = try store(
            """
            CREATE TABLE mine (x REFERENCES p (_id) ON DELETE CASCADE, other);
            INSERT INTO mine VALUES (1, 'kept');
            CREATE INDEX mineIndex ON mine (other);
            CREATE TRIGGER low AFTER INSERT ON p BEGIN INSERT INTO mine (other) VALUES ('low'); END;
            CREATE UNIQUE INDEX theirs ON P (s) WHERE s > '';
            CREATE VIEW v AS SELECT s FROM P;
            CREATE TRIGGER vt INSTEAD OF INSERT ON v BEGIN INSERT INTO P (s) VALUES (NEW.s); END;
            CREATE TRIGGER R AFTER DELETE ON P BEGIN INSERT INTO mine (other) VALUES ('R'); END;
            CREATE VIRTUAL TABLE f USING fts5(s, content='P', content_rowid='_id');
            INSERT INTO f (f) VALUES ('rebuild')
            """)
        _ = try runner().open(connection)
        let names = try Store.text(connection.rows("SELECT name FROM sqlite_schema")).joined()
        for name in ["mine", "mineIndex", "low", "theirs", "v", "vt", "R", "f"] {
            #expect(names.contains(name))
        }
        try connection.execute("INSERT INTO v (s) VALUES ('new')")
        #expect(try Store.text(connection.rows("SELECT s FROM f WHERE f MATCH 's'")) == [["s"]])
        try connection.execute("DELETE FROM P WHERE _id = 1")
        #expect(
            try Store.text(connection.rows("SELECT other FROM mine ORDER BY 1"))
                == [["R"], ["low"]])
    }

    @Test func `what did not work before is left as it was`() throws {
        let broken = [
            "CREATE VIEW v AS SELECT nope FROM P", "CREATE TABLE m (x REFERENCES nowhere (y))",
            "CREATE TABLE o (x REFERENCES P (s))",
            "CREATE TRIGGER t AFTER DELETE ON P BEGIN DELETE FROM nowhere; END",
        ]
        let connection = try store(
            broken.joined(separator: ";")
                + "; PRAGMA foreign_keys = OFF; INSERT INTO m VALUES (1); PRAGMA foreign_keys = ON")
        _ = try runner().open(connection)
        let texts = try Store.text(connection.rows("SELECT sql FROM sqlite_schema")).joined()
        for text in broken { #expect(texts.contains(text)) }
    }

    // MARK: Rows

    @Test func `links of others to objects that go are named, broken ones of before are left`()
        throws
    {
        let isOld = ModelExpression.comparison(
            .keyPath(root: .subject, names: ["name"]), .equal, .literal(.string("old")), [])
        let models = [
            Store.model("1", [Entity(name: "A", attributes: [Store.string("name")])]),
            Store.model(
                "2", [Entity(name: "A", attributes: [Store.string("name")])],
                givenUp: [("A", isOld)]),
        ]
        let migration = try Migration(from: models[0], to: models[1])
        for link in [1, 2] {
            let connection = try MigrationProver.makeStore(of: models[0], seed: nil)
            try connection.execute(
                """
                INSERT INTO A (_id, name) VALUES (1, 'old'), (2, 'new');
                CREATE TABLE mine (x REFERENCES A (_id));
                PRAGMA foreign_keys = OFF;
                INSERT INTO mine VALUES (77), (\(link)); PRAGMA foreign_keys = ON
                """)
            let runner = MigrationRunner(model: models[1], migrations: [migration])
            if link == 2 {
                _ = try runner.open(connection)
                #expect(try connection.rows("SELECT x FROM mine").count == 2)
                continue
            }
            let before = try Store.dump(connection)
            let error = #expect(throws: MigrationError.self) { try runner.open(connection) }
            #expect(
                "\(try #require(error))".contains(
                    "table mine has 1 link to objects that the migration deletes: set those"))
            #expect(try Store.dump(connection) == before)
        }
    }
}
