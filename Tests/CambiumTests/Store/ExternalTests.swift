import Cambium
import CambiumSQLite
import Foundation
import Testing

struct ExternalTests {
    private static let large = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
    private static let other = Data(repeating: 9, count: 150_000)

    private func folder(_ path: String) -> String {
        let url = URL(filePath: path)
        return url.deletingLastPathComponent()
            .appending(path: ".\(url.lastPathComponent).external").path()
    }

    private func files(_ path: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder(path))) ?? []).sorted()
    }

    private func withStore(
        _ body: (String, PersistentContainer, ManagedObjectContext, Customer) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            let context = container.newContext()
            try body(path, container, context, context.makeCustomer("Ann"))
        }
    }

    @Test func `a small value is in the row`() throws {
        try withStore { path, _, context, customer in
            customer.photo = Data("small".utf8)
            try context.save()
            context.refresh(customer, mergeChanges: false)
            #expect(customer.photo == Data("small".utf8))
            #expect(files(path).isEmpty)
        }
    }

    @Test(.onSQLite("A server keeps large values in a table."))
    func `a large value is in a file, and read when it is asked for`() throws {
        try withStore { path, container, context, customer in
            customer.photo = Self.large
            #expect(customer.photo == Self.large)
            try context.save()
            #expect(files(path).count == 1)
            #expect(customer.photo == Self.large)
            context.refresh(customer, mergeChanges: false)
            #expect(customer.photo == Self.large)
            let reader = container.newContext()
            let copy: Customer = try reader.get(customer.objectID)
            #expect(copy.photo == Self.large)
            let row = try rows("SELECT length(\"photo\") FROM \"Customer\"", in: path)
            #expect(row == [[.integer(37)]])
        }
    }

    @Test(.onSQLite("A server keeps large values in a table."))
    func `a file goes when its value is replaced, cleared or deleted`() throws {
        try withStore { path, _, context, customer in
            customer.photo = Self.large
            try context.save()
            let first = files(path)
            customer.photo = Self.other
            try context.save()
            #expect(files(path).count == 1 && files(path) != first)
            customer.photo = Data([1])
            try context.save()
            #expect(files(path).isEmpty)
            customer.photo = Self.other
            try context.save()
            context.delete(customer)
            try context.save()
            #expect(files(path).isEmpty)
        }
    }

    @Test func `a save that fails leaves no file and no change`() throws {
        try withStore { path, _, context, customer in
            customer.photo = Self.large
            for each in [customer, context.makeCustomer("Bob")] {
                try each.setValue(.string("High St"), forKey: "address.street")
                try each.setValue(.int(7), forKey: "address.number")
            }
            #expect(throws: ConstraintConflictError.self) { try context.save() }
            #expect(files(path).isEmpty)
            #expect(customer.photo == Self.large)
            try customer.setValue(.int(8), forKey: "address.number")
            try context.save()
            context.refresh(customer, mergeChanges: false)
            #expect(customer.photo == Self.large)
        }
    }

    @Test(.onSQLite("A server keeps large values in a table."))
    func `a missing file reads as empty, and the next save says so`() throws {
        try withStore { path, _, context, customer in
            customer.photo = Self.large
            try context.save()
            try FileManager.default.removeItem(atPath: folder(path))
            #expect(customer.photo == Data())
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .missingFile)
        }
    }

    @Test func `an object that has not heard of a newer value reads that one`() throws {
        try withStore { _, container, context, customer in
            customer.photo = Self.large
            try context.save()
            let reader = container.newContext()
            let stale: Customer = try reader.get(customer.objectID)
            #expect(stale.photo == Self.large)
            customer.photo = Self.other
            try context.save()
            #expect(stale.photo == Self.other)
        }
    }

    @Test(.onSQLite("A server keeps large values in a table."))
    func `what an interrupted save left behind is swept, and nothing else`() throws {
        try withStore { path, _, context, customer in
            customer.photo = Self.large
            try context.save()
            let kept = files(path)
            let orphan = UUID().uuidString
            try Data([1]).write(to: URL(filePath: "\(folder(path))/\(orphan)"))
            try Data([1]).write(to: URL(filePath: "\(folder(path))/note.txt"))
            let journal = "\(UUID().uuidString).journal"
            let names = (kept + [orphan, "../store.sqlite", "note.txt"]).joined(separator: "\n")
            try Data(names.utf8).write(to: URL(filePath: "\(folder(path))/\(journal)"))
            let container = try PersistentContainer(model: Widened.model, at: .temporary(path))
            #expect(files(path) == (kept + ["note.txt"]).sorted())
            let reader = container.newContext()
            let again: Customer = try #require(try reader.customers().first)
            #expect(again.photo == Self.large)
        }
    }

    @Test(.onSQLite("A server keeps large values in a table."))
    func `a file that cannot be removed goes when the store is opened next`() throws {
        try withStore { path, _, context, customer in
            customer.photo = Self.large
            try context.save()
            let name = try #require(files(path).first)
            let file = "\(folder(path))/\(name)"
            // A folder in its place cannot be removed like a file.
            try FileManager.default.removeItem(atPath: file)
            try FileManager.default.createDirectory(
                atPath: file, withIntermediateDirectories: true)
            customer.photo = Data([1])
            try context.save()
            #expect(files(path).count == 2)
            try FileManager.default.removeItem(atPath: file)
            try Self.large.write(to: URL(filePath: file))
            _ = try PersistentContainer(model: Widened.model, at: .temporary(path))
            #expect(files(path).isEmpty)
        }
    }

    @Test func `in memory everything is in the rows`() throws {
        try withContainer(Widened.model) { container in
            let context = container.newContext()
            let customer = context.makeCustomer("Ann")
            customer.photo = Self.large
            try context.save()
            context.refresh(customer, mergeChanges: false)
            #expect(customer.photo == Self.large)
        }
    }

    @Test func `a conflict keeps one of the two values and no orphan`() throws {
        for policy in [MergePolicy.objectTrump, .storeTrump] {
            try withStore { path, container, context, customer in
                try context.save()
                let theirs = container.newContext()
                let other: Customer = try theirs.get(customer.objectID)
                other.photo = Self.other
                try theirs.save()
                context.mergePolicy = policy
                customer.photo = Self.large
                try context.save()
                let expected = policy == .objectTrump ? Self.large : Self.other
                #expect(customer.photo == expected)
                let reader = container.newContext()
                let fresh: Customer = try reader.get(customer.objectID)
                #expect(fresh.photo == expected)
                #expect(files(path).count <= 1)
            }
        }
    }
}
