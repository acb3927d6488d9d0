import CambiumCompiler

extension LockFile {
    /// The file's text.
    package func text(bundleName: String) -> String {
        var base: Set<String> = []
        let lines = versions.values.sorted { VersionOrder.precedes($0.name, $1.name) }
            .flatMap { version in
                let head = "\(version.storage) \(version.conditions) \(version.name)"
                guard let lines = version.lines else { return [head] }
                defer { base = lines }
                return [head, "= \(lines.count)"]
                    + base.subtracting(lines).sorted(by: Self.precedes).map { "- \($0)" }
                    + lines.subtracting(base).sorted(by: Self.precedes).map { "+ \($0)" }
            }
        let title =
            "# Versions of \(bundleName) that have shipped. Written by `cambium freeze`; keep it "
            + "under version control."
        let all =
            [title, "\(Self.format) \(Self.algorithm)"] + lines + ["end \(versions.count)"]
        return all.map { $0 + "\n" }.joined()
    }

    private static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
