import CambiumModel
import CambiumSQL
import Foundation

/// Writes the file of declarations about steps that have shipped, so that a chain of versions that
/// cannot be edited becomes one that can be migrated.
package enum ModelHistory {
    /// What writing gives.
    package struct Result: Sendable {
        /// The text of the file; nil where there is nothing to declare, or where something is wrong
        /// with the versions.
        package let text: String?
        /// Lines that say what was added, a line for each step.
        package let added: [String]
        /// What is still open and has to be declared by hand.
        package let open: [String]
        /// What is wrong with the bundle.
        package let diagnostics: [Diagnostic]
    }

    /// Finds what the steps of a bundle leave open, and declares of each what loses least.
    ///
    /// What the file, or a version itself, declares already stays as it is. Links stay rather than
    /// go, and a value is kept rather than dropped, as far as the two versions say how; every
    /// declaration has its class and a reason, and each can be put right by hand.
    ///
    /// - Parameters:
    ///   - path: The bundle's folder.
    ///   - declarations: The file, where it does not lie beside the bundle.
    ///   - last: The version that the last step leads to; nil means the one before the current one.
    ///     The step to the current one is what its author is at, and asked about in the build.
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
            return Result(text: nil, added: [], open: [], diagnostics: diagnostics)
        }
        var root = bundle.history?.root ?? Self.emptyRoot(of: bundle.name)
        var (added, open): ([String], [String]) = ([], [])
        for index in versions.indices.dropFirst() {
            let isLast = chain[index] == last
            if last == nil, index == versions.count - 1 { break }
            let (old, new) = (versions[index - 1].model, versions[index].model)
            let declarer = HistoryDeclarer(
                old: old, new: new, isOfXcode: versions[index].parsed.isOfXcode)
            let resolution = StepResolution(from: old, to: new, declarations: declarer.items)
            open += resolution.difference.problems.map { "\(new.version): \($0.message)" }
            if !resolution.items.isEmpty {
                root.add(
                    resolution.items.map(\.element), from: old.version, to: new.version,
                    order: chain)
                added.append(
                    "\(new.version): \(resolution.items.map(\.subject).joined(separator: ", "))")
            }
            if isLast { break }
        }
        let text = added.isEmpty ? nil : Self.text(root, bundle.history?.source)
        return Result(text: text, added: added, open: open, diagnostics: diagnostics)
    }

    /// The file that belongs to a bundle.
    package static func path(beside bundle: String) -> String {
        ParsedHistory.path(beside: bundle)
    }

    private static func emptyRoot(of name: String) -> ParsedElement {
        var list = AttributeList(at: 0)
        list.set("xmlns", Vocabulary.namespace)
        list.set("name", name)
        return ParsedElement(own: "history", list)
    }

    private static func text(_ root: ParsedElement, _ source: SourceText?) -> String {
        let text = XMLPrinter.print(root, source: source)
        guard source == nil, let end = text.firstIndex(of: "\n") else { return text }
        // What has no comments of its own gets the one that says what it is.
        return text[...end] + """
            <!-- What happened to data in steps that have shipped. Written by `cambium freeze`, asked for
                 the history. Put right what it did not know; keep it under version control. -->

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
        var list = AttributeList(at: 0)
        list.set("from", old)
        list.set("to", new)
        let number = order.firstIndex(of: new) ?? order.count
        let next = children.firstIndex { child in
            child["to"].flatMap { order.firstIndex(of: $0.value) } ?? -1 > number
        }
        children.insert(
            ParsedElement(own: "migration", list, children: declarations),
            at: next ?? children.count)
    }
}
