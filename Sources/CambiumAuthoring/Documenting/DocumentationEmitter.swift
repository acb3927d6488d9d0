import CambiumCompiler
import CambiumModel
import CambiumSQL

/// Writes the documentation of a model: one page that needs no other file and no network. Its
/// script adds search and movement; the page is complete without it.
struct DocumentationEmitter {
    let bundle: CompiledBundle
    let model: Model
    let declared: DeclaredText
    /// The `<svg>` element, or nil if there is no Graphviz.
    let picture: String?

    /// The page.
    func page() -> String {
        var writer = HTMLWriter()
        let title = HTMLText.escaped("\(bundle.name), version \(model.version)")
        writer.line("<!DOCTYPE html>")
        writer.element("html", "lang=\"en\"") { writer in
            writer.element("head") { writer in
                writer.line("<meta charset=\"utf-8\">")
                // The page cannot run or load anything else, even if a model contains code.
                writer.line(
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"\(Self.policy)\">")
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
                        "<footer>Made by <code>cambium docs</code>. Change the model, not "
                            + "this page.</footer>")
                }
                writer.line("<a class=\"up\" href=\"#contents\">Contents</a>")
                writer.line("<script>\(Self.script)</script>")
            }
        }
        return writer.text
    }

    private func emitNavigation(_ writer: inout HTMLWriter) {
        writer.element("nav", "id=\"contents\" aria-label=\"Contents\"") { writer in
            writer.line("<p class=\"name\">\(HTMLWriter.link(bundle.name, to: "top"))</p>")
            writer.element("div", "class=\"tools\" hidden") { writer in
                writer.line(
                    "<input type=\"search\" id=\"search\" placeholder=\"Search entities\" "
                        + "aria-label=\"Search entities\">")
                writer.line("<span id=\"found\" class=\"note\" role=\"status\"></span>")
                writer.line("<button type=\"button\" data-open=\"yes\">Expand all</button>")
                writer.line("<button type=\"button\" data-open=\"no\">Collapse all</button>")
            }
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
                writer.element("div", "class=\"tools\" hidden") { writer in
                    writer.line(Self.zoomButton("+", "Zoom in"))
                    writer.line(Self.zoomButton("-", "Zoom out"))
                    writer.line(Self.zoomButton("0", "Fit"))
                    writer.line(
                        "<span class=\"note\">Drag, or use the arrow keys, to move. Pinch, or Ctrl "
                            + "and the wheel, or + and -, to zoom. Click an entity for its "
                            + "properties.</span>")
                }
                writer.element("figure", "tabindex=\"0\"") { $0.line(picture) }
            } else {
                writer.line(
                    "<p class=\"note\">Where Graphviz is installed, a picture is shown here.</p>")
            }
            writer.element("details", picture == nil ? "open" : "") { writer in
                writer.line("<summary>The diagram as Mermaid text</summary>")
                writer.line("<pre>\(HTMLText.escapedLines(MermaidEmitter.text(of: model)))</pre>")
            }
        }
    }

    private static func zoomButton(_ key: String, _ title: String) -> String {
        "<button type=\"button\" data-zoom=\"\(key)\">\(title)</button>"
    }

    /// Emits the user info of an element, if it has any.
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

extension DocumentationEmitter {
    /// Writes the model's enumerations.
    func emitEnumerations(_ writer: inout HTMLWriter) {
        for enumeration in model.enumerations {
            writer.element("section", "id=\"\(Anchor.enumeration(enumeration.name))\"") { writer in
                writer.line(
                    "<h2>\(HTMLText.escaped(enumeration.name)) "
                        + "\(HTMLWriter.badge("enumeration"))</h2>")
                writer.table(
                    ["Case", "In the store (\(HTMLText.escaped(enumeration.rawType.notation)))"],
                    enumeration.cases.map {
                        [HTMLWriter.code($0.name), HTMLWriter.code($0.rawValue.notation)]
                    })
                emitUses(of: .enumeration(enumeration.name), &writer)
            }
        }
    }

    /// Writes the model's composite types.
    func emitComposites(_ writer: inout HTMLWriter) {
        for composite in model.composites {
            writer.element("section", "id=\"\(Anchor.composite(composite.name))\"") { writer in
                writer.line(
                    "<h2>\(HTMLText.escaped(composite.name)) \(HTMLWriter.badge("composite"))</h2>")
                emitUserInfo(composite.userInfo, &writer)
                writer.table(
                    ["Part", "Type", "Presence"],
                    composite.attributes.map { attribute in
                        [
                            HTMLWriter.code(attribute.name),
                            HTMLText.escaped(attribute.type.notation),
                            attribute.isOptional ? "optional" : "required",
                        ]
                    })
            }
        }
    }

