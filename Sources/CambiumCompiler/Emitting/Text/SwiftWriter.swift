import CambiumModel
import Foundation

/// Lines of Swift at the right indentation.
package struct SwiftWriter {
    /// The text so far; it ends with a line feed.
    private(set) var text = ""
    private var margin = ""
    private var indent = 0 {
        didSet { margin = SwiftCode.margin(indent) }
    }

    /// Whether nothing was written yet.
    var isEmpty: Bool { text.isEmpty }

    /// Writes a line; an empty one separates declarations.
    @inline(never)
    mutating func line(_ text: String = "") {
        if !text.isEmpty {
            self.text += margin
            self.text += text
        }
        self.text += "\n"
    }

    /// Writes a line of several texts without joining them first.
    @inline(never)
    mutating func line(_ start: String, _ parts: String...) {
        text += margin
        text += start
        for part in parts { text += part }
        text += "\n"
    }

    /// Reserves space for text, which otherwise is copied each time it grows.
    mutating func reserve(_ count: Int) {
        text.reserveCapacity(text.utf8.count + count)
    }

    /// Appends the text of another writer verbatim.
    mutating func append(_ other: SwiftWriter) {
        text += other.text
    }

    /// Writes code after `prefix` and before `suffix`.
    mutating func code(_ prefix: String, _ code: SwiftCode, _ suffix: String = "") {
        code.write(to: &text, indent: indent, prefix: prefix, suffix: suffix)
    }

    /// Writes a block in braces.
    mutating func block(_ header: String, _ body: (inout SwiftWriter) -> Void) {
        line(header, " {")
        indented(body)
        line("}")
    }

    /// Writes a block of one statement, on one line if it fits.
    mutating func block(_ header: String, statement: String) {
        let marks = " {  }"
        if indent + header.width + statement.width + marks.width <= SwiftCode.width {
            line(header, " { ", statement, " }")
        } else {
            block(header) { $0.line(statement) }
        }
    }

    /// Writes a block with statements that depend on whether they are the first.
    mutating func body(_ header: String, _ body: (inout SwiftWriter) -> Void) {
        var inside = inner
        body(&inside)
        line(header, inside.isEmpty ? " {}" : " {")
        end(inside)
    }

    /// A writer for the content of braces.
    private var inner: SwiftWriter {
        var inside = SwiftWriter()
        inside.indent = indent + 4
        return inside
    }

    /// Writes the content of braces, and the closing brace. If the content is empty, it writes no
    /// text.
    private mutating func end(_ inside: SwiftWriter) {
        guard !inside.isEmpty else { return }
        text += inside.text
        line("}")
    }

    /// Writes lines with one more level of indentation.
    mutating func indented(_ body: (inout SwiftWriter) -> Void) {
        indent += 4
        body(&self)
        indent -= 4
    }

    /// Writes code with a position in the model, for errors of the Swift compiler.
    @inline(never)
    mutating func located(at place: SourceLines.Place?, _ body: (inout SwiftWriter) -> Void) {
        guard let place else {
            body(&self)
            return
        }
        line("#sourceLocation(file: \(SwiftText.literal(place.path)), line: \(place.line))")
        body(&self)
        line("#sourceLocation()")
    }

    /// Writes a doc comment of one paragraph, wrapped. The text is escaped here.
    ///
    /// - Parameter hanging: The start of further lines.
    mutating func doc(_ text: String, hanging: String = "") {
        let comment = SwiftText.comment(text)
        let room = SwiftCode.width - indent - 4 - hanging.count
        if comment.utf8.count <= room, Self.isSpacedEvenly(comment) {
            line("/// ", comment)
            return
        }
        let words = comment.split(separator: " ")
        let lines = Self.filled(words.map(String.init), separator: " ", room: room)
        for (index, line) in lines.enumerated() {
            self.line("/// \(index == 0 ? "" : hanging)\(line)")
        }
    }

    /// Writes something for each element, after an empty line.
    mutating func each<Element>(
        _ elements: some Sequence<Element>, _ emit: (Element, inout SwiftWriter) -> Void
    ) {
        for element in elements {
            line()
            emit(element, &self)
        }
    }

    /// Leaves a line empty and writes the doc comment of the next declaration.
    mutating func nextDoc(_ text: String) {
        line()
        doc(text)
    }

    /// Writes a further paragraph of a doc comment, and a list below it; nothing for no items.
    mutating func docList(_ heading: String, _ items: [String]) {
        guard !items.isEmpty else { return }
        line("///")
        doc(heading)
        line("///")
        for item in items { doc("- " + item, hanging: "  ") }
    }

    /// Whether a text is words with one space between each two.
    private static func isSpacedEvenly(_ text: String) -> Bool {
        let space = UInt8(ascii: " ")
        var previous = space
        for byte in text.utf8 {
            if byte == space, previous == space { return false }
            previous = byte
        }
        return previous != space
    }

    /// Writes the declaration of a function with its parameters, and its body in braces.
    mutating func function(
        _ head: String, parameters: [String], result: String = "",
        _ body: (inout SwiftWriter) -> Void
    ) {
        var inside = inner
        body(&inside)
        function(head, parameters, result, inside)
    }

    @inline(never)
    private mutating func function(
        _ head: String, _ parameters: [String], _ result: String, _ inside: SwiftWriter
    ) {
        let end = inside.isEmpty ? "}" : ""
        let single = "\(head)(\(parameters.joined(separator: ", ")))\(result) {\(end)"
        if indent + single.width <= SwiftCode.width {
            line(single)
        } else {
            line("\(head)(")
            indented { writer in
                let room = SwiftCode.width - writer.indent
                for line in Self.filled(parameters, separator: ", ", room: room) {
                    writer.line(line)
                }
            }
            line(")\(result) {\(end)")
        }
        self.end(inside)
    }

    /// Puts as many parts on each line as fit.
    package static func filled(_ parts: [String], separator: String, room: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        var length = 0
        let mark = separator == " " ? "" : ","
        for (index, part) in parts.enumerated() {
            let part = index == parts.count - 1 ? part : part + mark
            let count = part.width
            if index > 0, length + 1 + count <= room {
                line += " "
                line += part
                length += 1 + count
            } else {
                if index > 0 { lines.append(line) }
                line = part
                length = count
            }
        }
        if !parts.isEmpty { lines.append(line) }
        return lines
    }
}

