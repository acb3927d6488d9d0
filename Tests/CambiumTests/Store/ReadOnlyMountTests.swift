import CambiumSQLite
import Foundation
import ShopModel
import Testing

@testable import Cambium

/// Stores on file systems that are mounted for reading only.
struct ReadOnlyMountTests {
    private static var options: StoreOptions {
        var options = StoreOptions()
        options.isReadOnly = true
        options.isMountedReadOnly = { _ in true }
        return options
    }

    private func withStore(_ body: (String) throws -> Void) throws {
        try withStoreFile { path in
            do {
                let container = try PersistentContainer(model: Shop.model, at: .file(path))
                let context = container.newContext()
                _ = Category(in: context, name: "Tools")
                try context.save()
            }
            try body(path)
        }
    }

    @Test func `a store that was closed is read, and nothing is made beside it`() throws {
        try withStore { path in
            let container = try PersistentContainer(
                model: Shop.model, at: .file(path), options: Self.options)
            let context = container.newContext()
            let found = try context.fetch(Category.fetchRequest())
            #expect(found.map(\.name) == ["Tools"])
            #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
            _ = Category(in: context, name: "Toys")
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .readOnly)
        }
    }

    @Test func `following others is refused there`() throws {
        try withStore { path in
            var options = Self.options
            options.followsRemoteChanges = true
            let error = #expect(throws: StoreError.self) {
                _ = try PersistentContainer(
                    model: Shop.model, at: .file(path), options: options)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.description.contains("without followsRemoteChanges") == true)
        }
    }
}
