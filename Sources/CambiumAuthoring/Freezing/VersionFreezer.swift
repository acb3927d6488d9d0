import CambiumCompiler
import CambiumModel
import Foundation

/// Writes the lock of a bundle.
package enum VersionFreezer {
    /// The reason why no version was frozen.
    package enum Failure: Error, Sendable {
        /// There is no version of that name.
        case unknownVersion(String)
        /// The name is invalid on a line of the lock.
        case unsuitableName(String)
        /// The version is frozen and has changed since.
        case changed(String)
        /// The lock is in a former format and names a version that does not exist.
        case lostVersion(String)
        /// The lock file cannot be read.
        case malformedLock(String)

        /// The message for a person.
        package var message: String {
            switch self {
            case .unknownVersion(let name): "There is no version '\(name)'"
            case .unsuitableName(let name):
                "The version \(name.debugDescription) cannot be frozen: its name has a line end"
            case .changed(let name):
                "Version \(name) is frozen and has changed since. Undo the change and make it in a "
                    + "new version; or, if it has never left your machines, --again \(name)"
            case .lostVersion(let name):
                "The lock names version \(name), which is not in the bundle. Take its file from "
                    + "version control first"
            case .malformedLock(let reason):
                "The lock cannot be read: \(reason). Take the file from version control"
            }
        }
    }

    /// The result of freezing.
    package struct Result: Sendable {
        /// The text of the lock file.
        package let text: String
        /// The versions that are new in it, or were frozen again.
        package let frozen: [String]
    }

    /// Freezes versions.
    ///
    /// - Parameters:
    ///   - bundle: The bundle, compiled without regard to its lock.
    ///   - last: The last version to freeze. Nil means the last one of `again`, because the draft
    ///     after it is not meant; or all versions, if `again` is empty.
    ///   - again: Versions that may differ from their entries in the lock.
    ///   - text: The text of the lock file, or nil if there is none yet.
    /// - Throws: If a version is unknown or has changed, or if the lock cannot be read.
    package static func freeze(
        _ bundle: CompiledBundle, through last: String? = nil, again: Set<String> = [],
        lock text: String?
    ) throws(Failure) -> Result {
        let names = bundle.versions.map(\.model.version)
        for name in again.union(last.map { [$0] } ?? []).sorted() where !names.contains(name) {
            throw .unknownVersion(name)
        }
        let last = last ?? names.last(where: again.contains)
        var lock = LockFile()
        do {
            if let text { lock = try LockFile(text) }
        } catch {
            throw .malformedLock(error.reason)
        }
        var frozen: [String] = []
        for version in bundle.versions {
            let entry = LockedVersion(version)
            let old = lock.versions[entry.name]
            let isSame = old.map { LockedVersion(version, isFormer: $0.isFormer) == $0 } ?? false
            if entry.name.contains(where: \.isNewline) { throw .unsuitableName(entry.name) }
            if old != nil, !isSame, !again.contains(entry.name) { throw .changed(entry.name) }
            lock.versions[entry.name] = entry
            if !isSame { frozen.append(entry.name) }
            if entry.name == last { break }
        }
        for version in bundle.versions {
            // Versions after the last one: their entries in a lock of a former format are written
            // again.
            let name = version.model.version
            guard let old = lock.versions[name], old.isFormer else { continue }
            let isSame = LockedVersion(version, isFormer: true) == old
            guard isSame || again.contains(name) else { throw .changed(name) }
            lock.versions[name] = LockedVersion(version)
        }
        if let lost = lock.versions.values.filter(\.isFormer).map(\.name).min() {
            throw .lostVersion(lost)
        }
        return Result(text: lock.text(bundleName: bundle.name), frozen: frozen)
    }

    /// The name of the lock file, in the bundle.
    package static var fileName: String { LockFile.name }
}
