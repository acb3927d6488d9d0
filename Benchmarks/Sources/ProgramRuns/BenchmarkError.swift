/// An error in the command line, or in a run.
package struct BenchmarkError: Error, CustomStringConvertible {
    /// The problem.
    package let description: String

    /// Creates an error with a problem.
    package init(_ description: String) { self.description = description }
}
