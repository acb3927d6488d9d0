import CambiumMigration
import CambiumModel
import Foundation

/// Finds and reads the versions of a bundle: a folder `Shop.cambium` with `1.xml`, `2.xml` …, or a
/// model of Xcode: `Shop.xcdatamodeld`, or a single `Shop.xcdatamodel`.
package struct BundleReader {
    /// The diagnostics so far.
    var diagnostics: [Diagnostic] = []
    /// Notes about the conversion of Xcode versions that have shipped.
    var notes: [Diagnostic] = []
    /// The folder, without a slash at its end.
    let path: String
    var settings = BundleSettings()
    var history: ParsedHistory?

    /// The name of the file of frozen versions. It is in the bundle, and not beside it, so that it
    /// is copied with the versions and is an input of the build like them.
    static let lockName = "cambium.lock"

    /// The extensions of the folders that are models.
    package static let extensions = ["cambium", "xcdatamodeld", "xcdatamodel"]

    /// Reads a bundle. If a version cannot be read, it is missing from the result and named in the
    /// diagnostics.
    ///
    /// - Parameter declarations: The file of declarations about the steps between versions; nil
    ///   means the one beside the bundle, if it exists.
    package static func read(
        _ path: String, declarations: String? = nil
    ) -> (bundle: ParsedBundle, diagnostics: [Diagnostic]) {
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        var reader = BundleReader(path)
        reader.readHistory(named: declarations)
        let bundle = reader.readBundle()
        return (bundle, reader.diagnostics)
    }

    private init(_ path: String) {
        self.path = path
    }

    /// The folder's name without its extension.
    var fileName: String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    private mutating func readBundle() -> ParsedBundle {
        let name = ParsedBundle.modelName(of: fileName)
        switch path.split(separator: ".").last.map(String.init) {
        case "cambium" where path.hasSuffix(".cambium"):
            readSettings()
            let versions = readVersions()
            return bundle(name, versions, current: settings.current)
        case "xcdatamodeld" where path.hasSuffix(".xcdatamodeld"):
            readSettings()
            let (versions, current) = readXcodeVersions(name: name)
            return bundle(name, versions, current: current)
        case "xcdatamodel" where path.hasSuffix(".xcdatamodel"):
            readSettings()
            let versions = readXcodeVersions(
                [(folder: path, version: fileName)], name: name, current: fileName)
            return bundle(name, versions, current: fileName)
        default:
            report(
                .bundleLayout,
                "A model is a folder whose name ends in .cambium, or in .xcdatamodeld", path)
            return bundle(name, [], current: nil)
        }
    }

    private func bundle(
        _ name: String, _ versions: [ParsedModel], current: String?
    ) -> ParsedBundle {
        ParsedBundle(
            name: name, path: path, versions: versions, current: current, settings: settings,
            history: history, notes: notes)
    }

    // MARK: Cambium's own

    private mutating func readVersions() -> [ParsedModel] {
        guard let names = contents(of: path) else { return [] }
        for name in names where !name.hasSuffix(".xml") {
            report(
                .unknownFile, "This is not a version of the model and is ignored", path + "/" + name
            )
        }
        let versions = names.filter { $0.hasSuffix(".xml") }.map { String($0.dropLast(4)) }
        if versions.isEmpty {
            report(
                .bundleLayout, "The model has no version", path,
                notes: ["Write the first version into \(path)/1.xml"])
        }
        return ordered(versions).compactMap { version in
            guard let source = readText(path + "/" + version + ".xml") else { return nil }
            return readXML(source).map {
                ParsedModel(source: source, version: version, root: $0)
            }
        }
    }

    // MARK: Settings

    private mutating func readSettings() {
        let folder = URL(fileURLWithPath: path)
        let own = path + ".json"
        let shared = folder.deletingLastPathComponent().appendingPathComponent("cambium.json")
        let manager = FileManager.default
        guard manager.fileExists(atPath: path) else { return }
        if manager.fileExists(atPath: own) {
            readSettings(own, isOfFolder: false)
        } else if manager.fileExists(atPath: shared.path) {
            readSettings(shared.path, isOfFolder: true)
        }
    }

    private mutating func readSettings(_ file: String, isOfFolder: Bool) {
        guard let data = readData(file) else { return }
        do {
            settings = try BundleSettings.read(
                data, of: URL(fileURLWithPath: path).lastPathComponent, isOfFolder: isOfFolder)
        } catch {
            let source = SourceText(path: file, bytes: [UInt8](data))
            let place = error.word.flatMap {
                String(decoding: source.bytes, as: UTF8.self).utf8Offset(of: "\"\($0)\"")
            }
            diagnostics.append(
                Diagnostic(
                    .invalidSettings, error.message, at: source.position(at: place ?? 0)))
        }
    }

    /// Version names in the order of the settings, else in natural order.
    mutating func ordered(_ versions: [String]) -> [String] {
        let natural = versions.ordered(by: VersionOrder.precedes)
        guard !settings.versions.isEmpty else { return natural }
        let (listed, found) = (Set(settings.versions), Set(versions))
        for name in settings.versions where !found.contains(name) {
            report(.invalidSettings, "There is no version '\(name)', which versions names", path)
        }
        for name in natural where !listed.contains(name) {
            report(.invalidSettings, "versions does not name the version '\(name)'", path)
        }
        return settings.versions.filter(found.contains) + natural.filter { !listed.contains($0) }
    }

    // MARK: Files

    /// The visible names in a folder, or nil (and reported).
    mutating func contents(of folder: String) -> [String]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            report(.bundleLayout, "There is no folder of that name that can be read", folder)
            return nil
        }
        return names.filter { !$0.hasPrefix(".") && $0 != Self.lockName }.ordered(by: <)
    }

    /// The XML of a file, or nil (and reported).
    @inline(never)
    mutating func readXML(_ source: SourceText) -> ParsedElement? {
        do throws(Diagnostic) {
            return try XMLReader.read(source)
        } catch {
            diagnostics.append(error)
            return nil
        }
    }

    /// A file of the bundle, or nil (and reported).
    mutating func readText(_ path: String) -> SourceText? {
        guard let file = regularFile(path), let data = readData(file.path, shownAs: path) else {
            return nil
        }
        return SourceText(path: path, bytes: [UInt8](data))
    }

    mutating func readData(_ file: String, shownAs path: String? = nil) -> Data? {
        // The size is looked at first, so that a file of gigabytes is not brought into memory.
        let attributes = try? FileManager.default.attributesOfItem(atPath: file)
        if let size = attributes?[.size] as? Int, size > ReadingLimits.fileSize {
            report(.limitExceeded, "A model file may not have more than 4 MiB", path ?? file)
            return nil
        }
        guard let data = try? Data(contentsOf: URL(fileURLWithPath: file)) else {
            report(.bundleLayout, "The file cannot be read", path ?? file)
            return nil
        }
        return data
    }

    /// The resolved file, if it is a regular file in the bundle.
    private mutating func regularFile(_ path: String) -> URL? {
        let folder = URL(fileURLWithPath: self.path).resolvingSymlinksInPath()
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard file.path.hasPrefix(folder.path + "/") else {
            report(.bundleLayout, "The file is a link out of the bundle", path)
            return nil
        }
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        guard attributes?[.type] as? FileAttributeType == .typeRegular else {
            report(.bundleLayout, "This is not a file", path)
            return nil
        }
        return file
    }

    // MARK: Reporting

    @inline(never)
    mutating func report(
        _ code: DiagnosticCode, _ message: String, _ path: String, notes: [String] = []
    ) {
        let position = SourcePosition(path: path, line: 1, column: 1)
        diagnostics.append(Diagnostic(code, message, at: position, notes: notes))
    }
}

