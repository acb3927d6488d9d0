import Synchronization

/// The connections for reading that nobody is using at the moment.
final class IdleReaders: Sendable {
    private static let maximum = 4

    private struct Readers {
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

    /// Takes one back; more than a few are let go of.
    func giveBack(_ reader: LockedConnection) {
        readers.withLock { readers in
            if readers.idle.count < Self.maximum, !readers.isClosed { readers.idle.append(reader) }
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
