import CambiumCompiler
import CambiumModel
import CambiumSQL

extension DocumentationEmitter {
    /// Writes the versions, the newest first, each with what changed from the one before.
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
            emitObstacles(changes.obstacles, after: previous, &writer)
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

    /// Where no migration leads to a version, the page says so before it says what changed.
    private func emitObstacles(
        _ obstacles: [VersionChanges.Obstacle], after previous: Model, _ writer: inout HTMLWriter
    ) {
        guard !obstacles.isEmpty else { return }
        writer.line(
            "<p>\(HTMLWriter.badge("not migrated", "bad")) Stores of version "
                + "\(HTMLWriter.code(previous.version)) and before cannot be migrated: the step to "
                + "this version needs more than the two versions say.</p>")
        writer.element("ul") { writer in
            for obstacle in obstacles {
                writer.line("<li>\(HTMLText.escaped(obstacle.message))</li>")
            }
        }
    }
}

extension VersionChanges.Change {
    /// What it means for the data, in a few words.
    fileprivate var meaning: String {
        guard !isUndecided else { return "undecided" }
        return switch kind {
        case nil: "the program's"
        case .additive: "nothing is lost"
        case .reversible: "kept"
        case .needsData: "rows are checked or filled"
        case .lossy: "lost"
        case .destructive: "objects are lost"
        case .needsCode: "the program's own step decides"
        }
    }
}
