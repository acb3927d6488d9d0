import Foundation
import Synchronization

/// A signal that asks the program to end: a command that has begun to write something ends it well,
/// and leaves nothing half done behind.
enum EndSignal {
    private static let received = Atomic<Int32>(0)

    /// Whether one has come.
    static var isReceived: Bool { received.load(ordering: .relaxed) != 0 }

    /// From now on signals are noted, and end nothing by themselves. A second one does.
    static func heed() {
        // What a handler touches has to be there.
        guard !isReceived else { return }
        for number in [SIGINT, SIGTERM] {
            signal(number) { number in
                EndSignal.received.store(number, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
        }
    }

    /// Ends the program as the signal would have, so that a shell sees it; returns where none came.
    static func endProgram() {
        let number = received.load(ordering: .relaxed)
        guard number != 0 else { return }
        signal(number, SIG_DFL)
        raise(number)
    }
}
