import Synchronization

/// Why an engine does not run a suite.
package struct EngineExemption: Sendable {
    let suite: String
    let capability: EngineCapability
    let reason: String

    /// - Parameters:
    ///   - suite: What is not run.
    ///   - capability: What the engine lacks.
    ///   - reason: Why it lacks it, in a sentence.
    package init(
        from suite: EngineSuite, lacks capability: EngineCapability, because reason: String
    ) {
        self.suite = suite.name
        self.capability = capability
        self.reason = reason
    }
}

extension EngineEntry {
    func isExempt(from suite: EngineSuite) -> Bool {
        exemptions.contains { $0.suite == suite.name }
    }
}

/// Which engines run which suites. The arguments of all tests that were chosen are made before the
/// first test runs, so that the ledger is complete by then.
package final class EngineLedger: Sendable {
    /// Of this process.
    package static let shared = EngineLedger()

    private let entries = Mutex<Set<[String]>>([])

    package init() {}

    func note(_ engine: EngineEntry, _ suite: String) {
        entries.withLock { _ = $0.insert([engine.name, suite]) }
    }

    private func contains(_ engine: EngineEntry, _ suite: String) -> Bool {
        entries.withLock { $0.contains([engine.name, suite]) }
    }

    /// What keeps an engine from complying: suites that it neither runs nor is exempted from, and
    /// exemptions that do not hold. Empty where it complies.
    package func problems(
        of engine: EngineEntry, in suites: [EngineSuite] = EngineSuite.all
    ) throws -> [String] {
        let missing = suites.filter { !engine.isExempt(from: $0) && !contains(engine, $0.name) }
            .map { "\(engine.name) does not run '\($0.name)' and has no exemption from it." }
        return try missing + Self.exemptionProblems(of: engine, in: suites)
    }

    /// The suites that engines skip, each with the missing capability and the reason: a block for each
    /// engine that skips any.
    package static func skippedSuites(of engines: [EngineEntry]) -> String {
        engines.filter { !$0.exemptions.isEmpty }.map { engine in
            "\(engine.name)\n"
                + engine.exemptions.map {
                    "    '\($0.suite)' lacks '\($0.capability)': \($0.reason)\n"
                }.joined()
        }.joined(separator: "\n")
    }

    /// What is wrong with the exemptions of an engine.
    package static func exemptionProblems(
        of engine: EngineEntry, in suites: [EngineSuite] = EngineSuite.all
    ) throws -> [String] {
        try engine.exemptions.flatMap { exemption in
            let place = "The exemption of \(engine.name) from '\(exemption.suite)'"
            guard let suite = suites.first(where: { $0.name == exemption.suite }) else {
                return ["\(place) is of no suite."]
            }
            var problems: [String] = []
            if suite.requires != exemption.capability {
                let required = suite.requires.map { "'\($0)'" } ?? "no capability"
                problems.append(
                    "\(place) names '\(exemption.capability)': the suite requires \(required).")
            }
            if exemption.reason.split(separator: " ").count < 2 {
                problems.append("\(place) gives no reason.")
            }
            if try exemption.capability.isOffered(by: engine) {
                problems.append("\(place) does not hold: it has '\(exemption.capability)'.")
            }
            return problems
        }
    }
}
