import Testing

@testable import CambiumCompiler

struct ExpressionTextTests {
    @Test(arguments: [
        ("a  ==\n  b", "a == b"), ("  a ", "a"), ("a == 'x  y'", "a == 'x  y'"),
        ("a == \"x\n y\"  AND b", "a == \"x\n y\" AND b"),
        ("a == 'it\\'s  b'  ", "a == 'it\\'s  b'"),
        ("'a' == '\"  '  OR  b", "'a' == '\"  ' OR b"), ("", ""), ("\t", ""),
    ])
    func `white space outside quotes is one space`(text: String, line: String) {
        #expect(ExpressionText.onOneLine(text) == line)
    }
}
