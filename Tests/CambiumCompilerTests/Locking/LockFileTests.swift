import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

struct LockFileTests {
    private static let hash = String(repeating: "0a", count: 32)

    @Test func `a lock is read as it was written`() throws {
        var lock = LockFile()
        let lines: [String: Set<String>] = [
            "#1": ["entity Product"], "9": ["entity Product", "Product.attribute sku string"],
            "10": ["Product.attribute sku data", "entity Product", "+ = - \u{2028}"],
        ]
        for name in ["10", "9", "My Model 2", "#1"] {
            lock.versions[name] = LockedVersion(
                name: name, storage: Self.hash, conditions: Self.hash, lines: lines[name])
        }
        let text = lock.text(bundleName: "Shop")
        #expect(try LockFile(text) == lock)
        #expect(
            try LockFile(text).versions.mapValues(\.lines) == lock.versions.mapValues(\.lines))
        #expect(text.contains("\ncambium-lock 3 sha256\n"))
        // A version is kept as its difference to the one before.
        #expect(
            text.contains("\n= 3\n- Product.attribute sku string\n+ + = - \u{2028}\n+ Product.a"))
        let names = text.split(separator: "\n").dropFirst(2).filter { $0.hasPrefix("0a") }.map {
            $0.split(separator: " ", maxSplits: 2)[2]
        }
        #expect(names == ["#1", "9", "10", "My Model 2"])
    }

    @Test func `a lock of the former format is read`() throws {
        let text = "cambium-lock 1\n\(Self.hash) \(Self.hash) 1\n+ Kind=89efcdab Product=0123abcd\n"
        let version = try #require(try LockFile(text).versions["1"])
        #expect(version.declarations == ["Product": "0123abcd", "Kind": "89efcdab"])
        #expect(version.lines == nil)
    }

    @Test func `a version of which the lock has lost all says that one is lost`() throws {
        var lock = LockFile()
        for name in ["1", "2"] {
            lock.versions[name] = LockedVersion(
                name: name, storage: Self.hash, conditions: Self.hash, lines: ["entity A\(name)"])
        }
        let lines = lock.text(bundleName: "Shop").split(separator: "\n")
        // The block of the second version: its head, its count and two lines.
        let rest = (lines.prefix(5) + lines.suffix(1)).joined(separator: "\n") + "\n"
        let error = #expect(throws: LockFile.Malformed.self) { try LockFile(rest) }
        #expect(error?.reason == "The lock had 2 versions, and has 1")
    }

    @Test func `lines of which some are lost say nothing`() throws {
        let text = "cambium-lock 2 sha256\n\(Self.hash) \(Self.hash) 1\n= 2\n+ entity A\n"
        #expect(try LockFile(text).versions["1"]?.lines == nil)
    }

    @Test func `line ends of another system do no harm`() throws {
        let text = "# x\r\ncambium-lock 1\r\n\(Self.hash) \(Self.hash) 1\r\n"
        #expect(try LockFile(text).versions.keys.sorted() == ["1"])
    }

    @Test(arguments: [
        ("", 1), ("# only a comment\n", 1), ("cambium-lock 2\n", 1),
        ("cambium-lock 2 md5\n", 1), ("cambium-lock 4 sha256\n", 1),
        ("cambium-lock 3 md5\n", 1), ("cambium-lock 3 sha256\n", 1),
        ("cambium-lock 3 sha256\n\(hash) \(hash) 1\n", 2),
        ("cambium-lock 3 sha256\n\(hash) \(hash) 1\nend 2\n", 3),
        ("cambium-lock 3 sha256\nend 1\n\(hash) \(hash) 1\n", 3),
        ("cambium-lock 1\n+ Product=01\n", 2), ("cambium-lock 1\nabc def 1\n", 2),
        ("cambium-lock 1\n\(hash) \(hash)\n", 2),
        ("cambium-lock 1\n\(hash) \(hash) \n", 2),
        ("cambium-lock 1\n\(hash) \(hash) 1\n\(hash) \(hash) 1\n", 3),
        ("cambium-lock 1\n<<<<<<< ours\n", 2), ("\(hash) \(hash) 1\n", 1),
        ("cambium-lock 1\n\(hash.uppercased()) \(hash) 1\n", 2),
    ])
    func `what is no lock is refused at its line`(text: String, line: Int) {
        let error = #expect(throws: LockFile.Malformed.self) { try LockFile(text) }
        #expect(error?.line == line)
    }
}
