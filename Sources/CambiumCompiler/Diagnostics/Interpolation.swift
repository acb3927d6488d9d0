// Strings and integers in texts. There are many of these, and a call of a plain function takes less code than
// the way over protocols that the standard library has for values of any type.
extension DefaultStringInterpolation {
    mutating func appendInterpolation(_ text: String) { appendLiteral(text) }

    mutating func appendInterpolation(_ number: Int) { appendLiteral(String(number)) }
}
