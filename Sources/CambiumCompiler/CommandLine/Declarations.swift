/// The file of declarations about steps that have shipped, for bundles that cannot be edited.
package enum Declarations {
    /// The option of commands that compile a model.
    package static let options = [
        Option(
            "--declarations", "FILE", "what steps did (default: Name.history.xml beside the model)")
    ]

    /// The file that is named; nil where it lies beside the bundle.
    package static func file(_ arguments: Arguments) throws(ToolError) -> String? {
        guard let file = arguments.value("--declarations") else { return nil }
        guard Files.exists(file) else { throw .file("There is no file \(file).") }
        return file
    }
}
