import Foundation

/// Reads what is written to the standard error meanwhile.
enum StandardErrorCapture {
    /// The process has one standard error: a second capture at the same time would take it from the
    /// first.
    private static let lock = NSLock()

    /// What a body, and whoever runs beside it, writes to the standard error. It is written there
    /// again afterwards, as lines of others may be among it.
    static func text(_ body: () throws -> Void) throws -> String {
        lock.lock()
        defer { lock.unlock() }
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        let own = dup(STDERR_FILENO)
        dup2(handle.fileDescriptor, STDERR_FILENO)
        let result = Result { try body() }
        dup2(own, STDERR_FILENO)
        close(own)
        try handle.close()
        let data = try Data(contentsOf: file)
        try FileHandle.standardError.write(contentsOf: data)
        try result.get()
        return String(decoding: data, as: UTF8.self)
    }
}
