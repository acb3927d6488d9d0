import CambiumModel
import Testing

@testable import CambiumSQL

@Suite struct TableTextTests {
    @Test func `a statement is taken apart where its own commas are`() throws {
        let text = try #require(
            TableText(
                """
                CREATE TABLE "ab" (
                    "x" TEXT DEFAULT ',)' CHECK (f("x", 1)), "y,z" TEXT,
                    PRIMARY KEY ("x", "y,z")
                ) STRICT
                """))
        #expect(
            text.parts == [
                #""x" TEXT DEFAULT ',)' CHECK (f("x", 1))"#, #""y,z" TEXT"#,
                #"PRIMARY KEY ("x", "y,z")"#,
            ])
        #expect(text.tail == ") STRICT")
        #expect(TableText("CREATE INDEX a ON b (c)") == nil)
    }

    @Test func `tables are alike whose columns stand in another order`() {
        func catalogue(_ sql: String) -> Catalogue {
            Catalogue(rows: [[.text("A"), .text(sql)]])
        }
        let one = catalogue(#"CREATE TABLE "A" ("x" TEXT, "y" TEXT CHECK ("y" > 'a, b')) STRICT"#)
        let other = catalogue(
            """
            CREATE TABLE "A" (
                "y" TEXT CHECK ("y" > 'a, b'),
                "x" TEXT) STRICT
            """)
        #expect(one.differences(from: other).isEmpty)
        let different = catalogue(
            #"CREATE TABLE "A" ("x" TEXT, "y" TEXT CHECK ("y" > 'b, a')) STRICT"#)
        #expect(one.differences(from: different) == ["A"])
    }
}
