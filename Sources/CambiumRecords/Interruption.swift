import Synchronization

/// A wish that a request end early, which any thread may have.
package final class Interruption: Sendable {
    private let isWished = Atomic(false)
    private let followsTask: Bool

    package init() { followsTask = false }

    private init(followsTask: Bool) { self.followsTask = followsTask }

    /// The wish of whoever cancels the task that the request runs in.
    package static let ofTask = Interruption(followsTask: true)

    /// Whether somebody has asked for the end.
    package var isRequested: Bool {
        isWished.load(ordering: .relaxed) || (followsTask && Task.isCancelled)
    }

    /// Asks for the end.
    package func request() {
        isWished.store(true, ordering: .relaxed)
    }
}
