import Testing

@testable import PackageIndex

@Suite struct DependencyParserTests {
    @Test func `clauses and alternatives keep their order`() throws {
        let clauses = try parseDependencies("aa | bb, cc")
        #expect(clauses.map { $0.map(\.name) } == [["aa", "bb"], ["cc"]])
    }

    @Test func `a version, a qualifier and architectures are read`() throws {
        let clauses = try parseDependencies(
            "a1 (>= 1.2) | b1:any, c1 [amd64], dd:amd64 (<< 2:1~rc1-3+b1) [!i386  !armhf]")
        #expect(
            clauses == [
                [
                    DependencyAlternative(name: "a1", constraint: ">= 1.2"),
                    DependencyAlternative(name: "b1", qualifier: "any"),
                ],
                [DependencyAlternative(name: "c1", architectures: "amd64")],
                [
                    DependencyAlternative(
                        name: "dd", qualifier: "amd64", constraint: "<< 2:1~rc1-3+b1",
                        architectures: "!i386 !armhf")
                ],
            ])
    }

    @Test func `white space may stand nearly everywhere, newlines too`() throws {
        let tight = try parseDependencies("aa(>=1)|bb[amd64],cc")
        let wide = try parseDependencies(" aa\n ( >=\t1 ) |\nbb [ amd64 ] , cc\n")
        #expect(tight == wide)
    }

    @Test func `nothing is no clause`() throws {
        #expect(try parseDependencies(" \n").isEmpty)
    }

    @Test(arguments: [
        ("aa,", "expected a package name before 'the end'"),
        ("aa,,bb", "expected a package name before ',bb'"),
        ("aa | | bb", "expected a package name before '| bb'"),
        ("aa bb", "expected ',' or '|' before 'bb'"),
        ("Upper", "expected a package name before 'Upper'"),
        ("x", "'x' is not a package name"),
        ("-aa", "'-aa' is not a package name"),
        ("aa:", "expected an architecture after 'aa:'"),
        ("aa (1.2)", "'' after 'aa' is none of << <= = >= >>"),
        ("aa (=> 1)", "'=>' after 'aa' is none of << <= = >= >>"),
        ("aa (< 1)", "'<' after 'aa' is none of << <= = >= >>"),
        ("aa (>= )", "expected a version after 'aa (>='"),
        ("aa (>= 1", "expected ')' after 'aa (>= 1'"),
        ("aa []", "expected an architecture between '[' and ']'"),
        ("aa [amd64", "expected ']' after the architectures of 'aa'"),
        ("aa <!nocheck>", "'aa' has a build profile, which only source packages can have"),
    ])
    func `what is malformed is an error that says where`(text: String, message: String) {
        #expect(throws: DependencySyntaxError(description: message)) {
            try parseDependencies(text)
        }
    }
}
