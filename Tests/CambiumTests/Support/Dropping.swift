@testable import Cambium

extension ManagedObjectContext {
    /// Lets go of the clean objects that nobody holds, as a context does by itself when many have
    /// come.
    func dropUnheldObjects() {
        // One that was read ahead is spared once.
        for _ in 0..<2 {
            registry.sweptCount = 0
            sweepIfGrown()
        }
    }
}
