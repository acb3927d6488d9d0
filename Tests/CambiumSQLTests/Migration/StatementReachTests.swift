import CambiumSQL
import Testing

struct StatementReachTests {
    @Test(
        arguments: [
            ("CREATE TABLE \"A\" (\n    \"b\" TEXT\n) STRICT", .makes("A"), []),
            (
                "INSERT INTO \"_new_A\" (\"b\")\nSELECT \"b\"\nFROM \"A\" AS old", .fills("_new_A"),
                ["A"]
            ),
            (
                "INSERT INTO \"A_bs\" (\"a\")\nSELECT \"x\"\nFROM (SELECT 1 FROM \"A\" JOIN \"B\" ON 1)",
                .fills("A_bs"), ["A", "B"]
            ),
            ("UPDATE \"A\" SET \"b\" = (SELECT max(\"c\") FROM \"B\")", .changes("A"), ["B"]),
            ("UPDATE OR IGNORE \"A\" SET \"b\" = 1", .changes("A"), []),
            ("DELETE FROM \"A\"\nWHERE 1", .thins("A"), ["A"]),
            ("DROP TABLE \"A\"", .drops("A"), []),
            ("ALTER TABLE \"_new_A\" RENAME TO \"A\"", .renames("_new_A", to: "A"), []),
            ("ALTER TABLE \"A\" RENAME COLUMN \"b\" TO \"c\"", .other, []),
            ("ALTER TABLE \"A\" ADD COLUMN \"c\" TEXT", .other, []),
            ("CREATE UNIQUE INDEX \"A.unique\" ON \"A\" (\"b\")", .indexes("A"), []),
            ("DROP INDEX \"A.unique\"", .other, []),
            ("PRAGMA foreign_key_check", .other, []),
        ] as [(String, StatementReach.Effect, [String])])
    func `the tables of a statement are told by its text`(
        sql: String, effect: StatementReach.Effect, reads: [String]
    ) {
        let reach = StatementReach(of: sql)
        #expect(reach.effect == effect)
        #expect(reach.reads == reads)
    }

    @Test func `a question whether rows fit is no work on them`() {
        #expect(
            StatementReach(of: "INSERT INTO \"_refusal\" (\"row\")\nSELECT 1 FROM \"A\"").isCheck)
        #expect(!StatementReach(of: "INSERT INTO \"A\" (\"row\")\nSELECT 1 FROM \"B\"").isCheck)
    }
}
