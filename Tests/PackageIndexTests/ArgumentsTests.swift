import Testing

@testable import PackageIndex

@Suite struct ArgumentsTests {
    @Test func `both spellings of an option are read`() throws {
        let arguments = try Arguments(["--input", "a b", "--store=x=y"])
        #expect(arguments.input == "a b")
        #expect(arguments.store == "x=y")
        #expect(!arguments.wantsHelp)
    }

    @Test func `nothing asks for nothing`() throws {
        let arguments = try Arguments([])
        #expect(arguments.input == nil)
        #expect(arguments.store == nil)
    }

    @Test(arguments: [["--help"], ["-h"], ["--input", "x", "--help"]])
    func `help is asked for`(_ arguments: [String]) throws {
        #expect(try Arguments(arguments).wantsHelp)
    }

    @Test(arguments: [
        (["--input"], "'--input' needs a file"), (["--input="], "'--input' needs a file"),
        (["--store", "--input"], "'--store' needs a file"),
        (["--store", "a", "--store", "b"], "'--store' is listed twice"),
        (["--fast"], "unknown argument '--fast'"), (["list"], "unknown argument 'list'"),
        ([""], "unknown argument ''"),
    ])
    func `what cannot be done is an error`(_ arguments: [String], message: String) {
        #expect(throws: UsageError(description: message)) { try Arguments(arguments) }
    }
}
