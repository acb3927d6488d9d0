/// Lays out a model file of Cambium's own as the language's documentation does.
package enum ModelFormatter {
    /// The file in that layout. It says the same, keeps every comment, and stays as it is when it is
    /// formatted again.
    ///
    /// - Throws: what is wrong with the XML, or that it is no model of Cambium's own.
    package static func format(_ source: SourceText) throws(Diagnostic) -> String {
        let root = try XMLReader.read(source)
        guard root.name == "model", root.namespace == Vocabulary.namespace else {
            throw Diagnostic(
                .wrongRoot, "A model starts with <model xmlns=\"\(Vocabulary.namespace)\" …>",
                at: source.position(at: root.offset),
                notes: ["Only files of Cambium's own language can be formatted"])
        }
        return XMLPrinter.print(root, source: source)
    }
}
