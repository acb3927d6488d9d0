import Synchronization

/// Lets tasks wait for a signal.
final class Waiter: Sendable {
    private struct State {
        var continuations: [CheckedContinuation<Void, Never>] = []
        var isSignalled = false
    }

    private let state = Mutex(State())

    /// Wakes all who wait; when nobody does, the next who would.
    func signal() {
        wake(isSignal: true)
    }

    /// Waits for a signal, or until the task is cancelled.
    func wait(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: isolation) { continuation in
                    let mustWait = state.withLock { state in
                        if state.isSignalled || Task.isCancelled {
                            state.isSignalled = false
                            return false
                        }
                        state.continuations.append(continuation)
                        return true
                    }
                    if !mustWait { continuation.resume() }
                }
            },
            // Wakes the others too: they look and wait again.
            onCancel: { wake(isSignal: false) }, isolation: isolation)
    }

    private func wake(isSignal: Bool) {
        let waiting = state.withLock { state in
            defer { state.continuations = [] }
            if isSignal { state.isSignalled = state.continuations.isEmpty }
            return state.continuations
        }
        for continuation in waiting { continuation.resume() }
    }
}
