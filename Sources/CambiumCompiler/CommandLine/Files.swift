import CambiumMigration
import Foundation

/// Reading and writing files, with errors that say which and why.
package enum Files {
    /// Writes a file and the folders that it needs.
    ///
    /// One whose contents would not change is left alone and keeps its date, so that nothing that
    /// is made from it is made again.
    package static func write(_ text: String, to path: String) throws(ToolError) {
        let file = URL(fileURLWithPath: path)
        let data = Data(text.utf8)
        if (try? Data(contentsOf: file)) == data { return }
        try attempt("\(path) cannot be written") {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try data.write(to: file, options: .atomic)
        }
    }

    /// Does something with a file.
    ///
    /// - Parameter failure: What to say, before the reason, where it fails.
    package static func attempt<Result>(
        _ failure: String, _ work: () throws -> Result
    ) throws(ToolError) -> Result {
        do {
            return try work()
        } catch {
            throw .file("\(failure): \(reason(for: error))")
        }
    }

    /// Why a file cannot be read or written, and what to do where leave to write is missing: the
    /// sandbox that plugins run in on macOS refuses in no other way.
    package static func reason(for error: any Error) -> String {
        if let error = error as? FileError { return error.reason }
        let codes: [CocoaError.Code] = [.fileWriteNoPermission, .fileWriteVolumeReadOnly]
        guard let code = (error as? CocoaError)?.code, codes.contains(code) else {
            return error.localizedDescription
        }
        return error.localizedDescription + "\nIn a package plugin, writing may need: "
            + "swift package --allow-writing-to-package-directory …"
    }

    /// Whether there is anything at a path.
    package static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: path)
    }

    /// A model that is not there is a file that cannot be read, not a model with errors.
    package static func requireModel(_ path: String) throws(ToolError) {
        guard !exists(path) else { return }
        throw .file("There is no folder \(path).")
    }
}
