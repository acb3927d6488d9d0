import CambiumMigration
import Foundation

extension BundleReader {
    /// A version as Xcode wrote it, and what is what in it.
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
                .foreignFile, "This is no version of the model and is ignored", path + "/" + name)
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

    /// What `.xccurrentversion` says, else the last version; without that file, Xcode itself knows
    /// a bundle to have one version.
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
            report(.bundleLayout, "This is no property list", file)
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

    /// Those versions that can be read; the others are reported. Each is read and translated on its
    /// own, all at the same time: of the version before only the identities are needed.
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
        let files = readings.compactMap(\.file)
        let translations = files.indices.concurrentMap { index in
            let file = files[index]
            return XcodeTranslator.translate(
                file.root, of: file.source, name: name, version: file.version,
                previous: index > 0 ? files[index - 1].identities : nil)
        }
        return zip(files, translations).map { file, translation in
            // What will hurt can only be put right in the version that has not shipped.
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
                .foreignFile, "A model within a version is no part of it and is ignored",
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
                "The version is in the binary form of Xcode 3 and is left out: stores of it "
                    + "cannot be migrated", folder, notes: [note])
        } else if isCurrent {
            report(.bundleLayout, "The version has no file 'contents'", folder)
        } else {
            report(
                .skippedVersion,
                "The version has no file 'contents' and is left out: stores of it cannot be "
                    + "migrated", folder)
        }
    }
}
