import CambiumModel
import Foundation

/// The versions of a bundle that have shipped: the file `cambium.lock` in it.
///
/// ```
/// # Versions of Shop that have shipped. Written by `cambium freeze`; keep it under version control.
/// cambium-lock 3 sha256
/// STORAGE-HASH CONDITIONS-HASH VERSION
/// = NUMBER OF LINES
/// - LINE
/// + LINE
/// end NUMBER OF VERSIONS
/// ```
///
/// The versions follow each other in their order, so that two branches that freeze different
/// versions can be merged. The hashes, of the algorithm in the first line, determine whether a
/// version is unchanged.
///
/// The lines after the hashes describe the version, one declaration each, as a difference to the
/// version before. They may be missing, because they are used only to report the changes. The last
/// line shows whether any version is missing, because a version without an entry would count as one
/// that never shipped.
package struct LockFile: Equatable {
    /// The file's name in the bundle.
    package static let name = BundleReader.lockName
    package static let format = "cambium-lock 3"
    package static let algorithm = "sha256"
    /// The first format, with a hash for each declaration.
    private static let firstFormat = "cambium-lock 1"
    /// The second format, with hashes of the text as written.
    private static let secondFormat = "cambium-lock 2"

    /// The versions by name.
    package var versions: [String: LockedVersion] = [:]

    package init() {}

    /// The reason that a text is not a valid lock.
    package struct Malformed: Error {
        let line: Int
        package let reason: String
    }

    /// Reads a text.
    package init(_ text: String) throws(Malformed) {
        var reader = Reader()
        // Only this byte ends a line. A rule may contain any other character that looks like a line
        // end.
        let lines = text.utf8.split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            guard let first = line.first, first != UInt8(ascii: "#") else { continue }
            try reader.read(Substring(line), number: index + 1)
        }
        guard reader.format != nil else {
            throw Malformed(line: 1, reason: Reader.missingFormat)
        }
        try reader.end(at: lines.count)
        versions = reader.versions
    }

    /// Reads a lock line by line.
    private struct Reader {
        static let missingFormat = "'\(LockFile.format) \(LockFile.algorithm)' is expected here"

        var versions: [String: LockedVersion] = [:]
        var format: String?
        private var last: String?
        /// The lines of the version that is being read, and how many there should be.
        private var lines: Set<String> = []
        private var count: Int?
        /// The expected number of versions, after its line was read.
        private var number: Int?

        mutating func read(_ line: Substring, number: Int) throws(Malformed) {
            guard let format else {
                let isKnown =
                    line == LockFile.firstFormat || line.hasPrefix(LockFile.secondFormat + " ")
                    || line.hasPrefix(LockFile.format + " ")
                guard isKnown else {
                    throw Malformed(line: number, reason: Self.missingFormat)
                }
                let words = line.split(separator: " ")
                if words.count != 2, words.dropFirst(2) != [Substring(LockFile.algorithm)] {
                    throw Malformed(
                        line: number,
                        reason: """
                            The hashes are of another algorithm than '\(LockFile.algorithm)', \
                            which a later cambium may know
                            """)
                }
                self.format = words.prefix(2).joined(separator: " ")
                return
            }
            if let last, let mark = line.first, "=-+".contains(mark), line.dropFirst().first == " "
            {
                let text = String(line.dropFirst(2))
                if format == LockFile.firstFormat {
                    versions[last]?.declarations = Self.declarations(text)
                } else {
                    note(text, mark)
                }
                return
            }
            endVersion()
            if format == LockFile.format {
                guard self.number == nil else {
                    throw Malformed(line: number, reason: "The line 'end' above is the last one")
                }
                if line.hasPrefix("end "), let count = Int(line.dropFirst(4)) {
                    self.number = count
                    return
                }
            }
            try readVersion(line, number: number)
        }

        /// Whether the whole lock was read.
        mutating func end(at line: Int) throws(Malformed) {
            endVersion()
            guard format == LockFile.format, number != versions.count else { return }
            throw Malformed(
                line: max(1, line - 1),
                reason: number.map {
                    "The lock had \($0) version\($0 == 1 ? "" : "s"), and has \(versions.count)"
                } ?? "The lock has no end: 'end \(versions.count)' is expected here")
        }

        private mutating func note(_ text: String, _ mark: Character) {
            switch mark {
            case "=": count = Int(text)
            case "-": lines.remove(text)
            default: lines.insert(text)
            }
        }

        /// Sets the lines of the version that was read, unless some of them are lost.
        mutating func endVersion() {
            guard let last, let count else { return }
            if lines.count == count { versions[last]?.lines = lines }
            self.count = nil
        }

        private mutating func readVersion(
            _ line: Substring, number: Int
        ) throws(Malformed) {
            let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3, !parts[2].isEmpty, parts[0...1].allSatisfy(Self.isHash) else {
                throw Malformed(
                    line: number, reason: "Two hashes and the name of a version are expected")
            }
            let name = String(parts[2])
            let version = LockedVersion(
                name: name, storage: String(parts[0]), conditions: String(parts[1]),
                isFormer: format != LockFile.format)
            guard versions.updateValue(version, forKey: name) == nil else {
                throw Malformed(line: number, reason: "Version '\(name)' is listed twice")
            }
            last = name
        }

        /// The hashes of declarations by name.
        private static func declarations(_ line: String) -> [String: String] {
            var hashes: [String: String] = [:]
            for word in line.split(separator: " ") {
                let parts = word.split(separator: "=")
                guard parts.count == 2 else { continue }
                hashes[String(parts[0])] = String(parts[1])
            }
            return hashes
        }

        private static func isHash(_ text: Substring) -> Bool {
            text.utf8.count == 64
                && text.utf8.allSatisfy {
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                        || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
                }
        }
    }

    /// Reads the lock of a bundle; nil if there is none.
    package static func read(inBundle path: String) throws(Malformed) -> LockFile? {
        let file = path + "/" + name
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        guard let data = FileManager.default.contents(atPath: file),
            let text = String(bytes: data, encoding: .utf8)
        else { throw Malformed(line: 1, reason: "The file cannot be read") }
        return try LockFile(text)
    }
}

