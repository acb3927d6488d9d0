import Cambium
import CambiumEngineSpecification
import Foundation
import Testing

/// Every engine runs every suite, or says which capability it lacks.
struct ComplianceTests {
    @Test(arguments: EngineEntry.all)
    func `an engine runs every suite, or is exempted for what it lacks`(
        _ engine: EngineEntry
    ) throws {
        // Where somebody chose tests, suites may be left out.
        let isChoice = CommandLine.arguments.contains { $0.hasPrefix("--filter") }
        let problems =
            isChoice
            ? try EngineLedger.exemptionProblems(of: engine)
            : try EngineLedger.shared.problems(of: engine)
        #expect(problems == [])
    }

    /// `SkippedSuites.txt` is what people read: a suite that an engine skips from now on shows there.
    @Test func `the list of skipped suites is that of the exemptions`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "SkippedSuites.txt")
        let skipped = EngineLedger.skippedSuites(of: EngineEntry.all)
        if ProcessInfo.processInfo.environment["CAMBIUM_ACCEPT"] != nil {
            try Data(skipped.utf8).write(to: file)
        }
        #expect(
            try String(contentsOf: file, encoding: .utf8) == skipped,
            "Accept it with: CAMBIUM_ACCEPT=1 swift test --filter ComplianceTests")
    }

    @Test func `engines and suites have names of their own`() {
        #expect(Set(EngineEntry.all).count == EngineEntry.all.count)
        #expect(Set(EngineSuite.all.map(\.name)).count == EngineSuite.all.count)
        for suite in EngineSuite.all {
            #expect(Set(suite.cases.map(\.name)).count == suite.cases.count, "\(suite.name)")
        }
    }

    // MARK: What does not comply

    /// An engine of nothing but SQLite in a file, which has every capability.
    private func engine(_ exemptions: [EngineExemption] = []) -> EngineEntry {
        EngineEntry("Paper", canBeOpenedAgain: true, usesFiles: true, exemptions: exemptions) {
            StoreDescription(location: .file($0))
        }
    }

    /// The same with a store in memory, which has no query generations.
    private func engineInMemory(_ exemptions: [EngineExemption] = []) -> EngineEntry {
        EngineEntry("Paper", canBeOpenedAgain: false, exemptions: exemptions) { _ in
            StoreDescription(location: .memory)
        }
    }

    /// The problems of an engine that runs the suites that it is not exempted from, but for one.
    private func problems(
        of engine: EngineEntry, without skipped: EngineSuite? = nil
    ) throws -> [String] {
        let ledger = EngineLedger()
        for suite in EngineSuite.all where suite.name != skipped?.name {
            _ = suite.runs(of: [engine], ledger: ledger)
        }
        return try ledger.problems(of: engine)
    }

    @Test func `an engine that runs everything complies`() throws {
        #expect(try problems(of: engine()) == [])
    }

    @Test func `an engine that leaves a suite out does not comply`() throws {
        #expect(
            try problems(of: engine(), without: .saving)
                == ["Paper does not run 'saving' and has no exemption from it."])
    }

    @Test func `an exemption for what the engine lacks is accepted`() throws {
        let exemption = EngineExemption(
            from: .generations, lacks: .generations, because: "Paper has no past.")
        #expect(try problems(of: engineInMemory([exemption])) == [])
        #expect(try problems(of: engineInMemory([exemption]), without: .generations) == [])
    }

    @Test(arguments: ["", " ", "no"])
    func `an exemption without a reason is none`(_ reason: String) throws {
        let exemption = EngineExemption(from: .generations, lacks: .generations, because: reason)
        #expect(
            try problems(of: engineInMemory([exemption]))
                == ["The exemption of Paper from 'generations' gives no reason."])
    }

    /// What the engine of these tests has, which is SQLite's.
    private static let offered = EngineCapability.allCases.filter { $0 != .transactionSettings }

    @Test(arguments: offered)
    func `an exemption for a capability that the engine has is none`(
        _ capability: EngineCapability
    ) throws {
        let suite = try #require(EngineSuite.all.first { $0.requires == capability })
        let exemption = EngineExemption(
            from: suite, lacks: capability, because: "It would be work.")
        #expect(
            try problems(of: engine([exemption]))
                == [
                    "The exemption of Paper from '\(suite.name)' does not hold: it has "
                        + "'\(capability)'."
                ])
    }

    @Test func `an exemption from what requires another capability, or none, is none`() throws {
        let exemptions = [EngineSuite.saving, .history].map {
            EngineExemption(from: $0, lacks: .generations, because: "Paper has no past.")
        }
        #expect(
            try problems(of: engineInMemory(exemptions))
                == [
                    "The exemption of Paper from 'saving' names 'generations': the suite requires "
                        + "no capability.",
                    "The exemption of Paper from 'history' names 'generations': the suite requires "
                        + "'history'.",
                ])
    }
}
