import CambiumModel
import Foundation

/// Where the model declares what the emitted code is about.
package struct SourceLines: Sendable {
    /// A line of a model's file, as the Swift compiler names it in errors.
    struct Place {
        let path: String
        let line: Int
    }

    /// The folder of the bundle, such as `Shop.cambium`; empty where it is not known.
    let bundle: String
    /// The file as doc comments name it: `Shop.cambium/3.xml`.
    private let file: String
    /// The file as the Swift compiler finds it.
    private let path: String
    /// The lines, by the name of an entity or another type.
    private let lines: [String: Lines]

    /// The lines of a type and of what is in it.
    struct Lines {
        let line: Int
        var properties: [String: Int] = [:]
    }

    /// No lines: the emitted code then names none.
    package init() {
        bundle = ""
        file = ""
        path = ""
        lines = [:]
    }

    /// Lines that are known already.
    init(bundle: String, file: String, lines: [String: Lines]) {
        self.bundle = bundle
        self.file = file
        path = file
        self.lines = lines
    }

    /// The lines of a version.
    ///
    /// - Parameters:
    ///   - version: The version.
    ///   - folder: The folder that the compiler's messages are relative to; nil for that of the
    ///     package. Paths outside of it start with the bundle's name.
    package init(of version: CheckedModel, relativeTo folder: String? = nil) {
        let given = version.position(ofEntity: nil).path
        let parts = given.split(separator: "/").map(String.init)
        let start =
            parts.lastIndex { $0.hasSuffix(".cambium") || $0.hasSuffix(".xcdatamodeld") }
            ?? max(0, parts.count - 1)
        let file = parts[start...].joined(separator: "/")
        bundle = parts.isEmpty ? "" : parts[start]
        self.file = file
        let absolute = URL(fileURLWithPath: given).standardizedFileURL
        let base =
            folder.map { URL(fileURLWithPath: $0).standardizedFileURL }
            ?? Self.package(of: absolute)
        let prefix = base.map { $0.path + "/" }
        path =
            prefix.flatMap { prefix in
                absolute.path.hasPrefix(prefix)
                    ? String(absolute.path.dropFirst(prefix.count)) : nil
            } ?? file

        var lines: [String: Lines] = [:]
        for element in version.parsed.root.children {
            guard let name = element["name"]?.value else { continue }
            var found = Lines(
                line: version.parsed.position(at: element.offset).line,
                properties: lines[name]?.properties ?? [:])
            for child in element.children {
                guard let property = child["name"]?.value, found.properties[property] == nil else {
                    continue
                }
                found.properties[property] = version.parsed.position(at: child.offset).line
            }
            lines[name] = found
        }
        self.lines = lines
    }

    /// The folder of the package that a file is in: the nearest one above it with a Package.swift.
    ///
    /// SwiftPM runs the Swift compiler in the root package's folder, whatever the folder that
    /// `swift build` was called in, and the compiler prints the paths of `#sourceLocation` as they
    /// stand. So a path from there is one that a terminal or an editor with the package open can
    /// follow: `Sources/App/Shop.cambium/3.xml:9:20: error: …`. An absolute path could be followed
    /// too, but then the output would differ from machine to machine, and so would whatever is
    /// cached by it; and so it would if the path depended on where the tool is called. In a
    /// package that another depends on, paths are from that package's own folder.
    private static func package(of file: URL) -> URL? {
        var folder = file.deletingLastPathComponent()
        while folder.path != "/" {
            let manifest = folder.appendingPathComponent("Package.swift").path
            if FileManager.default.fileExists(atPath: manifest) { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// What a doc comment says about the place, with a space before it, or nothing.
    func note(_ owner: String, _ property: String? = nil) -> String {
        line(owner, property).map { " Declared in `\(file):\($0)`." } ?? ""
    }

    /// The place, where it is known.
    func place(_ owner: String, _ property: String? = nil) -> Place? {
        line(owner, property).map { Place(path: path, line: $0) }
    }

    /// The line of a property; of a part of a composite value, that of the composite attribute.
    private func line(_ owner: String, _ property: String?) -> Int? {
        guard let property else { return lines[owner]?.line }
        let properties = lines[owner]?.properties
        return properties?[property]
            ?? property.firstIndex(of: ".").flatMap { properties?[String(property[..<$0])] }
    }
}
