import CambiumModel
import CambiumSQL

extension DocumentationEmitter {
    /// Writes the versions, the newest first, each with what changed from the one before.
    func emitVersions(_ writer: inout HTMLWriter) {
        writer.element("section", "id=\"versions\"") { writer in
            writer.line("<h2>Versions</h2>")
            for (position, version) in bundle.versions.enumerated().reversed() {
                let previous = position > 0 ? bundle.versions[position - 1].model : nil
                emitVersion(version.model, after: previous, &writer)
            }
        }
    }

    private func emitVersion(_ version: Model, after previous: Model?, _ writer: inout HTMLWriter) {
        let isCurrent = version.version == model.version
        writer.element("article", "id=\"\(Anchor.version(version.version))\"") { writer in
            let badge = isCurrent ? " " + HTMLWriter.badge("current", "good") : ""
            writer.line("<h3>\(HTMLText.escaped(version.version))\(badge)</h3>")
            let hash = String(version.versionHash.prefix(12))
            let identifier = version.identifier.map { " · identifier \(HTMLWriter.code($0))" } ?? ""
            writer.line(
                "<p class=\"note\">Storage hash <code>\(hash)</code>…\(identifier)</p>")
            guard let previous else {
                writer.line("<p>The first version.</p>")
                return
            }
            let changes = VersionChanges(from: previous, to: version).changes
            if changes.isEmpty {
                writer.line("<p>Nothing about the stored data changed.</p>")
            }
            writer.table(
                ["What changed", "For the data", "Why"],
                changes.map { change in
                    (
                        nil,
                        [
                            HTMLText.escaped(change.summary),
                            HTMLWriter.badge(change.meaning, change.isLoss ? "bad" : ""),
                            HTMLText.escaped(change.reason ?? ""),
                        ]
                    )
                })
        }
    }
}
