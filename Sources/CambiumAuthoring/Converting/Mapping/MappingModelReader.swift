import CambiumCompiler
import Foundation

/// Converts an Xcode mapping model (`xcmapping.xml`) into a draft of a `<migration>`.
package enum MappingModelReader {
    /// Converts a mapping model into a `<migration>`.
    ///
    /// It has renames, fills and drops for the parts that the mapping defines. If the mapping calls
    /// code, it has a comment and a step, and the code has to be written again. A comment at its
    /// end lists the remaining problems that the compiler will report.
    ///
    /// - Parameters:
    ///   - source: The text of `xcmapping.xml`.
    ///   - versions: The versions before and after the mapping. Without the models, two things are
    ///     unknown: the entity that declares a property, and the properties that are dropped
    ///     because no mapping includes them.
    /// - Throws: The problem with the file.
    package static func migration(
        from source: SourceText, between versions: MappedVersions? = nil
    ) throws(Diagnostic) -> String {
        let mapping = try MappingModel(withoutEmbeddedModels(source))
        let draft = MappingTranslator.draft(of: mapping, between: versions)
        return draft.text(from: versions?.old.model.version ?? mapping.oldVersion ?? "")
    }

    /// Reads `X.xcmappingmodel`, or the file in it.
    ///
    /// - Throws: The problem with the file, or the error of reading it.
    package static func migration(
        at path: String, between versions: MappedVersions? = nil
    ) throws(Diagnostic) -> String {
        let isFolder = path.hasSuffix(".xcmappingmodel") || path.hasSuffix(".xcmappingmodel/")
        let file = isFolder ? path + (path.hasSuffix("/") ? "" : "/") + "xcmapping.xml" : path
        guard let data = FileManager.default.contents(atPath: file) else {
            throw Diagnostic(
                .bundleLayout, "The file cannot be read",
                at: SourcePosition(path: file, line: 1, column: 1))
        }
        return try migration(
            from: SourceText(path: file, bytes: [UInt8](data)), between: versions)
    }

    /// Returns the text without the document type, because the XML reader rejects it for security.
    /// It also removes the copies of both models, because they can exceed the maximum size of a
    /// text. Line numbers stay the same.
    private static func withoutEmbeddedModels(_ source: SourceText) -> SourceText {
        let (open, close) = (UInt8(ascii: "<"), UInt8(ascii: ">"))
        let documentType = Array("<!DOCTYPE".utf8)
        let models = ["source", "destination"].map {
            Array("<attribute name=\"\($0)modeldata\"".utf8)
        }
        var bytes: [UInt8] = []
        var rest = source.bytes[...]
        while let start = rest.firstIndex(of: open) {
            bytes += rest[..<start]
            rest = rest[start...]
            let end = rest.firstIndex(of: close) ?? rest.endIndex - 1
            if !rest.starts(with: documentType) { bytes += rest[...end] }
            let isModel = models.contains { rest.starts(with: $0) }
            rest = rest[(end + 1)...]
            if isModel {
                let data = rest[..<(rest.firstIndex(of: open) ?? rest.endIndex)]
                let first = source.position(at: data.startIndex).line
                let last = source.position(at: data.endIndex).line
                bytes += Array(repeating: UInt8(ascii: "\n"), count: last - first)
                rest = rest[data.endIndex...]
            }
        }
        bytes += rest
        return SourceText(path: source.path, bytes: bytes)
    }
}
