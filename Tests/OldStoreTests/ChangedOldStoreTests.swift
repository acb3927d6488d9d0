import Cambium
import Foundation
import Testing

/// An old store that another program has changed is refused: this edition knows exactly what the
/// store's tables, indexes and checks were. With other schema hashes it would silently bring them
/// up to date.
struct ChangedOldStoreTests {
    @Test(arguments: OldStore.sample(OldStore.all))
    func `a changed store of the program's version is refused`(store: OldStore) throws {
        let model = try OldModel.of(store)
        try expectRefusals(of: store) { try model.openOwn(store, at: $0) }
    }

    @Test(arguments: OldStore.sample(OldStore.migrated))
    func `a changed store of an earlier version is refused`(store: OldStore) throws {
        for program in try OldModel.of(store).currentPrograms {
            try expectRefusals(of: store) { try program($0, StoreOptions()) }
        }
    }

    private func expectRefusals(
        of store: OldStore, opening open: (String) throws -> PersistentContainer
    ) throws {
        var kinds = 0
        for change in StoreCopy.Change.allCases {
            try store.withCopy { copy in
                let names = try copy.make(change)
                guard !names.isEmpty else { return }
                kinds += 1
                let files = try copy.files()
                let error = #expect(throws: StoreLoadingError.self, "\(change)") {
                    _ = try open(copy.path)
                }
                #expect(error?.code == .storeDiffers, "\(change): \(error as Any)")
                guard case .storeDiffers(let differences)? = error?.underlying as? MigrationError
                else { return }
                // An index over a column that has another name is another one, too.
                #expect(Set(differences.map(\.name)).isSuperset(of: names), "\(change)")
                let words = "\(error as Any)"
                #expect(names.contains { words.contains($0) }, "\(change): \(words)")
                #expect(try copy.files() == files, "\(change)")
            }
        }
        // Every table can be changed in a way at least, and most have checks.
        #expect(kinds >= 3)
    }
}
