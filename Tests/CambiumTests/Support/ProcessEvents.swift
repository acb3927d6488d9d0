import Foundation
import Testing

/// Lets other processes know that something has happened, by a file beside the store at `path`.
func make(_ event: String, _ path: String) {
    _ = FileManager.default.createFile(atPath: "\(path).\(event)", contents: nil)
}

/// Waits until another process has let this one know. A sanitizer lets a process start only after
/// minutes, when many tests wait for a thread.
func wait(for event: String, _ path: String) {
    let end = ContinuousClock.now + .seconds(600)
    while !FileManager.default.fileExists(atPath: "\(path).\(event)") {
        guard ContinuousClock.now < end else {
            Issue.record("no other process has said '\(event)' in ten minutes")
            return
        }
        Thread.sleep(forTimeInterval: 0.002)
    }
}
