import CambiumCompiler
import CambiumModel

/// Writes the documentation of a model: one page that needs no other file, no script and no
/// network.
struct DocumentationEmitter {
    let bundle: CompiledBundle
    let model: Model
    let declared: DeclaredText
    /// The `<svg>` element, or nil where there is no Graphviz.
    let picture: String?

    /// The page.
    func page() -> String {
        var writer = HTMLWriter()
        let title = HTMLText.escaped("\(bundle.name), version \(model.version)")
        writer.line("<!DOCTYPE html>")
        writer.element("html", "lang=\"en\"") { writer in
            writer.element("head") { writer in
                writer.line("<meta charset=\"utf-8\">")
                // Nothing in the page may run or load, whatever a model says.
                writer.line(
                    "<meta http-equiv=\"Content-Security-Policy\" "
                        + "content=\"default-src 'none'; style-src 'unsafe-inline'\">")
                writer.line(
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">")
                writer.line("<meta name=\"color-scheme\" content=\"light dark\">")
                writer.line("<title>\(title)</title>")
                writer.line("<style>\n\(Self.style)</style>")
            }
            writer.element("body") { writer in
                emitNavigation(&writer)
                writer.element("main", "id=\"top\"") { writer in
                    emitOverview(&writer)
                    emitDiagram(&writer)
                    for entity in model.entities { emitEntity(entity, &writer) }
                    emitComposites(&writer)
                    emitEnumerations(&writer)
                    emitConfigurations(&writer)
                    emitVersions(&writer)
                    writer.line(
                        "<footer>Made by <code>cambium docs</code>. The model decides: change it, "
                            + "not this page.</footer>")
                }
            }
        }
        return writer.text
    }

    private func emitNavigation(_ writer: inout HTMLWriter) {
        writer.element("nav", "aria-label=\"Contents\"") { writer in
            writer.line("<p class=\"name\">\(HTMLWriter.link(bundle.name, to: "top"))</p>")
            links("Entities", model.entities.map { ($0.name, Anchor.entity($0.name)) }, &writer)
            links(
                "Composites", model.composites.map { ($0.name, Anchor.composite($0.name)) }, &writer
            )
            links(
                "Enumerations", model.enumerations.map { ($0.name, Anchor.enumeration($0.name)) },
                &writer)
            links(
                "Versions",
                bundle.versions.reversed().map {
                    ($0.model.version, Anchor.version($0.model.version))
                }, &writer)
        }
    }

    private func links(
        _ title: String, _ targets: [(name: String, anchor: String)], _ writer: inout HTMLWriter
    ) {
        guard !targets.isEmpty else { return }
        writer.line("<h2>\(title)</h2>")
        writer.element("ul") { writer in
            for target in targets {
                writer.line("<li>\(HTMLWriter.link(target.name, to: target.anchor))</li>")
            }
        }
    }

    private func emitOverview(_ writer: inout HTMLWriter) {
        writer.line("<h1>\(HTMLText.escaped(bundle.name))</h1>")
        let relationships = model.entities.reduce(0) { $0 + $1.relationships.count }
        let attributes = model.entities.reduce(0) { $0 + $1.attributes.count }
        let counts = [
            count(model.entities.count, "entity", "entities"),
            count(attributes, "attribute", "attributes"),
            count(relationships, "relationship", "relationships"),
            count(bundle.versions.count, "version", "versions"),
        ]
        writer.line(
            "<p class=\"lead\">Version \(HTMLText.escaped(model.version)) · "
                + counts.joined(separator: " · ") + "</p>")
        emitUserInfo(model.userInfo, &writer)
    }

    private func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

    private func emitDiagram(_ writer: inout HTMLWriter) {
        guard !model.entities.isEmpty else { return }
        writer.element("section", "id=\"diagram\"") { writer in
            writer.line("<h2>Diagram</h2>")
            if let picture {
                writer.element("figure") { $0.line(picture) }
            } else {
                writer.line(
                    "<p class=\"note\">Where Graphviz is installed, a picture stands here.</p>")
            }
            writer.element("details", picture == nil ? "open" : "") { writer in
                writer.line("<summary>The diagram as Mermaid text</summary>")
                writer.line("<pre>\(HTMLText.escapedLines(MermaidEmitter.text(of: model)))</pre>")
            }
        }
    }

    /// What the author noted, where there is any.
    func emitUserInfo(_ info: [String: String], _ writer: inout HTMLWriter) {
        guard !info.isEmpty else { return }
        writer.element("dl") { writer in
            for (key, value) in info.sorted(by: { $0.key < $1.key }) {
                writer.line(
                    "<dt>\(HTMLText.escaped(key))</dt><dd>\(HTMLText.escaped(value))</dd>")
            }
        }
    }
}
