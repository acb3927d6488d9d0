import CambiumAdoption
import Foundation

/// The file of old and new keys: a line for each object, with tabs between its parts.
final class IdentityFile {
    private let path: String
    private let file: FileHandle
    private var text = "entity\told\tnewEntity\tnew\n"

    private static let bufferSize = 1 << 16

    init(_ path: String) throws(ToolError) {
        self.path = path
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let file = FileHandle(forWritingAtPath: path)
        else { throw .file("\(path) cannot be written.") }
        self.file = file
    }

    func write(_ identity: Adoption.Identity) throws {
        text += "\(identity.oldEntity)\t\(identity.oldKey)\t\(identity.newEntity ?? "")\t"
        text += identity.newKey.map { "\($0)\n" } ?? "\n"
        if text.utf8.count > Self.bufferSize { try flush() }
    }

    func close() throws {
        try flush()
        try file.close()
    }

    private func flush() throws {
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            throw ToolError.file("\(path) cannot be written: \(Files.reason(for: error))")
        }
        text = ""
    }
}
