import Cambium
import ShopModel

/// An object leaves a background context through a continuation.
func resume(
    _ continuation: CheckedContinuation<Bool, any Error>, id: ObjectID,
    in background: BackgroundContext
) async throws {
    try await background.perform { context in
        continuation.resume(returning: try context.existingObject(with: id).isFault)
    }
}

#if MISTAKE
    func resume(
        _ continuation: CheckedContinuation<ManagedObject, any Error>, id: ObjectID,
        in background: BackgroundContext
    ) async throws {
        try await background.perform { context in
            continuation.resume(returning: try context.existingObject(with: id))  // error: sending
        }
    }
#endif
