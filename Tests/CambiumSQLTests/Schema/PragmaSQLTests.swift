import CambiumSQL
import Testing

struct PragmaSQLTests {
    @Test(arguments: [
        ("cache_size", "-2000", "PRAGMA cache_size = -2000"),
        ("temp_store", "MEMORY", "PRAGMA temp_store = MEMORY"),
        ("mmap_size", "0", "PRAGMA mmap_size = 0"),
    ])
    func `a pragma is set to a number or a word`(_ name: String, _ value: String, _ sql: String) {
        #expect(PragmaSQL.set(name, to: value) == sql)
    }

    @Test(arguments: [
        ("journal_mode", "OFF"), ("Foreign_Keys", "0"), ("writable_schema", "1"),
        ("cache_size", "1; DROP TABLE t"), ("cache_size", "'x'"), ("cache_size", "--1"),
        ("a b", "1"), ("ä", "1"), ("", ""), ("cache_size", "-"),
    ])
    func `what a store relies on and what is no pragma is refused`(_ name: String, _ value: String)
    {
        #expect(PragmaSQL.set(name, to: value) == nil)
    }
}
