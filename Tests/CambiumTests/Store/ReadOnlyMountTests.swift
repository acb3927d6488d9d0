import CambiumSQLite
import Foundation
import ShopModel
import Testing

@testable import Cambium

/// Stores on file systems that are mounted for reading only.
@Suite(.onSQLite("They are about files."))
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
                let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
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
                model: Shop.model, at: .temporary(path), options: Self.options)
            let context = container.newContext()
            let found = try context.fetch(Category.fetchRequest())
            #expect(found.map(\.name) == ["Tools"])
            #expect(!FileManager.default.fileExists(atPath: path + "-shm"))
            _ = Category(in: context, name: "Toys")
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .readOnly)
        }
    }

    @Test func `a database without a store says that it is none`() throws {
        try withStoreFile { path in
            try Connection(path: path).execute("PRAGMA user_version = 1")
            var options = StoreOptions()
            options.isReadOnly = true
            let error = #expect(throws: (any Error).self) {
                _ = try PersistentContainer(
                    model: Shop.model, at: .temporary(path), options: options)
            }
            let text = error.map { "\($0)" } ?? ""
            #expect(text.contains("not a Cambium store") && !text.contains("CREATE TABLE"))
        }
    }

    @Test func `what is in the way is said once`() {
        let reason = "The log cannot be read. Copy the file."
        let same = StoreError(
            code: .cannotOpen, message: "The log cannot be read.", remedy: "Copy the file.",
            underlying: SQLiteError(code: 14, message: reason))
        #expect(same.description == reason)
        let other = StoreError(
            code: .cannotOpen, message: "The log cannot be read.", remedy: "Copy the file.",
            underlying: SQLiteError(code: 14, message: "no"))
        #expect(other.description.hasPrefix(reason + " ("))
    }

    @Test func `following others is refused there`() throws {
        try withStore { path in
            var options = Self.options
            options.followsRemoteChanges = true
            let error = expectOpening(throws: StoreError.self) {
                try PersistentContainer(
                    model: Shop.model, at: .temporary(path), options: options)
            }
            #expect(error?.code == .invalidRequest)
            #expect(error?.description.contains("without followsRemoteChanges") == true)
        }
    }
}