/// The entry of a version that has shipped: two hashes of everything that determines its stores.
///
/// The hashes do not depend on layout, spelling or the order of declarations in the file. They do
/// not depend on declarations that affect only the program either: code generation, messages, named
/// requests, merge and delete rules, user info. Therefore all of these can still change. The hashes
/// do not depend on the SQL: a newer compiler that writes better SQL does not invalidate a lock.
package struct LockedVersion: Equatable {
    /// The version's name.
    package let name: String
    /// `Model.versionHash`: tables and columns. If it changes, existing stores no longer open.
    package let storage: String
    /// The hash of the text of ``LockedConditions``: the constraints of rows, and how they were
    /// migrated. If it changes, existing stores open, but differ from the assumptions of the next
    /// migration.
    package let conditions: String
    /// The declarations in the hashes, one a line; nil if the lock does not contain them.
    package var lines: Set<String>?
    /// The start of a hash of each declaration by its name. In a lock of the former format, it
    /// identifies the changed declarations.
    var declarations: [String: String] = [:]
    /// Whether the conditions are in a former format of the lock.
    package private(set) var isFormer = false
}

extension LockedVersion {
    /// Creates an entry for the current form of a version.
    ///
    /// - Parameter isFormer: Whether to compare it with a lock in a former format.
    package init(_ version: CheckedModel, isFormer: Bool = false) {
        self.isFormer = isFormer
        name = version.model.version
        storage = version.model.versionHash
        let conditions =
            isFormer
            ? FormerLockedConditions.text(of: version) : LockedConditions.text(of: version)
        self.conditions = SHA256.hexadecimal(of: conditions)
        var all: [String] = []
        var named: [String: [String]] = [:]
        for line in (version.model.canonicalText + conditions).split(separator: "\n") {
            if let name = Self.declaration(of: line) {
                named[name, default: []].append(String(line))
                all.append(String(line))
            }
        }
        lines = Set(all)
        declarations = named.mapValues {
            String(SHA256.hexadecimal(of: $0.joined(separator: "\n")).prefix(8))
        }
    }

    /// The name of the entity, composite or enumeration that a line is about, or `migration`.
    private static func declaration(of line: Substring) -> String? {
        let words = line.split(separator: " ", maxSplits: 2)
        guard let first = words.first, first != "cambium" else { return nil }
        let name = first == "entity" || first == "enum" ? words.dropFirst().first : first
        return name?.split(whereSeparator: { ".:".contains($0) }).first.map(String.init)
    }

    /// Whether the hashes are equal. The lines do not count.
    package static func == (left: LockedVersion, right: LockedVersion) -> Bool {
        left.name == right.name && left.storage == right.storage
            && left.conditions == right.conditions
    }

    /// The names of the changed declarations, sorted; empty if they are unknown.
    func changes(since frozen: LockedVersion) -> [String] {
        guard !frozen.declarations.isEmpty else { return [] }
        return Set(declarations.keys).union(frozen.declarations.keys)
            .filter { declarations[$0] != frozen.declarations[$0] }.ordered(by: <)
    }
}
