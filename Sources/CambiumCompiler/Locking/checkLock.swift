import CambiumModel

/// Compares the versions of a bundle with what was remembered when they shipped.
enum LockChecker {
    /// What is wrong; nothing where there is no lock.
    ///
    /// - Parameters:
    ///   - bundle: The bundle as it was read: a version that is there and has errors is not
    ///     missing.
    ///   - versions: Those of its versions that are without errors.
    static func check(_ bundle: ParsedBundle, _ versions: [CheckedModel]) -> [Diagnostic] {
        let lock: LockFile
        let path = bundle.path + "/" + LockFile.name
        do {
            guard let found = try LockFile.read(inBundle: bundle.path) else { return [] }
            lock = found
        } catch {
            return [
                Diagnostic(
                    .malformedLock, error.reason,
                    at: SourcePosition(path: path, line: error.line, column: 1),
                    notes: ["Take the file from version control, or write it anew: cambium freeze"])
            ]
        }
        let present = Set(bundle.versions.map(\.version))
        let missing = lock.versions.keys.filter { !present.contains($0) }
            .sorted(by: VersionOrder.precedes)
        let gone = missing.map { name in
            Diagnostic(
                .frozenVersionMissing,
                "Version \(name) has shipped, and is no longer in the bundle",
                at: SourcePosition(path: path, line: 1, column: 1),
                notes: ["Take its file from version control: stores of it are still in use"])
        }
        return gone + versions.compactMap { change(of: $0, from: lock) }
    }

    private static func change(of version: CheckedModel, from lock: LockFile) -> Diagnostic? {
        let now = LockedVersion(version)
        guard let frozen = lock.versions[now.name], frozen != now else { return nil }
        let message =
            now.storage != frozen.storage
            ? "Version \(now.name) has shipped, and its tables have changed since: stores of it "
                + "could no longer be opened"
            : "Version \(now.name) has shipped, and its defaults, limits, rules, indexes or "
                + "migration have changed since: stores of it do not have them"
        let changes = now.changes(since: frozen)
        return Diagnostic(
            .frozenVersionChanged, message,
            at: version.position(ofEntity: changes.count == 1 ? changes[0] : nil),
            notes: Self.note(of: changes) + [
                "Undo the change, copy the file to a new version and make the change there",
                "If the version has never left your machines: cambium freeze --again \(now.name)",
            ])
    }

    /// What has changed, as far as a person wants to read it.
    private static func note(of changes: [String]) -> [String] {
        guard !changes.isEmpty else { return [] }
        let names = changes.prefix(8).map { "'\($0)'" }.joined(separator: ", ")
        return ["Changed: \(names)\(changes.count > 8 ? ", …" : "")"]
    }
}
