extension ModelChecker {
    /// Checks what suppressions say: a code that is a warning, and why.
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
        // That one is missing is said already.
        guard let code = element["code"], let reason = element["reason"] else { return }
        if let problem = problem(ofCode: code.value) {
            report(
                .invalidSuppression, problem, at: code,
                notes: ["Write the code that stands in brackets after the finding"])
        } else if reason.saysNothing {
            report(
                .invalidSuppression, "Say why \(code.value) is meant as it is here", at: reason,
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
