import CambiumCompiler
import CambiumModel

extension CompiledBundle {
    /// A page that documents the model, in HTML. It always contains the diagram as Mermaid text,
    /// and a picture of it if Graphviz is installed and works.
    ///
    /// - Parameter path: The folders to search for Graphviz, separated by colons.
    package func documentation(path: String?) -> String {
        guard let current = versions.last else { return "" }
        let graph = GraphvizEmitter.components(of: current.model)
        let picture = try? GraphvizProgram.svg(of: graph, path: path)
        return DocumentationEmitter(
            bundle: self, model: current.model, declared: DeclaredText(current.parsed),
            picture: picture.map { SVGEmitter.element($0, title: "Diagram of \(name)") }
        ).page()
    }
}
