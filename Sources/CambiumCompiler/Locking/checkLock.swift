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
        let (place, changes) = Self.changes(of: now, since: frozen)
        return Diagnostic(
            .frozenVersionChanged, message,
            at: version.position(ofEntity: place?.entity, property: place?.property),
            notes: changes + [
                "Undo the change, copy the file to a new version and make the change there",
                "If the version has never left your machines: cambium freeze --again \(now.name)",
            ])
    }

    /// What has changed, as far as a person wants to read it, and the one place where it did.
    private static func changes(
        of now: LockedVersion, since frozen: LockedVersion
    ) -> (place: (entity: String, property: String?)?, notes: [String]) {
        if let old = frozen.lines, let new = now.lines {
            let difference = LockedDifference(from: old, to: new)
            let more = difference.notes.count - limit
            return (
                place(of: difference.subjects),
                difference.notes.prefix(limit) + (more > 0 ? ["… and \(more) more"] : [])
            )
        }
        let changes = now.changes(since: frozen)
        guard !changes.isEmpty else { return (nil, []) }
        let names = changes.prefix(limit).map { "'\($0)'" }.joined(separator: ", ")
        return (
            place(of: changes), ["Changed: \(names)\(changes.count > limit ? ", …" : "")"]
        )
    }

    private static let limit = 8

    /// The property that changed, or the entity where several of its properties did.
    private static func place(
        of subjects: [String]
    ) -> (entity: String, property: String?)? {
        let entities = Set(subjects.map { String($0.prefix { $0 != "." }) })
        guard let entity = entities.first, entities.count == 1 else { return nil }
        let property = subjects.count == 1 ? subjects[0].dropFirst(entity.count + 1) : ""
        return (entity, property.isEmpty ? nil : String(property))
    }
}
