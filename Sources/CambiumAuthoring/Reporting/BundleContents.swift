import CambiumCompiler
import CambiumModel
import Foundation

/// The bytes of all files that are read when a bundle is compiled.
package struct BundleContents: Sendable {
    /// A hash of the names and contents of all files.
    let digest: String
    /// The number of bytes.
    package let size: Int

    /// Reads the bundle, and the settings and declarations beside it.
    ///
    /// - Parameter declarations: The file of declarations, if it is not beside the bundle.
    /// - Returns: nil if a hash would be incomplete: a file is a link, cannot be read, or is larger
    ///   than a model may be.
    package init?(of path: String, declarations: String? = nil) {
        let bundle = URL(fileURLWithPath: path, isDirectory: true)
        let (settings, history) = Self.companions(of: path)
        let companions = (settings + [declarations ?? history]).map { URL(fileURLWithPath: $0) }
        let manager = FileManager.default
        let root = bundle.resolvingSymlinksInPath()
        guard let names = try? manager.subpathsOfDirectory(atPath: root.path),
            names.count <= Self.fileLimit
        else { return nil }
        var reader = Reader()
        for name in names.sorted() {
            guard reader.read(root.appendingPathComponent(name), as: name) else { return nil }
        }
        for file in companions where manager.fileExists(atPath: file.path) {
            let name = "../" + file.lastPathComponent
            guard reader.read(file.resolvingSymlinksInPath(), as: name) else { return nil }
        }
        digest = SHA256.hexadecimal(of: reader.text)
        size = reader.size
    }

    /// The existing companion files beside a bundle: the paths of the settings, and of the
    /// declarations about its history.
    package static func companions(of path: String) -> (settings: [String], history: String) {
        let history = ParsedHistory.path(beside: path)
        let folder = history.lastIndex(of: "/").map { String(history[...$0]) } ?? ""
        let name = URL(fileURLWithPath: path).lastPathComponent
        return (["\(folder)cambium.json", "\(folder)\(name).json"], history)
    }

    private static let fileLimit = 10_000

    private struct Reader {
        var text = ""
        var size = 0

        /// Reads a file or a folder. Returns whether it is a folder, or a file that could be read.
        mutating func read(_ file: URL, as name: String) -> Bool {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: file.path),
                let type = attributes[.type] as? FileAttributeType
            else { return false }
            text += "\(name.utf8.count):\(name)"
            if type == .typeDirectory {
                text += "/"
                return true
            }
            guard type == .typeRegular, let count = attributes[.size] as? Int,
                count <= ReadingLimits.fileSize, let data = try? Data(contentsOf: file)
            else { return false }
            size += data.count
            text += "=" + SHA256.hexadecimal(ofBytes: [UInt8](data))
            return true
        }
    }
}
