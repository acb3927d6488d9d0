import Cambium
import EverythingModel
import Testing

/// What is said where the file of a store cannot be opened.
@Suite(.onSQLite("They are about files."))
struct OpeningFailureTests {
    /// The error of a container for a file beside others, which a body makes.
    private func failure(
        at name: String, isReadOnly: Bool = false, among make: (_ folder: URL) throws -> Void
    ) throws -> (error: StoreError, path: String) {
        try withStoreFile { path in
            let folder = URL(filePath: path).deletingLastPathComponent()
            try make(folder)
            let place = folder.appending(path: name).path()
            var options = StoreOptions()
            options.isReadOnly = isReadOnly
            let error = expectOpening(throws: StoreError.self) {
                try PersistentContainer(
                    model: Everything.model, at: .file(place), options: options)
            }
            let loading = #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator(model: Everything.model)
                    .addPersistentStore(at: .file(place), options: options)
            }
            #expect(loading?.code == .cannotOpen && loading?.coreDataCode == 134080)
            return (try #require(error), place)
        }
    }

    @Test func `a folder that is not there is made, as by loading stores`() throws {
        try withStoreFile { path in
            let place = URL(filePath: path).deletingLastPathComponent()
                .appending(path: "some/folders/store.sqlite").path()
            let container = try PersistentContainer(model: Everything.model, at: .file(place))
            #expect(try container.newContext().count(for: Node.fetchRequest()) == 0)
            #expect(FileManager.default.fileExists(atPath: place))
        }
    }

    @Test func `a store is opened at a URL, and one that names no file is an error`() throws {
        try withStoreFile { path in
            let folder = URL(filePath: path).deletingLastPathComponent()
            let url = folder.appending(path: "ä store.sqlite")
            #expect(StoreLocation.file(url) == .file(folder.path() + "ä store.sqlite"))
            _ = try PersistentContainer(model: Everything.model, at: .file(url))
            #expect(FileManager.default.fileExists(atPath: folder.path() + "ä store.sqlite"))
            let web = try #require(URL(string: "https://example.org/shop.sqlite"))
            let error = expectOpening(throws: StoreError.self) {
                try PersistentContainer(model: Everything.model, at: .file(web))
            }
            #expect(error?.message.contains("is a URI") == true)
        }
    }

    @Test func `a folder in the place of the file`() throws {
        let (error, path) = try failure(at: "folder") {
            try FileManager.default.createDirectory(
                at: $0.appending(path: "folder"), withIntermediateDirectories: true)
        }
        #expect(error.code == .cannotOpen && error.coreDataCode == 134080)
        #expect(error.message.hasPrefix("There is a folder at \(path). Give"))
        #expect(error.underlying is SQLiteError)
    }

    @Test func `a file in the place of the folder`() throws {
        let (error, path) = try failure(at: "file/store.sqlite") {
            try "text".write(
                to: $0.appending(path: "file"), atomically: true, encoding: .utf8)
        }
        #expect(error.code == .cannotOpen)
        #expect(error.message.contains(path))
    }

    @Test func `a store for reading only that is not there`() throws {
        let (error, path) = try failure(at: "missing.sqlite", isReadOnly: true) { _ in }
        #expect(error.code == .cannotOpen && error.coreDataCode == 134080)
        #expect(error.message.hasPrefix("There is no store \(path), and opening it for reading"))
        let (nowhere, place) = try failure(at: "no/missing.sqlite", isReadOnly: true) { _ in }
        #expect(nowhere.message.hasPrefix("There is no folder "))
        #expect(nowhere.message.contains(place))
    }

    @Test func `only a shell takes a tilde for the home folder`() throws {
        let error = #expect(throws: StoreLoadingError.self) {
            try PersistentStoreCoordinator(model: Everything.model)
                .addPersistentStore(at: .file("~/store.sqlite"))
        }
        #expect(error.map { "\($0)".contains("only a shell expands ~ to the home folder") } == true)
    }

    @Test func `a coordinator makes no folders`() throws {
        try withStoreFile { path in
            let place = path + ".d/store.sqlite"
            let error = #expect(throws: StoreLoadingError.self) {
                try PersistentStoreCoordinator(model: Everything.model)
                    .addPersistentStore(at: .file(place))
            }
            #expect(error.map { "\($0)".contains("There is no folder \(path).d for") } == true)
        }
    }

    @Test(arguments: [
        ("", "use the location .memory"), (":memory:", "use the location .memory"),
        ("file:shop.sqlite", "the path of that URL"), ("file::memory:", "is a URI"),
        ("https://example.org/shop.sqlite", "is a URI"),
        ("some/new/", "the path of a folder"), ("some/shop\0.sqlite", "contains a NUL"),
        ("/dev/null", "is not a regular file"),
    ])
    func `what is no path of a file is an error, and nothing is made`(path: String, words: String)
        throws
    {
        let before = try FileManager.default.contentsOfDirectory(atPath: ".")
        let error = expectOpening(throws: StoreError.self) {
            try PersistentContainer(model: Everything.model, at: .temporary(path))
        }
        #expect(error?.code == .cannotOpen && error?.message.contains(words) == true)
        let coordinator = PersistentStoreCoordinator(model: Everything.model)
        let loading = #expect(throws: StoreLoadingError.self) {
            try coordinator.addPersistentStore(at: .temporary(path))
        }
        #expect(loading?.code == .cannotOpen)
        let store = try coordinator.addPersistentStore(at: .temporary)
        #expect(throws: StoreError.self) { try coordinator.backUp(store, to: path) }
        #expect(throws: StoreLoadingError.self) {
            try coordinator.migratePersistentStore(store, to: .file(path))
        }
        #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator.destroyPersistentStore(at: path)
        }
        #expect(throws: StoreError.self) {
            try PersistentStoreCoordinator.replacePersistentStore(at: path, withStoreFrom: path)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: ".") == before)
    }
}
