import Cambium
import ShopModel

/// A background context is taken out of its actor.
func save(_ background: BackgroundContext) async throws {
    #if MISTAKE
        let context = try await background.perform { $0 }  // error: Sendable
        try context.save()
    #else
        try await background.perform { try $0.save() }
    #endif
}
