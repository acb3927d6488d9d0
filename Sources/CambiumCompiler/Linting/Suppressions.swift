/// The warnings that authors suppress: `<suppress code="LQ201" reason="…"/>` in the element with
/// the finding, or in an element around it.
package struct Suppressions {
    /// A suppression and its scope.
    private struct Entry {
        let code: DiagnosticCode
        let place: SourcePosition
        let scope: ClosedRange<SourcePosition>
        let isCurrent: Bool
    }

    private let entries: [Entry]

    /// Collects the suppressions of a bundle's versions, the last of which is the current one.
    /// Errors in them are reported by the checker.
    package init(in versions: [ParsedModel]) {
        entries = versions.enumerated().flatMap { index, version in
            Self.entries(in: version, isCurrent: index + 1 == versions.count)
        }
    }

    private static func entries(in version: ParsedModel, isCurrent: Bool) -> [Entry] {
        var entries: [Entry] = []
        func collect(_ element: ParsedElement, _ scope: ClosedRange<SourcePosition>) {
            for child in element.children {
                if child.name == "suppress" {
                    guard let name = child["code"]?.value, let code = DiagnosticCode(named: name)
                    else { continue }
                    entries.append(
                        Entry(
                            code: code, place: version.position(at: child.offset), scope: scope,
                            isCurrent: isCurrent))
                } else if child.hasSuppressions {
                    let end = version.position(at: child.end ?? child.offset)
                    let start = version.position(at: child.offset)
                    collect(child, start...max(start, end))
                }
            }
        }
        if version.root.hasSuppressions {
            let file = version.source
            collect(
                version.root, file.position(at: 0)...file.position(at: file.bytes.count))
        }
        return entries
    }

    /// Removes suppressed diagnostics.
    ///
    /// - Returns: The remaining diagnostics, and a warning for each suppression of the current
    ///   version that was not needed.
    package func applied(
        to diagnostics: [Diagnostic]
    ) -> (kept: [Diagnostic], unused: [Diagnostic]) {
        guard !entries.isEmpty else { return (diagnostics, []) }
        var used: Set<Int> = []
        let kept = diagnostics.filter { diagnostic in
            guard !diagnostic.isError else { return true }
            let matching = entries.indices.filter { index in
                entries[index].code == diagnostic.code
                    && entries[index].scope.contains(diagnostic.position)
            }
            used.formUnion(matching)
            return matching.isEmpty
        }
        let unused = entries.indices.filter { entries[$0].isCurrent && !used.contains($0) }.map {
            Diagnostic(
                .unusedSuppression, "There is no \(entries[$0].code.name) here",
                at: entries[$0].place, notes: ["Remove the suppression"])
        }
        return (kept, unused)
    }
}

extension ParsedElement {
    /// Whether a suppression is in it, at any depth.
    fileprivate var hasSuppressions: Bool {
        children.contains { $0.name == "suppress" || $0.hasSuppressions }
    }
}

extension ModelChecker {
    /// Checks suppressions: the code must be that of a warning, and there must be a reason.
    func checkSuppressions(in element: ParsedElement) {
        for child in element.children {
            if child.name == "suppress" {
                checkSuppression(child)
            } else if !child.children.isEmpty {
                checkSuppressions(in: child)
            }
        }
    }

    private func checkSuppression(_ element: ParsedElement) {
        // A missing attribute was reported already.
        guard let code = element["code"], let reason = element["reason"] else { return }
        if let problem = problem(ofCode: code.value) {
            report(
                .invalidSuppression, problem, at: code,
                notes: ["Write the code that follows the finding in brackets"])
        } else if reason.isBlank {
            report(
                .invalidSuppression, "Add the reason why \(code.value) is suppressed here",
                at: reason,
                notes: ["The reason is for those who read the model later"])
        }
    }

    private func problem(ofCode name: String) -> String? {
        guard let code = DiagnosticCode(named: name), code.name == name else {
            return "There is no code '\(name)'"
        }
        let isWarning = code.severity == .warning || parsed.isOfXcode && code.isWarningInXcode
        return isWarning && code.subject != .suppression ? nil : "\(name) cannot be suppressed"
    }
}
