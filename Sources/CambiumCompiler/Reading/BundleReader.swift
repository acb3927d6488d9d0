import CambiumModel
import Foundation

/// Finds and reads the versions of a bundle: a folder `Shop.cambium` of `1.xml`, `2.xml` …
package struct BundleReader {
    /// What has been found so far.
    private var diagnostics: [Diagnostic] = []

    /// Reads a bundle. Versions that cannot be read are missing from the result and named in the
    /// diagnostics.
    package static func read(_ path: String) -> (bundle: ParsedBundle, diagnostics: [Diagnostic]) {
        var reader = BundleReader()
        var path = path
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        let versions = reader.readVersions(of: path)
        let folder = URL(fileURLWithPath: path)
        let bundle = ParsedBundle(
            name: folder.deletingPathExtension().lastPathComponent, path: path, versions: versions)
        return (bundle, reader.diagnostics)
    }

    private mutating func readVersions(of path: String) -> [ParsedModel] {
        if path.hasSuffix(".xcdatamodeld") {
            report(.notSupportedYet, "Models of Xcode are not supported yet", path)
            return []
        }
        guard path.hasSuffix(".cambium") else {
            report(.bundleLayout, "A model is a folder whose name ends in .cambium", path)
            return []
        }
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            report(.bundleLayout, "There is no folder of that name that can be read", path)
            return []
        }
        let files = names.filter { $0.hasSuffix(".xml") && !$0.hasPrefix(".") }
        for name in names.sorted() where !name.hasSuffix(".xml") && !name.hasPrefix(".") {
            report(
                .foreignFile, "This is no version of the model and is ignored", path + "/" + name)
        }
        if files.isEmpty {
            report(
                .bundleLayout, "The model has no version", path,
                notes: ["Write the first version into \(path)/1.xml"])
        }
        return files.sorted(by: VersionOrder.precedes).compactMap { readVersion($0, in: path) }
    }

    private mutating func readVersion(_ name: String, in bundle: String) -> ParsedModel? {
        let path = bundle + "/" + name
        guard let file = regularFile(path, in: bundle) else { return nil }
        // The size is looked at first, so that a file of gigabytes is not brought into memory.
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        if let size = attributes?[.size] as? Int, size > ReadingLimits.fileSize {
            report(.limitExceeded, "A model file may not have more than 4 MiB", path)
            return nil
        }
        guard let data = try? Data(contentsOf: file) else {
            report(.bundleLayout, "The file cannot be read", path)
            return nil
        }
        let source = SourceText(path: path, bytes: [UInt8](data))
        do throws(Diagnostic) {
            let root = try XMLReader.read(source)
            return ParsedModel(source: source, version: String(name.dropLast(4)), root: root)
        } catch {
            diagnostics.append(error)
            return nil
        }
    }

    /// The file itself, where it is one and lies in the bundle.
    private mutating func regularFile(_ path: String, in bundle: String) -> URL? {
        let folder = URL(fileURLWithPath: bundle).resolvingSymlinksInPath()
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

    private mutating func report(
        _ code: DiagnosticCode, _ message: String, _ path: String, notes: [String] = []
    ) {
        let position = SourcePosition(path: path, line: 1, column: 1)
        diagnostics.append(Diagnostic(code, message, at: position, notes: notes))
    }
}

/// The versions of a model that could be read.
package struct ParsedBundle: Sendable {
    /// The folder's name without `.cambium`.
    package let name: String
    /// The folder as it was given.
    package let path: String
    /// The versions, oldest first.
    package let versions: [ParsedModel]
}

/// The order of versions: names compare by their runs of digits as numbers, so 10 follows 9.
package enum VersionOrder {
    /// Whether one name comes before another.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        let (first, second) = (parts(left), parts(right))
        for (one, other) in zip(first, second) where one != other {
            return isLess(one, other)
        }
        return (first.count, left) < (second.count, right)
    }

    private static func isLess(_ left: Substring, _ right: Substring) -> Bool {
        guard left.first?.isASCIIDigit == true, right.first?.isASCIIDigit == true else {
            return left < right
        }
        // Without leading zeros a longer number is a greater one, however many digits it has.
        let (one, other) = (left.drop { $0 == "0" }, right.drop { $0 == "0" })
        return (one.count, one, left.count) < (other.count, other, right.count)
    }

    private static func parts(_ name: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = name[...]
        while let first = rest.first {
            let part = rest.prefix { $0.isASCIIDigit == first.isASCIIDigit }
            parts.append(part)
            rest = rest.dropFirst(part.count)
        }
        return parts
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
