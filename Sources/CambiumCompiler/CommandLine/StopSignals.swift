import Foundation
import Synchronization

/// The signals by which people and systems ask a program to end. A command that has files to take
/// away catches them meanwhile, and ends soon after.
package struct StopSignals: Sendable {
    private static let all = [SIGINT, SIGTERM, SIGHUP]

    /// The first signal that came; nil where none did.
    package var caught: Int32? {
        let number = numberOfCaught.load(ordering: .relaxed)
        return number == 0 ? nil : number
    }

    /// Catches them from now on. A second one ends the program at once.
    package func catchAll() {
        // Made here, as a handler must not be the first to ask for it.
        numberOfCaught.store(0, ordering: .relaxed)
        for name in Self.all {
            let before = signal(name) { number in
                numberOfCaught.store(number, ordering: .relaxed)
                signal(number, SIG_DFL)
            }
            // What the caller had the program ignore stays so.
            if Self.isIgnored(before) { signal(name, SIG_IGN) }
        }
    }

    /// Lets them do again what they did.
    package func letGo() {
        for name in Self.all {
            let before = signal(name, SIG_DFL)
            if Self.isIgnored(before) { signal(name, SIG_IGN) }
        }
    }

    /// Ends the program as the signal would have, so that who sent it sees that it did.
    package func endByCaught() {
        guard let caught else { return }
        signal(caught, SIG_DFL)
        kill(getpid(), caught)
    }

    private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        // Safety: both are addresses, which are compared and not called.
        unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

/// A handler has no context, and may do no more than write a number.
private let numberOfCaught = Atomic<Int32>(0)
