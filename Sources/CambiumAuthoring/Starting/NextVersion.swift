import CambiumCompiler
import Foundation

/// The version after the current one of a bundle: a copy without the declarations about the
/// previous version.
package struct NextVersion: Sendable {
    /// The reason that there is no next version, in a sentence without its full stop.
    package struct Failure: Error, Sendable {
        /// The problem and how to fix it.
        package let message: String
    }

    /// The name of the version that is copied.
    package let current: String
    /// Whether the lock has the version that is copied.
    package let isCurrentFrozen: Bool
    /// The name of the new version.
    package let name: String
    /// The files to write: new files, and in a bundle of Xcode the file that names the current
    /// version. The first is the new version's own.
    package let files: [(path: String, bytes: [UInt8])]
    /// The remaining corrections to make by hand, in sentences.
    package let remarks: [String]

    /// Reads a bundle and copies its current version.
    ///
    /// - Parameter path: The bundle's folder.
    /// - Throws: If there is no current version that can be read, or if there already is a version
    ///   after it.
    package init(of path: String) throws(Failure) {
        let (bundle, diagnostics) = BundleReader.read(path)
        if let error = diagnostics.first(where: \.isError) {
            throw Failure(message: "\(error.position): \(error.message)")
        }
        guard let current = bundle.chain.last, let last = bundle.versions.last else {
            throw Failure(message: "\(path) has no version to copy")
        }
        guard current.version == last.version else {
            throw Failure(
                message:
                    "There is a version after the current one already: '\(last.version)'. Change "
                    + "that one, or remove it")
        }
        let name = Self.name(after: current.version, isOnly: bundle.versions.count == 1)
        self.current = current.version
        isCurrentFrozen = ModelCompiler.frozenVersions(of: bundle).contains(current.version)
        self.name = name
        var remarks: [String] = []
        if !bundle.settings.versions.isEmpty {
            remarks.append("Add \"\(name)\" to the versions in the settings of the bundle.")
        }
        if bundle.settings.current != nil {
            remarks.append("Make \"\(name)\" the current version in the settings of the bundle.")
        }
        self.remarks = remarks
        switch current.format {
        case .cambium:
            let text = try VersionText(current.source).next(named: name)
            files = [("\(bundle.path)/\(name).xml", text)]
        case .xcode:
            guard bundle.path.hasSuffix(".xcdatamodeld") else {
                throw Failure(
                    message: "\(path) is one version alone. Put it into a folder Name.xcdatamodeld")
            }
            files =
                try Self.copies(of: current.version, as: name, in: bundle.path) + [
                    (
                        "\(bundle.path)/\(XcodeBundle.currentVersionFile)",
                        Array(XcodeBundle.currentVersion(name).utf8)
                    )
                ]
        }
    }

    /// The next name: the last number in it is incremented. If the bundle of Xcode has only one
    /// version, its name is that of the model, and digits in it are not a version number.
    static func name(after name: String, isOnly: Bool) -> String {
        let digits = name.reversed().prefix { ("0"..."9").contains($0) }.count
        let start = name.dropLast(digits)
        let isCount = start.isEmpty || !isOnly || start.last.map { " .-_".contains($0) } ?? true
        guard digits > 0, isCount, let number = Int(name.suffix(digits)) else { return "\(name) 2" }
        return "\(start)\(number + 1)"
    }

    private static func copies(
        of version: String, as name: String, in bundle: String
    ) throws(Failure) -> [(path: String, bytes: [UInt8])] {
        let (old, new) = ("\(bundle)/\(version).xcdatamodel", "\(bundle)/\(name).xcdatamodel")
        do {
            let names = try FileManager.default.contentsOfDirectory(atPath: old).sorted()
            let own = names.filter { !$0.hasPrefix(".") && !$0.hasPrefix("contents") }
            return try (["contents"] + own).map { file in
                let data = try Data(contentsOf: URL(fileURLWithPath: "\(old)/\(file)"))
                return ("\(new)/\(file)", [UInt8](data))
            }
        } catch {
            throw Failure(message: "\(old) cannot be copied: \(error.localizedDescription)")
        }
    }
}

/// The text of a version. Parts of it are cut, and everything else stays as it is: comments,
/// spaces, the order of attributes.
private struct VersionText {
    private let bytes: [UInt8]
    private let elements: [ScannedElement]
    private let comments: [ScannedComment]

    init(_ source: SourceText) throws(NextVersion.Failure) {
        var scanner = TagScanner(source)
        guard case .complete = scanner.scan() else {
            throw NextVersion.Failure(message: "\(source.path) is not well-formed")
        }
        (bytes, elements, comments) = (source.bytes, scanner.elements, scanner.comments)
    }

    /// The text of the next version: without migrations, former names and suppressed findings about
    /// the step to it.
    func next(named name: String) -> [UInt8] {
        var cuts: [(range: Range<Int>, text: [UInt8])] = []
        var end = 0
        for (index, element) in elements.enumerated() where element.name.lowerBound >= end {
            if isAboutStep(element) {
                cuts.append((line(of: element.name.lowerBound - 1..<element.end), []))
                end = element.end
                continue
            }
            for attribute in element.attributes {
                switch text(attribute.name) {
                case "version" where index == 0:
                    cuts.append((attribute.value, Array(XMLText.attribute(name).utf8)))
                case "renamedFrom":
                    cuts.append((withSpaceBefore(attribute), []))
                default: break
                }
            }
        }
        var result: [UInt8] = []
        var start = 0
        for (range, text) in cuts {
            result += bytes[start..<range.lowerBound] + text
            start = range.upperBound
        }
        return result + bytes[start...]
    }

    private func isAboutStep(_ element: ScannedElement) -> Bool {
        switch text(element.name) {
        case "migration": return true
        case "suppress":
            let code = element.attributes.first { text($0.name) == "code" }
            return code.flatMap { DiagnosticCode(named: text($0.value)) }?.subject == .step
        default: return false
        }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }

    /// The complete line or lines, if there is nothing else on them.
    private func line(of range: Range<Int>) -> Range<Int> {
        var start = range.lowerBound
        while start > 0,
            bytes[start - 1] == UInt8(ascii: " ") || bytes[start - 1] == UInt8(ascii: "\t")
        {
            start -= 1
        }
        var end = range.upperBound
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n"), Self.isSpace(bytes[end]) {
            end += 1
        }
        let isAlone =
            (start == 0 || bytes[start - 1] == UInt8(ascii: "\n"))
            && (end == bytes.count || bytes[end] == UInt8(ascii: "\n"))
        return isAlone ? start..<min(end + 1, bytes.count) : range
    }

    /// An attribute with the quote that ends it and the space that keeps it from the one before.
    private func withSpaceBefore(_ attribute: ScannedAttribute) -> Range<Int> {
        var start = attribute.name.lowerBound
        while start > 0, Self.isSpace(bytes[start - 1]) { start -= 1 }
        return start..<attribute.value.upperBound + 1
    }
}
