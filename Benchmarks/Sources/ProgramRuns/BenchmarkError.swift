/// What is wrong with the command line, or with a run.
package struct BenchmarkError: Error, CustomStringConvertible {
    /// The problem.
    package let description: String

    /// Says what is wrong.
    package init(_ description: String) { self.description = description }
}
