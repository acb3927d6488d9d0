import Testing

@testable import PackageIndex

@Suite struct ExcerptTests {
    @Test func `the excerpt has packages of each kind and some that are refused`() throws {
        var reader = ControlReader(
            MemoryBytes(PackageResources.packages_deb822), keeping: PackageRecord.fieldNames)
        var keys: Set<PackageKey> = []
        var edges = 0
        var refused = 0
        var duplicates = 0
        while let stanza = try reader.next() {
            do {
                let record = try PackageRecord(stanza)
                if !keys.insert(record.key).inserted { duplicates += 1 }
                edges += record.dependencies.count
            } catch {
                refused += 1
            }
        }
        #expect(keys.count == 39)
        #expect(edges > 70)
        #expect(refused == 3)
        #expect(duplicates == 1)
    }
}
