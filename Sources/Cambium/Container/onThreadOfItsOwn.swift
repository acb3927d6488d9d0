import CambiumSQLite
import Dispatch

/// Runs a body that waits for disks and locks where nobody else has to wait for it: the threads
/// that tasks run on are as few as the processors.
///
/// - Parameter body: Given what is asked to end it when the task is cancelled.
func onThreadOfItsOwn<Result: Sendable, Failure: Error>(
    _ body: @escaping @Sendable (Interruption) throws(Failure) -> Result
) async throws(Failure) -> Result {
    let interruption = Interruption()
    let outcome: Swift.Result<Result, Failure> = await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "cambium.opening", qos: .userInitiated).async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try body(interruption)))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
    } onCancel: {
        interruption.request()
    }
    return try outcome.get()
}
