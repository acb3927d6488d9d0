import CambiumModel
import Foundation

/// Finds and reads the versions of a bundle: a folder `Shop.cambium` of `1.xml`, `2.xml` …, or what
/// Xcode makes: `Shop.xcdatamodeld`, or a single `Shop.xcdatamodel`.
package struct BundleReader {
    /// What has been found so far.
    var diagnostics: [Diagnostic] = []
    /// What becomes of what Xcode wrote in versions that have shipped.
    var notes: [Diagnostic] = []
    /// The folder, without a slash at its end.
    let path: String
    var settings = BundleSettings()
    var history: ParsedHistory?

    /// The name of the file of frozen versions. It lies in the bundle, and not beside it, so that it
    /// goes wherever the versions go and is an input of the build like them.
    static let lockName = "cambium.lock"

    /// The extensions of the folders that are models.
    package static let extensions = ["cambium", "xcdatamodeld", "xcdatamodel"]

    /// Reads a bundle. Versions that cannot be read are missing from the result and named in the
    /// diagnostics.
    ///
    /// - Parameter declarations: The file of declarations about the steps between versions; nil
    ///   takes the one beside the bundle, where there is one.
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
                .foreignFile, "This is no version of the model and is ignored", path + "/" + name)
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
        let natural = versions.sorted(by: VersionOrder.precedes)
        guard !settings.versions.isEmpty else { return natural }
        let (said, found) = (Set(settings.versions), Set(versions))
        for name in settings.versions where !found.contains(name) {
            report(.invalidSettings, "There is no version '\(name)', which versions names", path)
        }
        for name in natural where !said.contains(name) {
            report(.invalidSettings, "versions does not name the version '\(name)'", path)
        }
        return settings.versions.filter(found.contains) + natural.filter { !said.contains($0) }
    }

    // MARK: Files

    /// The visible names in a folder, or nil (and reported).
    mutating func contents(of folder: String) -> [String]? {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
            report(.bundleLayout, "There is no folder of that name that can be read", folder)
            return nil
        }
        return names.filter { !$0.hasPrefix(".") && $0 != Self.lockName }.sorted()
    }

    /// The XML of a file, or nil (and reported).
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

    /// The file itself, where it is one and lies in the bundle.
    private mutating func regularFile(_ path: String) -> URL? {
        let folder = URL(fileURLWithPath: self.path).resolvingSymlinksInPath()
        let file = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        guard file.path.hasPrefix(folder.path + "/") else {
            report(.bundleLayout, "The file is a link that leads out of the bundle", path)
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
