import Cambium
import Foundation
import Testing

/// Stores that earlier editions made open, migrate and save.
struct OldStoreTests {
    @Test func `there are stores of all models, and of every version`() {
        let counts = Dictionary(grouping: OldStore.all, by: \.fixture).mapValues {
            Set($0.map(\.version)).count
        }
        #expect(counts["Contacts"] == 4)
        #expect(counts["Packages"] == 3)
        #expect(counts["Everything"] == 1)
        #expect(counts["Extended"] == 1)
        #expect(counts.count >= 21)
        #expect(OldStore.migrated.count >= 12)
    }

    @Test(arguments: OldStore.all)
    func `opening a store of the program's version writes nothing`(store: OldStore) throws {
        let model = try OldModel.of(store)
        try store.withCopy { copy in
            // It is read where it may not be written.
            let files = try copy.files()
            var options = StoreOptions()
            options.isReadOnly = true
            do {
                let container = try model.openOwn(store, at: copy.path, options: options)
                #expect(container.migration == .current)
            }
            #expect(try copy.files() == files)
            // The first opening may note the definition of the model, which the earlier edition
            // did not know of.
            let rows = try copy.rows()
            do {
                let container = try model.openOwn(store, at: copy.path)
                #expect(container.migration == .current)
            }
            #expect(try copy.rows() == rows)
            try expectUnchanged(copy) { try model.openOwn(store, at: copy.path) }
        }
    }

    @Test(arguments: OldStore.all)
    func `a store of the program's version has what was written`(store: OldStore) throws {
        try store.withCopy { copy in
            let container = try OldModel.of(store).openOwn(store, at: copy.path)
            let context = container.newContext()
            let objects = try StoreContents.objects(in: context)
            #expect(!objects.isEmpty)
            try expectEqual(objects, store.lines("objects.txt"))
            guard store.keepsHistory else { return }
            try expectEqual(StoreContents.history(in: context), store.lines("history.txt"))
        }
    }

    @Test(arguments: OldStore.all)
    func `a store of the program's version takes changes`(store: OldStore) throws {
        let model = try OldModel.of(store)
        try store.withCopy { copy in
            try expectChanges { try model.openOwn(store, at: copy.path) }
        }
    }

    @Test(arguments: OldStore.migrated)
    func `a store of an earlier version is migrated as it was then, and takes changes`(
        store: OldStore
    ) throws {
        let model = try OldModel.of(store)
        try store.withCopy { copy in
            do {
                let container = try model.openCurrent(at: copy.path)
                guard case .migrated(store.version, _, _, _) = container.migration else {
                    Issue.record("\(container.migration)")
                    return
                }
                let context = container.newContext()
                try expectEqual(StoreContents.objects(in: context), store.lines("migrated.txt"))
                if store.keepsHistory {
                    // After steps that the program does, nobody can say what they changed.
                    let history = try StoreContents.history(in: context)
                    #expect(
                        history.contains { $0.contains(" maker ") }
                            == (store.fixture != "Contacts"))
                }
            }
            try expectUnchanged(copy) { try model.openCurrent(at: copy.path) }
            try expectChanges { try model.openCurrent(at: copy.path) }
        }
    }

    // MARK: Support

    /// Opening and closing leaves every file as it was, and no log.
    private func expectUnchanged(
        _ copy: StoreCopy, sourceLocation: SourceLocation = #_sourceLocation,
        opening open: () throws -> PersistentContainer
    ) throws {
        let files = try copy.files()
        do {
            let container = try open()
            #expect(container.migration == .current, sourceLocation: sourceLocation)
            #expect(
                try copy.files()["store.sqlite-wal"] == nil, sourceLocation: sourceLocation)
        }
        let now = try copy.files()
        for name in Set(files.keys).union(now.keys).sorted() {
            #expect(files[name] == now[name], "\(name)", sourceLocation: sourceLocation)
        }
    }

    /// One object of each entity gets the values of another, and is found with them by the next one
    /// that opens the store; a new object gets a key of its own.
    private func expectChanges(
        sourceLocation: SourceLocation = #_sourceLocation,
        opening open: () throws -> PersistentContainer
    ) throws {
        let before: [String]
        let saved: [String]
        do {
            let container = try open()
            let context = container.newContext()
            before = try StoreContents.objects(in: context)
            try change(context)
            try context.save()
            saved = try StoreContents.objects(in: context)
        }
        // A migration may have dropped all that there was.
        #expect(saved != before || before.isEmpty, sourceLocation: sourceLocation)
        let container = try open()
        #expect(container.migration == .current, sourceLocation: sourceLocation)
        try expectEqual(
            StoreContents.objects(in: container.newContext()), saved,
            sourceLocation: sourceLocation)
    }

    private func change(_ context: ManagedObjectContext) throws {
        let model = context.coordinator.managedObjectModel
        for entity in model.entities where !entity.isAbstract {
            let request = FetchRequest<ManagedObject>(entityName: entity.name)
            let objects = try context.fetch(request)
                .filter { $0.entity.name == entity.name }
                .sorted { $0.objectID.key < $1.objectID.key }
            guard let first = objects.first, let last = objects.last else { continue }
            let unique = Set(
                model.lineage(of: entity).flatMap(\.uniqueConstraints).flatMap(\.properties))
            let attributes = model.attributes(of: entity).filter {
                $0.derivation == nil && !$0.isTransient && !unique.contains($0.name)
            }
            var targets = first === last ? [] : [last]
            let relationships = model.relationships(of: entity)
            let isAlone = relationships.allSatisfy {
                ($0.isOptional || $0.isToMany) && ($0.minimumCount ?? 0) == 0
            }
            if unique.isEmpty, isAlone {
                targets.append(try context.insertObject(ofEntity: entity.name))
            }
            for attribute in attributes {
                let value = try first.value(forKey: attribute.name)
                for target in targets { try target.setValue(value, forKey: attribute.name) }
            }
        }
    }

    private func expectEqual(
        _ found: [String], _ expected: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard found != expected else { return }
        let missing = Set(expected).subtracting(found).sorted()
        let added = Set(found).subtracting(expected).sorted()
        Issue.record(
            """
            expected: \(missing.joined(separator: "\n          "))
            found:    \(added.joined(separator: "\n          "))
            """, sourceLocation: sourceLocation)
    }
}
