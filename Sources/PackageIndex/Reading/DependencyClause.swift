/// One alternative of a dependency field, such as `libc6:any (>= 2.34) [amd64 arm64]`.
struct DependencyAlternative: Sendable, Equatable {
    /// The name of a package, or of something that packages provide.
    var name: String
    /// The architecture qualifier after the colon.
    var qualifier: String?
    /// The relation and the version: `>= 2.34`.
    var constraint: String?
    /// The architectures to which it applies: `amd64 arm64`, or `!i386`.
    var architectures: String?
}

/// A syntax error in a dependency field.
struct DependencySyntaxError: Error, Equatable, CustomStringConvertible {
    let description: String
}

/// Parses the value of a field such as `Depends`: clauses divided by commas, each of alternatives
/// divided by bars.
///
/// - Returns: the alternatives of each clause.
func parseDependencies(
    _ value: String
) throws(DependencySyntaxError) -> [[DependencyAlternative]] {
    var parser = DependencyParser(value)
    return try parser.parse()
}
