import Testing

/// One behaviour of every engine.
package struct EngineCase: Sendable {
    package let name: String
    /// The capability that engines with this behaviour lack; nil where every engine has it.
    private let lacked: EngineCapability?
    private let body: @Sendable (EngineEntry) throws -> Void

    /// - Parameters:
    ///   - lacked: The capability without which an engine behaves so.
    ///   - body: Expects the behaviour of an engine, of whose stores it makes as many as it needs.
    init(
        _ name: String, without lacked: EngineCapability? = nil,
        _ body: @escaping @Sendable (EngineEntry) throws -> Void
    ) {
        self.name = name
        self.lacked = lacked
        self.body = body
    }

    /// Whether it is a behaviour of an engine. One whose capabilities cannot be asked runs it, and
    /// fails.
    func isExpected(of engine: EngineEntry) -> Bool {
        guard let lacked else { return true }
        return (try? lacked.isOffered(by: engine)) != true
    }

    func run(on engine: EngineEntry) throws { try body(engine) }
}

/// Behaviours that belong together: the unit that an engine runs, or is exempted from.
package struct EngineSuite: Sendable {
    package let name: String
    /// The capability without which an engine may be exempted; nil where every engine must pass.
    package let requires: EngineCapability?
    package let cases: [EngineCase]

    init(
        _ name: String, requires: EngineCapability? = nil,
        @CaseBuilder _ cases: () -> [EngineCase]
    ) {
        self.name = name
        self.requires = requires
        self.cases = cases()
    }

    /// All that an engine has to run.
    package static let all: [EngineSuite] = [
        .values, .largeValues, .saving, .reading, .fetching, .ordering, .results, .links, .deleting,
        .uniqueValues, .derivedValues, .conflicts, .metadata, .severalStores, .lacking,
        .batchInsertion, .batchUpsert, .batchUpdate, .batchDeletion, .history, .generations,
        .transactions, .transactionSettings, .ownInverses,
    ]

    /// The cases of this suite on all engines that are not exempted: the arguments of its test. The
    /// ledger notes them, for ``EngineLedger/problems(of:in:)``. Servers take turns: each case is run on
    /// one of them, or on all in a run of full size.
    package func runs(
        of engines: [EngineEntry] = EngineEntry.all, ledger: EngineLedger = .shared
    ) -> [EngineRun] {
        engines.filter { !$0.isExempt(from: self) }.flatMap { engine in
            ledger.note(engine, name)
            return cases.enumerated().filter { number, specified in
                let isItsTurn =
                    !EngineEntry.servers.contains(engine)
                    || EngineEntry.someServers(name.count + number).contains(engine)
                return isItsTurn && specified.isExpected(of: engine)
            }.map { EngineRun(suite: name, engine: engine, specified: $1) }
        }
    }
}

/// One case on one engine.
package struct EngineRun: Sendable, CustomTestStringConvertible {
    let suite: String
    let engine: EngineEntry
    let specified: EngineCase

    package func callAsFunction() throws { try specified.run(on: engine) }

    package var testDescription: String { "\(suite), \(engine.name): \(specified.name)" }
}

/// Lets cases stand below each other, and in loops.
@resultBuilder enum CaseBuilder {
    static func buildExpression(_ specified: EngineCase) -> [EngineCase] { [specified] }
    static func buildBlock(_ cases: [EngineCase]...) -> [EngineCase] { cases.flatMap { $0 } }
    static func buildArray(_ cases: [[EngineCase]]) -> [EngineCase] { cases.flatMap { $0 } }
}
