import Foundation

/// A folder that is gone with the value.
final class ScratchFolder {
    let path: String

    init() throws(ToolError) {
        path =
            FileManager.default.temporaryDirectory
            .appendingPathComponent("cambium-\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            throw .file("\(path) cannot be made: \(Files.reason(for: error))")
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
