import CambiumModel
import Testing

/// How messages show texts of any length.
struct ExcerptTests {
    @Test func `a short text is shown as it is`() {
        for text in ["", "a", String(repeating: "é", count: 200)] {
            #expect(text.excerpt() == text)
        }
    }

    @Test func `of a long text the beginning is shown, and its length`() {
        #expect("abcdef".excerpt(3) == "abc… (6 bytes)")
        #expect(String(repeating: "x", count: 5_000_000).excerpt().utf8.count < 250)
    }

    @Test func `marks without end upon one letter are cut too`() {
        let text = "a" + String(repeating: "\u{301}", count: 100_000)
        #expect(text.count == 1)
        #expect(text.excerpt(10).unicodeScalars.count < 40)
    }

    @Test func `of many texts the first are shown, and how many more there are`() {
        #expect(["a", "b"].excerpts() == "a, b")
        #expect(["a", "b", "c"].excerpts(2, separator: "; ") == "a; b; and 1 more")
    }
}
