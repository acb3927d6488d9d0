import CambiumCompiler
import CambiumModel

/// The forms of a diagram.
package enum DiagramFormat: String, Sendable, CaseIterable {
    /// Text that Mermaid draws. Needs nothing installed.
    case mermaid
    /// A picture. Needs Graphviz.
    case svg
    /// The language of Graphviz, for settings of one's own.
    case dot

    /// The form that a file of that name is expected to have, or nil.
    package init?(fileName: String) {
        switch fileName.split(separator: ".").last {
        case "mmd", "mermaid": self = .mermaid
        case "svg": self = .svg
        case "dot", "gv": self = .dot
        default: return nil
        }
    }
}

extension CompiledBundle {
    /// The entity-relationship diagram of a version.
    ///
    /// - Parameters:
    ///   - version: The version's name; nil means the current one.
    ///   - path: The folders to search for Graphviz, separated by colons.
    /// - Returns: nil if there is no version of that name.
    /// - Throws: If the format is a picture, and Graphviz is missing or fails.
    package func diagram(
        as format: DiagramFormat, version: String? = nil, path: String?
    ) throws(GraphvizProgram.Failure) -> String? {
        let found =
            version.map { name in versions.first { $0.model.version == name } }
            ?? versions.last
        guard let model = found?.model else { return nil }
        switch format {
        case .mermaid: return MermaidEmitter.text(of: model)
        case .dot: return GraphvizEmitter.text(of: model)
        case .svg:
            let picture = try GraphvizProgram.svg(of: GraphvizEmitter.text(of: model), path: path)
            return SVGEmitter.file(picture, title: "\(name), version \(model.version)")
        }
    }
}
