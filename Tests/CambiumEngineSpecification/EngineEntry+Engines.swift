import Cambium
import Foundation

extension EngineEntry {
    /// The engines that exist. Another one is entered here.
    package static let all: [EngineEntry] = [file, memory, json, dictionary] + servers

    /// The servers that run: `CAMBIUM_POSTGRES_15` and `CAMBIUM_POSTGRES_18` are the URLs of databases
    /// beside which this process makes one of its own. Each store gets a schema in it.
    package static let servers: [EngineEntry] = ["15", "18"].compactMap { version in
        ProcessInfo.processInfo.environment["CAMBIUM_POSTGRES_\(version)"].map { url in
            let database = ProcessDatabase(beside: url)
            return server("PostgreSQL \(version)") { database.url }
        }
    }

    /// SQLite in a file.
    package static let file = EngineEntry(
        "SQLite in a file", canBeOpenedAgain: true, usesFiles: true, exemptions: [hasNoSettings]
    ) { StoreDescription(location: .file($0)) }

    /// SQLite in memory.
    package static let memory = EngineEntry(
        "SQLite in memory", canBeOpenedAgain: false,
        exemptions: [
            EngineExemption(
                from: .generations, lacks: .generations,
                because: "A database in memory has one connection and no log to read from."),
            hasNoSettings,
        ]
    ) { _ in StoreDescription(location: .memory) }

    /// A store of a program's own that is read and written as a whole.
    package static let json = EngineEntry(
        "atomic store", canBeOpenedAgain: true, usesFiles: true, exemptions: exemptionsOfPrograms
    ) { StoreDescription(type: JSONStore.type, location: .file($0)) }

    /// A store of a program's own that finds rows when they are asked for.
    package static let dictionary = EngineEntry(
        "incremental store", canBeOpenedAgain: true, exemptions: exemptionsOfPrograms
    ) { _ in StoreDescription(type: DictionaryStore().type, location: .memory) }

    private static let exemptionsOfPrograms =
        [EngineSuite.batchInsertion, .batchUpsert, .batchUpdate, .batchDeletion].map {
            EngineExemption(
                from: $0, lacks: .batches,
                because: "A program's store takes objects, and no statements over rows.")
        } + [
            EngineExemption(
                from: .derivedValues, lacks: .derivedValues,
                because: "A program's store has no statements that compute values."),
            EngineExemption(
                from: .history, lacks: .history,
                because: "A program's store is not asked to record transactions."),
            EngineExemption(
                from: .generations, lacks: .generations,
                because: "A program's store answers with its present rows only."),
            EngineExemption(
                from: .transactions, lacks: .transactions,
                because: "A program's store takes all of a save at once."),
            hasNoSettings,
        ]

    private static let hasNoSettings = EngineExemption(
        from: .transactionSettings, lacks: .transactionSettings,
        because: "Only a server has settings of a transaction.")
}
