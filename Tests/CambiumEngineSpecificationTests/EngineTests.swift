import CambiumEngineSpecification
import Testing

// Every suite of the specification on every engine: a test for each suite, a case for each engine
// and behaviour. `ComplianceTests` fails where a suite has none.

struct EngineValueTests {
    @Test(arguments: EngineSuite.values.runs()) func values(_ run: EngineRun) throws { try run() }
}

struct EngineLargeValueTests {
    @Test(arguments: EngineSuite.largeValues.runs()) func largeValues(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineSavingTests {
    @Test(arguments: EngineSuite.saving.runs()) func saving(_ run: EngineRun) throws { try run() }
}

struct EngineReadingTests {
    @Test(arguments: EngineSuite.reading.runs()) func reading(_ run: EngineRun) throws { try run() }
}

struct EngineFetchingTests {
    @Test(arguments: EngineSuite.fetching.runs()) func fetching(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineOrderingTests {
    @Test(arguments: EngineSuite.ordering.runs()) func ordering(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineResultTests {
    @Test(arguments: EngineSuite.results.runs()) func results(_ run: EngineRun) throws { try run() }
}

struct EngineLinkTests {
    @Test(arguments: EngineSuite.links.runs()) func links(_ run: EngineRun) throws { try run() }
}

struct EngineDeletingTests {
    @Test(arguments: EngineSuite.deleting.runs()) func deleting(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineUniqueValueTests {
    @Test(arguments: EngineSuite.uniqueValues.runs()) func uniqueValues(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineDerivedValueTests {
    @Test(arguments: EngineSuite.derivedValues.runs()) func derivedValues(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineConflictTests {
    @Test(arguments: EngineSuite.conflicts.runs()) func conflicts(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineMetadataTests {
    @Test(arguments: EngineSuite.metadata.runs()) func metadata(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineSeveralStoresTests {
    @Test(arguments: EngineSuite.severalStores.runs()) func severalStores(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineLackingTests {
    @Test(arguments: EngineSuite.lacking.runs()) func lacking(_ run: EngineRun) throws { try run() }
}

struct EngineBatchInsertionTests {
    @Test(arguments: EngineSuite.batchInsertion.runs()) func batchInsertion(_ run: EngineRun) throws
    { try run() }
}

struct EngineBatchUpsertTests {
    @Test(arguments: EngineSuite.batchUpsert.runs()) func batchUpsert(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineBatchUpdateTests {
    @Test(arguments: EngineSuite.batchUpdate.runs()) func batchUpdate(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineBatchDeletionTests {
    @Test(arguments: EngineSuite.batchDeletion.runs()) func batchDeletion(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineHistoryTests {
    @Test(arguments: EngineSuite.history.runs()) func history(_ run: EngineRun) throws { try run() }
}

struct EngineTransactionTests {
    @Test(arguments: EngineSuite.transactions.runs()) func transactions(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineTransactionSettingsTests {
    @Test(arguments: EngineSuite.transactionSettings.runs())
    func transactionSettings(_ run: EngineRun) throws { try run() }
}

struct EngineGenerationTests {
    @Test(arguments: EngineSuite.generations.runs()) func generations(_ run: EngineRun) throws {
        try run()
    }
}

struct EngineOwnInverseTests {
    @Test(arguments: EngineSuite.ownInverses.runs()) func ownInverses(_ run: EngineRun) throws {
        try run()
    }
}
