import CambiumMigration
import CambiumModel
import CambiumSQL
import CambiumSQLite
import CompilerTestSupport
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What the compiler says to do about rows puts them right.
struct RemedyTests {
    /// Compiles two versions, which are without findings, and migrates rows of the first.
    private func migrate(
        _ first: String, _ second: String, rows: String, query: String
    ) throws -> [[StoredValue]] {
        func version(_ number: Int, _ body: String) -> String {
            "<model xmlns='urn:cambium:model:1' name='Shop' version='\(number)'>\(body)</model>"
        }
        let folder = try BundleFolder([
            "1.xml": version(1, first), "2.xml": version(2, second),
        ])
        let compilation = ModelCompiler.compile(folder.bundle.path)
        #expect(compilation.diagnostics.map(\.rendered) == [])
        let bundle = try #require(compilation.bundle)
        let old = try #require(bundle.versions.first).model
        let new = try #require(bundle.versions.last).model
        let connection = try MigrationProver.makeStore(of: old, seed: nil)
        try connection.execute(rows)
        _ = try MigrationRunner(model: new, migrations: bundle.migrations).open(connection)
        return try connection.rows(query)
    }

    private func versions(of code: DiagnosticCode) throws -> (first: String, second: String) {
        guard case .versions(let first, let second) = code.explanation.right else {
            throw Failure()
        }
        return (first, second)
    }

    private struct Failure: Error {}

    @Test func `the explained fill puts values beyond new limits right`() throws {
        let right = try versions(of: .limitsOnRows)
        let rows = try migrate(
            right.first, right.second,
            rows: "INSERT INTO Product (_id, stock) VALUES (1, -5), (2, 7)",
            query: "SELECT stock FROM Product ORDER BY _id")
        #expect(rows == [[.integer(0)], [.integer(7)]])
    }

