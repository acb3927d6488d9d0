#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What cannot be done with a file, and why.
package struct FileError: Error, Sendable, CustomStringConvertible {
    /// The file, or what errors call it.
    package let path: String
    /// Why, without a full stop.
    package let reason: String
    /// The system's number for the reason; nil where the file itself is not as it must be.
    package let code: Int32?
    private let deed: String

    /// What the system has just refused.
    ///
    /// - Parameter deed: What was to be done, such as `opened`.
    init(refused path: String, _ deed: String) {
        self.init(path, deed, code: errno)
    }

    init(_ path: String, _ deed: String, code: Int32) {
        (self.path, self.deed, self.code) = (path, deed, code)
        reason = Self.text(ofCode: code)
    }

    init(_ path: String, _ deed: String, because reason: String) {
        (self.path, self.deed, self.reason, code) = (path, deed, reason, nil)
    }

    /// Whether there is no such file; a folder of its name is none.
    package var isMissing: Bool { code == ENOENT || code == ENOTDIR || code == EISDIR }

    /// Whether there is something of that name already.
    var isOfExisting: Bool { code == EEXIST }

    /// The words of the system for one of its numbers.
    package static func text(ofCode code: Int32) -> String {
        // Safety: the system writes no more than there is room for, with a NUL at the end.
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress, strerror_r(code, start, buffer.count) == 0
            else { return "error \(code) of the system" }
            return String(cString: start)
        }
    }

    /// What happened.
    package var description: String { "\(path) cannot be \(deed): \(reason)." }
}

/// Calls the system until it answers: a signal that the program handles ends a call which waits, and
/// then the call has done nothing. `close` is none of these calls, as the number of the file is free
/// then all the same, and may be another file's.
package func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result != -1 || errno != EINTR { return result }
    }
}
