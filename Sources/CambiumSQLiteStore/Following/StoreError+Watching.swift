import CambiumEngine

extension StoreError {
    /// - Parameter reason: The system's number of the error.
    static func cannotWatch(_ paths: [String], _ reason: Int32) -> StoreError {
        StoreError(
            code: .invalidRequest,
            message: "\(paths.joined(separator: " and ")) cannot be watched for changes of other "
                + "processes (error \(reason) of the system).",
            remedy: "Open fewer stores with followsRemoteChanges, or raise the limit (on Linux, "
                + "fs.inotify.max_user_instances).")
    }

    static func cannotFollow(_ path: String) -> StoreError {
        StoreError(
            code: .invalidRequest,
            message: "\(path) is on a file system that is mounted for reading only, so it is read "
                + "as a file that does not change.",
            remedy: "Open it without followsRemoteChanges.")
    }
}
