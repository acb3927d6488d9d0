import Foundation

/// What is declared about the steps between the versions of a bundle in a file of its own, because
/// the bundle's files cannot be edited: `Shop.history.xml` beside `Shop.xcdatamodeld`.
package struct ParsedHistory: Sendable {
    /// The file.
    package let source: SourceText
    /// Its outermost element, `<history>`.
    package let root: ParsedElement

    /// Holds what was read.
    package init(source: SourceText, root: ParsedElement) {
        self.source = source
        self.root = root
    }

    /// What is declared about the step to a version; several where it is declared twice.
    func migrations(to version: String) -> [ParsedElement] {
        root.children(named: "migration").filter { $0["to"]?.value == version }
    }

    /// The path of the file that belongs to a bundle.
    package static func path(beside bundle: String) -> String {
        var bundle = bundle
        while bundle.count > 1, bundle.hasSuffix("/") { bundle.removeLast() }
        let folder = URL(fileURLWithPath: bundle)
        let name = folder.deletingPathExtension().lastPathComponent + ".history.xml"
        let slash = bundle.lastIndex(of: "/")
        return (slash.map { String(bundle[...$0]) } ?? "") + name
    }
}

extension BundleReader {
    /// Reads the file of declarations; one that is named has to be there.
    mutating func readHistory(named name: String?) {
        let file = name ?? ParsedHistory.path(beside: path)
        guard FileManager.default.fileExists(atPath: file) else {
            if name != nil {
                report(.bundleLayout, "There is no file of declarations of that name", file)
            }
            return
        }
        guard let data = readData(file) else { return }
        let source = SourceText(path: file, bytes: [UInt8](data))
        history = readXML(source).map { ParsedHistory(source: source, root: $0) }
    }
}

extension ParsedModel {
    /// The version with what another file declares about the step to it, added to what its own file
    /// says.
    ///
    /// - Parameter migration: A `<migration>` of the other file.
    func declaring(_ migration: ParsedElement, in file: SourceText) -> ParsedModel {
        var added = migration.moved(by: source.bytes.count + 1)
        added.attributes.removeAll { $0.name == "to" }
        for index in added.children.indices {
            added.children[index].attributes.removeAll { $0.name == "class" }
        }
        var root = root
        if let index = root.children.firstIndex(where: { $0.name == "migration" }) {
            root.children[index].children += added.children
        } else {
            root.children.append(added)
        }
        return ParsedModel(
            source: source.followed(by: file), version: version, root: root, format: format)
    }
}

extension ParsedElement {
    /// The element with all places moved on by a number of bytes; without comments, which only
    /// its own file has.
    fileprivate func moved(by distance: Int) -> ParsedElement {
        var element = ParsedElement(
            name: name, namespace: namespace, offset: offset + distance,
            attributes: attributes.map { attribute in
                ParsedAttribute(
                    name: attribute.name, offset: attribute.offset + distance,
                    text: attribute.text.moved(by: distance))
            })
        element.children = children.map { $0.moved(by: distance) }
        element.text = text.moved(by: distance)
        return element
    }
}

extension ParsedText {
    fileprivate func moved(by distance: Int) -> ParsedText {
        ParsedText(
            value: value,
            pieces: pieces.map { piece in
                ScannedText(
                    range: (piece.range.lowerBound + distance)..<(piece.range.upperBound + distance),
                    isVerbatim: piece.isVerbatim)
            })
    }
}
