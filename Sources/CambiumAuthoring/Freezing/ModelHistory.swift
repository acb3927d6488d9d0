import CambiumCompiler
import CambiumModel
import CambiumSQL
import Foundation

/// Writes the file of declarations about steps that have shipped, so that a chain of versions that
/// cannot be edited becomes one that can be migrated.
package enum ModelHistory {
    /// The result of writing.
    package struct Result: Sendable {
        /// The text of the file; nil if there is nothing to declare, or if the versions have
        /// errors.
        package let text: String?
        /// Lines that say what was added, one or more for each step.
        package let added: [String]
        /// Problems that have to be solved by hand. No declarations are written about these steps.
        package let open: [String]
        /// The steps that were proven without rows, or without two rows of an entity.
        package let lackingRows: [String]
        /// The problems of the bundle.
        package let diagnostics: [Diagnostic]
    }

    /// Finds the undecided changes in the steps of a bundle, and declares the least data loss for
    /// each.
    ///
    /// Existing declarations in the file or in a version stay as they are. If the two versions
    /// permit it, links are kept instead of deleted, and values are kept instead of dropped. Every
    /// declaration has its class and a reason, and each can be corrected by hand. Each step is
    /// proven with its declarations before they are written, so the cost grows with the number of
    /// such steps.
    ///
    /// - Parameters:
    ///   - path: The bundle's folder.
    ///   - declarations: The file, if it is not beside the bundle.
    ///   - last: The version after the last step; nil means the one before the current one. The
    ///     author still edits the step to the current version, and the build reports its problems.
    package static func write(
        of path: String, declarations: String? = nil, through last: String? = nil
    ) -> Result {
        var (bundle, diagnostics) = BundleReader.read(
            path,
            declarations: declarations.flatMap {
                FileManager.default.fileExists(atPath: $0) ? $0 : nil
            })
        let (versions, found, _) = ModelCompiler.check(bundle)
        diagnostics += found
        let chain = bundle.chain.map(\.version)
        guard !diagnostics.hasErrors, versions.count == chain.count else {
            return Result(
                text: nil, added: [], open: [], lackingRows: [], diagnostics: diagnostics)
        }
        let end = last.flatMap(chain.firstIndex) ?? chain.count - (last == nil ? 2 : 1)
        let steps = versions.indices.filter { $0 > 0 && $0 <= end }.map { index in
            HistoryStep(from: versions[index - 1], to: versions[index])
        }.filter { !$0.isDecided }
        var open = steps.flatMap(\.open)
        let solved = steps.filter(\.open.isEmpty)
        let verdicts = Self.verdicts(on: solved, of: bundle)
        open += verdicts.compactMap(\.failure)
        let proven = zip(solved, verdicts).filter { $0.1.failure == nil }
        return Result(
            text: proven.isEmpty ? nil : Self.text(declaring: proven.map(\.0), in: bundle),
            added: proven.flatMap(\.0.lines), open: open,
            lackingRows: proven.filter(\.1.lacksRows).map(\.0.version),
            diagnostics: diagnostics)
    }

    /// Proves steps with their new declarations, which are first parsed as a file.
    private static func verdicts(
        on steps: [HistoryStep], of bundle: ParsedBundle
    ) -> [HistoryStep.Verdict] {
        guard !steps.isEmpty else { return [] }
        let (versions, found) = read(text(declaring: steps, in: bundle), of: bundle)
        if let mistake = found.first(where: \.isError) {
            return steps.map { $0.verdict(failing: mistake.message) }
        }
        let schemas = ModelCompiler.schemas(of: versions)
        return steps.concurrentMap { step in
            guard
                let index = versions.firstIndex(where: { $0.model.version == step.version }),
                index > 0
            else { return step.verdict(failing: "there is no such version") }
            return step.verdict(
                on: [versions[index - 1], versions[index]],
                schemas: [schemas[index - 1], schemas[index]])
        }
    }

    /// The versions, with a text that declares the steps between them.
    private static func read(
        _ text: String, of bundle: ParsedBundle
    ) -> (versions: [CheckedModel], diagnostics: [Diagnostic]) {
        let file = SourceText(
            path: bundle.history?.source.path ?? path(beside: bundle.path), bytes: Array(text.utf8))
        do throws(Diagnostic) {
            let history = ParsedHistory(source: file, root: try XMLReader.read(file))
            let (versions, found, _) = ModelCompiler.check(
                ParsedBundle(
                    name: bundle.name, path: bundle.path, versions: bundle.versions,
                    current: bundle.current, settings: bundle.settings, history: history))
            return (versions, found)
        } catch {
            return ([], [error])
        }
    }

    private static func text(declaring steps: [HistoryStep], in bundle: ParsedBundle) -> String {
        var root = bundle.history?.root ?? Self.emptyRoot(of: bundle.name)
        let chain = bundle.chain.map(\.version)
        for step in steps {
            root.add(step.elements, from: step.former, to: step.version, order: chain)
        }
        return text(root, bundle.history?.source)
    }

    /// The file that belongs to a bundle.
    package static func path(beside bundle: String) -> String {
        ParsedHistory.path(beside: bundle)
    }

    private static func emptyRoot(of name: String) -> ParsedElement {
        ParsedElement(
            own: "history", AttributeList(["xmlns": Vocabulary.namespace, "name": name]))
    }

    private static func text(_ root: ParsedElement, _ source: SourceText?) -> String {
        let text = XMLPrinter.print(root, source: source)
        guard source == nil, let end = text.firstIndex(of: "\n") else { return text }
        // A new file gets a comment that describes its purpose.
        return text[...end] + """
            <!-- The changes of data by steps that have shipped. Written by `cambium freeze` for the
                 history. Correct the generated values; keep this file under version control. -->

            """ + text[text.index(after: end)...]
    }
}

extension ParsedElement {
    /// Adds declarations about a step, in the place that the order of versions gives it.
    fileprivate mutating func add(
        _ declarations: [ParsedElement], from old: String, to new: String, order: [String]
    ) {
        if let index = children.firstIndex(where: {
            $0.name == "migration" && $0["to"]?.value == new
        }) {
            return children[index].children += declarations
        }
        let number = order.firstIndex(of: new) ?? order.count
        let next = children.firstIndex { child in
            child["to"].flatMap { order.firstIndex(of: $0.value) } ?? -1 > number
        }
        children.insert(
            .migration(from: old, to: new, declarations), at: next ?? children.count)
    }
}
