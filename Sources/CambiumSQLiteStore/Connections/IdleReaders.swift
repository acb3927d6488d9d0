import CambiumEngine
import Synchronization

/// The connections for reading that nobody is using at the moment.
final class IdleReaders: Sendable {
    private static let maximum = 4

    private struct Readers {
        /// The one that was used last comes last, and is taken first: each has a cache of pages,
        /// which those that nobody needs do not fill.
        var idle: [LockedConnection] = []
        var isClosed = false
    }

    private let readers = Mutex(Readers())

    /// One of them, which the caller has for itself then; nil where there is none.
    ///
    /// - Throws: ``StoreError`` after they were closed.
    func take() throws -> LockedConnection? {
        try readers.withLock { readers in
            guard !readers.isClosed else { throw StoreError.closed }
            return readers.idle.popLast()
        }
    }

    /// The one that is missed least; nil where there is none, or after they were closed.
    ///
    /// - Parameter rest: How many must be left.
    func takeLeastUsed(leaving rest: Int) -> LockedConnection? {
        readers.withLock { $0.idle.count > rest ? $0.idle.removeFirst() : nil }
    }

    /// Takes one back; more than a few are let go of.
    ///
    /// - Parameter isLeastUsed: Whether it came from ``takeLeastUsed(leaving:)``.
    func giveBack(_ reader: LockedConnection, isLeastUsed: Bool = false) {
        readers.withLock { readers in
            guard readers.idle.count < Self.maximum, !readers.isClosed else { return }
            readers.idle.insert(reader, at: isLeastUsed ? 0 : readers.idle.count)
        }
    }

    /// Closes them; the others close when they are given back.
    func close() {
        readers.withLock { readers in
            readers.isClosed = true
            readers.idle = []
        }
    }
}
