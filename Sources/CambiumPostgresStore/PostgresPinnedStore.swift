import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// A former state of a store.
final class PostgresPinnedStore: PostgresHeldReading {
    private let engine: PostgresEngine
    private let pin: PostgresPin

    init(_ engine: PostgresEngine, _ pin: PostgresPin) {
        self.engine = engine
        self.pin = pin
    }

    var layout: PostgresLayout { engine.layout }

    deinit {
        engine.unpin(pin)
    }

    func withReader<Result>(_ body: (PostgresConnection) throws -> Result) throws -> Result {
        try engine.explaining { try pin.reading(body) }
    }
}

extension PostgresEngine {
    var keepsGenerations: Bool { true }

    func pin() throws -> any SharedStore { try pin(for: options.queryGenerationLifetime) }

    /// The store as it is now.
    ///
    /// - Parameter lifetime: The time for which it can be read.
    func pin(for lifetime: Duration) throws -> PostgresPinnedStore {
        let pin = try repeating { try PostgresPin(pool, lifetime: lifetime) }
        pins.withLock { $0.append(pin) }
        return PostgresPinnedStore(self, pin)
    }

    func unpin(_ pin: PostgresPin) {
        pin.close()
        pins.withLock { pins in pins.removeAll { $0 === pin } }
    }
}
