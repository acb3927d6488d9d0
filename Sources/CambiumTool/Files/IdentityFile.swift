import CambiumCoreDataStore
import CambiumCompiler
import Foundation

/// The file of old and new keys: a line for each object, with tabs between its parts.
final class IdentityFile {
    private let file: ResultFile
    private var text = "entity\told\tnewEntity\tnew\n"

    private static let bufferSize = 1 << 16

    /// - Parameter store: Users without permission to read this store get none to read the file.
    init(_ path: String, of store: String) throws(ToolError) {
        file = try ResultFile(path, of: store)
    }

    func write(_ identity: ImportedKey) throws(ToolError) {
        text += "\(identity.oldEntity)\t\(identity.oldKey)\t\(identity.newEntity ?? "")\t"
        text += identity.newKey.map { "\($0)\n" } ?? "\n"
        if text.utf8.count > Self.bufferSize { try flush() }
    }

    /// Gives the file its name.
    func finish() throws(ToolError) {
        try flush()
        try file.finish()
    }

    private func flush() throws(ToolError) {
        try file.write(Data(text.utf8))
        text = ""
    }
}