    @Test func `what is noted for a case that is gone puts it right, either way`() throws {
        func body(_ cases: String, _ hash: String = "1", migration: String = "") -> String {
            """
            <enum name="Kind"><case name="book"/>\(cases)</enum>
            <entity name="Product" hashModifier="\(hash)"><attribute name="kind" type="Kind"/></entity>
            """ + migration
        }
        let rows = "INSERT INTO Product (_id, kind) VALUES (1, 'toy'), (2, 'book')"
        let kinds = "SELECT kind FROM Product ORDER BY _id"
        let first = body(#"<case name="toy"/>"#)
        let renamed = body(#"<case name="plaything" value="toy"/>"#)
        #expect(
            try migrate(first, renamed, rows: rows, query: kinds) == [
                [.text("toy")], [.text("book")],
            ])
        let replaced = body(
            "", "2",
            migration: #"<migration from="1"><replace enum="Kind" case="toy" with="book""#
                + #" reason="no toys"/></migration>"#)
        let found = try migrate(first, replaced, rows: rows, query: kinds)
        #expect(found == [[.text("book")], [.text("book")]])
    }

    @Test func `a fraction of a whole number is exact where an exact number is wanted`() throws {
        func body(_ price: String, _ migration: String = "") -> String {
            """
            <entity name="Product"><attribute name="stock" type="int32"/>\(price)</entity>
            """ + migration
        }
        let found = try migrate(
            body(""),
            body(
                #"<attribute name="price" type="decimal" scale="2"/>"#,
                """
                <migration from="1"><fill entity="Product" attribute="price" \
                with="stock * 1.5 + 0.25"/></migration>
                """),
            rows: "INSERT INTO Product (_id, stock) VALUES (1, 3), (2, -1)",
            query: "SELECT price FROM Product ORDER BY _id")
        #expect(found == [[.integer(475)], [.integer(-125)]])
    }

    @Test func `the noted fill gives the objects of a case that is gone another`() throws {
        func body(_ toy: String, _ hash: String) -> String {
            """
            <enum name="Kind"><case name="book"/>\(toy)</enum>
            <entity name="Product" hashModifier="\(hash)"><attribute name="kind" type="Kind"/></entity>
            """
        }
        let rows = try migrate(
            body(#"<case name="toy"/>"#, "1"),
            body("", "2") + """
                <migration from="1"><fill entity="Product" attribute="kind"
                with="TERNARY(kind IN {'book'}, kind, 'book')"/></migration>
                """,
            rows: "INSERT INTO Product (_id, kind) VALUES (1, 'toy'), (2, 'book')",
            query: "SELECT kind FROM Product ORDER BY _id")
        #expect(rows == [[.text("book")], [.text("book")]])
    }

    @Test func `a fill and a drop give all objects the new value`() throws {
        func entity(_ hash: String) -> String {
            "<entity name='Product' hashModifier='\(hash)'>"
                + "<attribute name='price' type='int32'/></entity>"
        }
        let rows = try migrate(
            entity("1"),
            entity("2") + """
                <migration from="1"><drop entity="Product" property="price" reason="one price"/>
                <fill entity="Product" attribute="price" with="9"/></migration>
                """,
            rows: "INSERT INTO Product (_id, price) VALUES (1, 4)",
            query: "SELECT price FROM Product")
        #expect(rows == [[.integer(9)]])
    }

    private func person(_ attributes: String, _ version: Int, _ migration: String = "") -> String {
        "<entity name='Person' hashModifier='\(version)'>\(attributes)</entity>\(migration)"
    }

    private let names = """
        <attribute name="first" type="string"/><attribute name="last" type="string" optional="true"/>
        """

    private func merging(_ value: String) -> String {
        """
        <migration from="1"><fill entity="Person" attribute="name" with="\(value)"/>
        <drop entity="Person" property="first" reason="the name has it"/>
        <drop entity="Person" property="last" reason="the name has it"/></migration>
        """
    }

    @Test func `a fill is made of what the same step drops`() throws {
        let name = #"<attribute name="name" type="string"/>"#
        let value = "$old.first + TERNARY($old.last == nil, '', ' ' + $old.last)"
        let rows = try migrate(
            person(names, 1), person(name, 2, merging(value)),
            rows:
                "INSERT INTO Person (_id, first, last) VALUES (1, 'Ada', 'Stone'), (2, 'Bo', NULL)",
            query: "SELECT name FROM Person ORDER BY _id")
        #expect(rows == [[.text("Ada Stone")], [.text("Bo")]])
    }

    @Test func `what an object may have lacked before is told of`() throws {
        func version(_ number: Int, _ body: String) -> String {
            "<model xmlns='urn:cambium:model:1' name='Shop' version='\(number)'>\(body)</model>"
        }
        func codes(_ value: String) throws -> [DiagnosticCode] {
            let folder = try BundleFolder([
                "1.xml": version(1, person(names, 1)),
                "2.xml": version(
                    2, person(#"<attribute name="name" type="string"/>"#, 2, merging(value))),
            ])
            return ModelCompiler.compile(folder.bundle.path).diagnostics.map(\.code)
        }
        #expect(try codes("$old.first") == [])
        #expect(try codes("$old.last") == [.emptyFill])
        #expect(try codes("$old.lst") == [.invalidExpression])
        #expect(try codes("uuid()") == [.invalidExpression])
    }

    @Test func `the summary says what was proven without rows`() throws {
        func text(_ rule: String, _ version: Int) -> String {
            """
            <model xmlns="urn:cambium:model:1" name="Shop" version="\(version)">
            <entity name="Product"><attribute name="sku" type="string"/>\(rule)</entity></model>
            """
        }
        func summary(_ rule: String) throws -> String? {
            let folder = try BundleFolder([
                "1.xml": text("", 1), "2.xml": text(rule, 2),
            ])
            return ModelCompiler.compile(folder.bundle.path).bundle?.summary
        }
        #expect(try summary("") == "Shop, version 2: no errors; 1 migration proven on SQLite")
        #expect(
            try summary(#"<rule name="only">length:(sku) == 4711</rule>"#)
                == "Shop, version 2: no errors; 1 migration proven on SQLite, not with "
                + "two rows of every entity")
    }
}