extension String {
    /// The number of characters in a line. For ASCII, which is the most frequent, scalars need not
    /// be combined.
    @inline(never)
    var width: Int {
        utf8.allSatisfy { $0 < 0x80 } ? utf8.count : count
    }
}

/// The positions in the model of the declarations behind the emitted code.
package struct SourceLines: Sendable {
    /// A line of a model's file, as the Swift compiler names it in errors.
    struct Place {
        let path: String
        let line: Int
    }

    /// The folder of the bundle, such as `Shop.cambium`; empty if it is unknown.
    let bundle: String
    /// The file as doc comments name it: `Shop.cambium/3.xml`.
    private let file: String
    /// The file as the Swift compiler finds it.
    private let path: String
    /// The lines, by the name of an entity or another type.
    private let lines: [String: Lines]

    /// The lines of a type and its properties.
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
    /// SwiftPM always runs the Swift compiler in the root package's folder, not in the working
    /// directory of `swift build`. The compiler prints the paths of `#sourceLocation` verbatim. A
    /// terminal, or an editor with the package open, can then follow a path from there:
    /// `Sources/App/Shop.cambium/3.xml:9:20: error: …`.
    ///
    /// With an absolute path, or one that depends on the working directory of the tool, the output
    /// and the caches would differ between machines. In a package that another depends on, paths
    /// are from that package's own folder.
    private static func package(of file: URL) -> URL? {
        var folder = file.deletingLastPathComponent()
        while folder.path != "/" {
            let manifest = folder.appendingPathComponent("Package.swift").path
            if FileManager.default.fileExists(atPath: manifest) { return folder }
            folder.deleteLastPathComponent()
        }
        return nil
    }

    /// The sentence of a doc comment about the position, with a space before it, or an empty
    /// string.
    func note(_ owner: String, _ property: String? = nil) -> String {
        line(owner, property).map { " Declared in `\(file):\($0)`." } ?? ""
    }

    /// The position, if known.
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
