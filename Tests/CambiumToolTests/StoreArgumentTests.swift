import CambiumEngine
import CambiumMigration
import Testing

@testable import CambiumCompiler
@testable import CambiumTool

/// The stores that command lines name.
struct StoreArgumentTests {
    @Test(
        arguments: [
            ["export"], ["migrate", "status"], ["migrate", "plan"], ["migrate", "apply"],
            ["migrate", "rehearse"], ["import-coredata", "Old.sqlite", "--to"],
        ])
    func `a tool without PostgreSQL says of a URL how to build one`(_ command: [String]) throws {
        let folder = try TemporaryFolder()
        let bundle = try folder.bundle("<entity name=\"A\"/>")
        for scheme in ["postgresql", "postgres", "PostgreSQL"] {
            let url = "\(scheme)://ada:sesame@db.example.com:5433/shop?password=secret"
            // Also in a tool that was built with it.
            let run = StoreArgument.$servers.withValue(nil) {
                ToolRun(command + [url, "--model", bundle])
            }
            #expect(run.code == .usage, "\(command)")
            #expect(
                run.errors.contains(
                    "\(scheme)://db.example.com:5433/shop is on a PostgreSQL server"))
            #expect(
                run.errors.contains(
                    "swift build -c release --traits PostgreSQL --product CambiumTool"))
            for secret in ["ada", "sesame", "secret"] { #expect(!run.errors.contains(secret)) }
        }
    }

    @Test func `what follows a # is the name of the schema`() throws {
        try StoreArgument.$servers.withValue(.init(opener: { _, _, _ in Nothing() }) { _ in nil }) {
            for (word, url, schema, name) in [
                ("postgresql://db/shop", "postgresql://db/shop", "cambium", "postgresql://db/shop"),
                (
                    "postgres://ada:a@b@db/shop?sslmode=require#my%20shop",
                    "postgres://ada:a@b@db/shop?sslmode=require", "my shop",
                    "postgres://db/shop#my shop"
                ),
            ] {
                let argument = try StoreArgument(word)
                #expect(argument.place == .server(.init(url: url, schema: schema)))
                #expect(argument.name == name)
            }
            for word in ["postgresql://db/shop#", "postgresql://db/shop#%"] {
                #expect(throws: ToolError.self) { try StoreArgument(word) }
            }
            // Other words are paths.
            #expect(try StoreArgument("shop#1.sqlite").place == .file(path: "shop#1.sqlite"))
        }
    }
}

/// Opens no store.
private struct Nothing: StoreOpening {
    func open() throws -> (store: any StoreEngine, migration: MigrationOutcome) {
        throw StoreError.closed
    }

    func open(
        filledWith rows: MovedRows
    ) throws -> (store: any StoreEngine, report: MoveReport?) { throw StoreError.closed }

    func removeNewStore() {}
}
