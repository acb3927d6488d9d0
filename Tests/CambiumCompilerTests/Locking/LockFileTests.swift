import Testing

@testable import CambiumCompiler

struct LockFileTests {
    private static let hash = String(repeating: "0a", count: 32)

    @Test func `a lock is read as it was written`() throws {
        var lock = LockFile()
        for name in ["10", "9", "My Model 2", "#1"] {
            lock.versions[name] = LockedVersion(
                name: name, storage: Self.hash, conditions: Self.hash,
                declarations: ["Product": "0123abcd", "Kind": "89efcdab"])
        }
        let text = lock.text(bundleName: "Shop")
        #expect(try LockFile(text) == lock)
        #expect(
            try LockFile(text).versions.mapValues(\.declarations)
                == lock.versions.mapValues(\.declarations))
        #expect(text.contains("\n+ Kind=89efcdab Product=0123abcd\n"))
        let names = text.split(separator: "\n").dropFirst(2).filter { !$0.hasPrefix("+") }.map {
            $0.split(separator: " ", maxSplits: 2)[2]
        }
        #expect(names == ["#1", "9", "10", "My Model 2"])
    }

    @Test func `line ends of another system do no harm`() throws {
        let text = "# x\r\ncambium-lock 1\r\n\(Self.hash) \(Self.hash) 1\r\n"
        #expect(try LockFile(text).versions.keys.sorted() == ["1"])
    }

    @Test(arguments: [
        ("", 1), ("# only a comment\n", 1), ("cambium-lock 2\n", 1),
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