    /// Writes the configurations: the parts of the model that separate stores may contain.
    func emitConfigurations(_ writer: inout HTMLWriter) {
        guard !model.configurations.isEmpty else { return }
        writer.element("section", "id=\"configurations\"") { writer in
            writer.line("<h2>Configurations</h2>")
            writer.table(
                ["Name", "Entities"],
                model.configurations.map { configuration in
                    let entities = configuration.entities.map {
                        HTMLWriter.link($0, to: Anchor.entity($0))
                    }
                    return [HTMLWriter.code(configuration.name), entities.joined(separator: ", ")]
                })
        }
    }

    private func emitUses(of type: AttributeType, _ writer: inout HTMLWriter) {
        let uses = model.entities.flatMap { entity in
            entity.attributes.filter { $0.type == type }.map { attribute in
                HTMLWriter.link(
                    "\(entity.name).\(attribute.name)",
                    to: Anchor.property(attribute.name, of: entity.name))
            }
        }
        if !uses.isEmpty {
            writer.line("<p class=\"note\">Used by \(uses.joined(separator: ", ")).</p>")
        }
    }
}

extension DocumentationEmitter {
    /// Writes the versions, the newest first, each with the changes from the one before.
    func emitVersions(_ writer: inout HTMLWriter) {
        writer.element("section", "id=\"versions\"") { writer in
            writer.line("<h2>Versions</h2>")
            for (position, version) in bundle.versions.enumerated().reversed() {
                let previous = position > 0 ? bundle.versions[position - 1] : nil
                let isLast = position + 1 == bundle.versions.count
                let changes = previous.map {
                    VersionChanges(
                        from: $0, to: version,
                        hasShipped: ShippedStep.hasShipped(to: version, isLast: isLast),
                        plans: false)
                }
                emitVersion(version.model, changes, after: previous?.model, &writer)
            }
        }
    }

    private func emitVersion(
        _ version: Model, _ changes: VersionChanges?, after previous: Model?,
        _ writer: inout HTMLWriter
    ) {
        let isCurrent = version.version == model.version
        writer.element("article", "id=\"\(Anchor.version(version.version))\"") { writer in
            let badge = isCurrent ? " " + HTMLWriter.badge("current", "good") : ""
            writer.line("<h3>\(HTMLText.escaped(version.version))\(badge)</h3>")
            let hash = String(version.versionHash.prefix(12))
            let identifier = version.identifier.map { " · identifier \(HTMLWriter.code($0))" } ?? ""
            writer.line(
                "<p class=\"note\">Storage hash <code>\(hash)</code>…\(identifier)</p>")
            guard let previous, let changes else {
                writer.line("<p>The first version.</p>")
                return
            }
            emitBlockers(changes.blockers, after: previous, &writer)
            if changes.changes.isEmpty {
                writer.line("<p>Nothing about the stored data changed.</p>")
            }
            writer.table(
                ["What changed", "For the data", "Why"],
                changes.changes.map { change in
                    [
                        HTMLText.escaped(change.summary),
                        HTMLWriter.badge(
                            change.meaning, change.isUndecided || change.losesData ? "bad" : ""),
                        HTMLText.escaped(change.reason ?? ""),
                    ]
                })
        }
    }

    /// If no migration ends at a version, the page says so before it lists the changes.
    private func emitBlockers(
        _ blockers: [VersionChanges.Blocker], after previous: Model, _ writer: inout HTMLWriter
    ) {
        guard !blockers.isEmpty else { return }
        writer.line(
            "<p>\(HTMLWriter.badge("not migrated", "bad")) Stores of version "
                + "\(HTMLWriter.code(previous.version)) and before cannot be migrated: the step to "
                + "this version needs more than the two versions say.</p>")
        writer.element("ul") { writer in
            for blocker in blockers {
                writer.line("<li>\(HTMLText.escaped(blocker.message))</li>")
            }
        }
    }
}

extension VersionChanges.Change {
    /// The effect on the data, in a few words.
    fileprivate var meaning: String {
        guard !isUndecided else { return "undecided" }
        return switch kind {
        case nil: "only the program changes"
        case .additive: "nothing is lost"
        case .reversible: "kept"
        case .needsData: "rows are checked or filled"
        case .lossy: "lost"
        case .destructive: "objects are lost"
        case .needsCode: "the program's own step decides"
        }
    }
}