extension String {
    fileprivate func utf8Offset(of part: String) -> Int? {
        firstRange(of: part).map { utf8.distance(from: startIndex, to: $0.lowerBound) }
    }
}

extension BundleReader {
    /// A version as Xcode wrote it, with the identities of its elements.
    struct XcodeFile {
        let version: String
        let source: SourceText
        let root: ParsedElement
        let identities: IdentityTable
    }

    /// The versions of an `.xcdatamodeld` in natural order, and the name of the current one.
    mutating func readXcodeVersions(name: String) -> ([ParsedModel], current: String?) {
        guard let names = contents(of: path) else { return ([], nil) }
        let suffix = ".xcdatamodel"
        for name in names where !name.hasSuffix(suffix) {
            report(
                .unknownFile, "This is not a version of the model and is ignored", path + "/" + name
            )
        }
        let order = ordered(
            names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) })
        let current = currentVersion(among: order)
        if let current, let index = order.firstIndex(of: current) {
            for version in order[(index + 1)...] {
                report(
                    .skippedVersion,
                    "The version '\(version)' comes after the current one and is left out",
                    path + "/" + version + suffix,
                    notes: [
                        "Make it the current one in Xcode, or name the order in cambium.json"
                    ])
            }
        }
        let models = readXcodeVersions(
            order.map { (folder: path + "/" + $0 + suffix, version: $0) }, name: name,
            current: current)
        if order.isEmpty {
            report(
                .bundleLayout, "The model has no version", path,
                notes: ["Its versions are folders whose names end in .xcdatamodel"])
        }
        return (models, current)
    }

    /// The version named in `.xccurrentversion`, or else the last version. Without that file, Xcode
    /// itself assumes that a bundle has one version.
    private mutating func currentVersion(among versions: [String]) -> String? {
        if let name = settings.current {
            if !versions.contains(name) {
                report(.invalidSettings, "There is no version '\(name)', which is current", path)
            }
            return name
        }
        let file = path + "/" + XcodeBundle.currentVersionFile
        guard FileManager.default.fileExists(atPath: file), let source = readText(file) else {
            return versions.last
        }
        let list =
            try? PropertyListSerialization.propertyList(
                from: Data(source.bytes), options: [], format: nil)
        guard let list = list as? [String: Any] else {
            report(.bundleLayout, "This is not a property list", file)
            return versions.last
        }
        guard let folder = list["_XCCurrentVersionName"] as? String else { return versions.last }
        let name = folder.hasSuffix(".xcdatamodel") ? String(folder.dropLast(12)) : folder
        guard versions.contains(name) else {
            report(
                .bundleLayout, "There is no version '\(folder)', which is said to be current", file)
            return versions.last
        }
        return name
    }

    /// The versions that can be read; errors in the others are reported. They are read and
    /// translated in parallel, because each needs only the identities of the version before.
    mutating func readXcodeVersions(
        _ versions: [(folder: String, version: String)], name: String, current: String?
    ) -> [ParsedModel] {
        var empty = self
        empty.diagnostics = []
        let reader = empty
        let readings = versions.concurrentMap { folder, version in
            var reader = reader
            let file = reader.readXcodeFile(
                folder, version: version, isCurrent: version == current)
            return (file: file, diagnostics: reader.diagnostics)
        }
        for reading in readings { diagnostics += reading.diagnostics }
        let files = readings.compactMap { $0.file }
        let translations = files.indices.concurrentMap { index in
            let file = files[index]
            return XcodeTranslator.translate(
                file.root, of: file.source, name: name, version: file.version,
                previous: index > 0 ? files[index - 1].identities : nil)
        }
        return zip(files, translations).map { file, translation in
            // Warnings are only useful for the version that has not shipped.
            let (found, remarks) = translation.diagnostics.settled(
                isCurrent: file.version == current)
            diagnostics += found
            notes += remarks
            return ParsedModel(
                source: file.source, version: file.version, root: translation.root, format: .xcode)
        }
    }

    /// The file of a version, or nil (and reported).
    private mutating func readXcodeFile(
        _ folder: String, version: String, isCurrent: Bool
    ) -> XcodeFile? {
        guard let names = contents(of: folder) else { return nil }
        for name in names where name.hasSuffix(".xcdatamodel") || name.hasSuffix(".xcdatamodeld") {
            report(
                .unknownFile, "A model within a version is not part of it and is ignored",
                folder + "/" + name)
        }
        guard names.contains("contents") else {
            reportMissing(folder, isBinary: names.contains("elements"), isCurrent: isCurrent)
            return nil
        }
        guard let source = readText(folder + "/contents"), let root = readXML(source) else {
            return nil
        }
        guard root.name == "model" else {
            diagnostics.append(
                Diagnostic(
                    .wrongRoot, "A model of Xcode's starts with <model …>",
                    at: source.position(at: root.offset)))
            return nil
        }
        return XcodeFile(
            version: version, source: source, root: root,
            identities: IdentityTable(xcode: root))
    }

    private mutating func reportMissing(_ folder: String, isBinary: Bool, isCurrent: Bool) {
        let note = "Open the model in Xcode 4 or later and save it, which writes it as XML"
        if isBinary, isCurrent {
            report(
                .binaryModel, "The current version is in the binary form of Xcode 3", folder,
                notes: [note])
        } else if isBinary {
            report(
                .skippedVersion,
                """
                The version is in the binary form of Xcode 3 and is left out: stores of it \
                cannot be migrated
                """, folder, notes: [note])
        } else if isCurrent {
            report(.bundleLayout, "The version has no file 'contents'", folder)
        } else {
            report(
                .skippedVersion,
                """
                The version has no file 'contents' and is left out: stores of it cannot be \
                migrated
                """, folder)
        }
    }
}

/// The files beside the versions in a bundle of Xcode.
package enum XcodeBundle {
    /// The name of the file that names the current version.
    package static let currentVersionFile = ".xccurrentversion"
}
