import Testing

@testable import CambiumSQLite

struct LibraryVersionTests {
    @Test func `a library that is too old is refused with both versions and the remedy`() {
        let error = #expect(throws: SQLiteError.self) {
            try SQLiteLibrary.requireMinimumVersion(3_039_004, named: "3.39.4")
        }
        #expect(error?.message.contains("3.39.4") == true)
        #expect(error?.message.contains("3.40.0 or later") == true)
        #expect(error?.message.contains("Install") == true)
    }

    @Test func `this machine's library is recent enough`() throws {
        try SQLiteLibrary.requireMinimumVersion()
    }
}
