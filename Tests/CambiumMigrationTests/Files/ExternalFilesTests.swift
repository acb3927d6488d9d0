import CambiumModel
import Foundation
import Testing

@testable import CambiumMigration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder of a store's large values.
struct ExternalFilesTests {
    private static let names = (1...3).map { "\($0)A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5" }

    /// A store that only its owner and the group may use.
    private func withStore(
        _ body: (_ path: String, _ files: ExternalFiles) throws -> Void
    ) throws {
        let scratch = try ScratchFolder()
        let path = scratch.path + "/store.sqlite"
        _ = try SystemFile.making(path, mode: 0o640)
        try withExtendedLifetime(scratch) { try body(path, ExternalFiles(ofStore: path)) }
    }

    private func content(_ files: ExternalFiles) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: files.folder).sorted()
    }

    @Test func `a name that is taken fails the save, and who has it keeps the file`() throws {
        try withStore { _, files in
            let first = try files.write([Self.names[1]: Data([1])], superfluous: [])
            files.finish(first, removing: [])
            let error = #expect(throws: FileError.self) {
                try files.write(
                    Dictionary(uniqueKeysWithValues: Self.names.map { ($0, Data([2])) }),
                    superfluous: [])
            }
            #expect(error?.reason == "File exists")
            #expect(try content(files) == [Self.names[1]])
            #expect(try files.read(Self.names[1]) == Data([1]))
        }
    }

    @Test func `the journal goes after the files that it names, and not before`() throws {
        try withStore { _, files in
            let journal = try files.write([Self.names[0]: Data([1])], superfluous: [])
            #expect(try files.names(inJournal: journal) == [Self.names[0]])
            mkdir("\(files.folder)/\(Self.names[1])", 0o700)
            files.finish(journal, removing: Self.names)
            #expect(try content(files) == [Self.names[1], journal].sorted())
            rmdir("\(files.folder)/\(Self.names[1])")
            files.finish(journal, removing: Self.names)
            #expect(try content(files) == [])
        }
    }

    @Test func `a link is no value, and a link to a folder no folder of values`() throws {
        try withStore { path, files in
            let secret = StoreFiles.folder(of: path) + "/secret"
            try Data("secret".utf8).write(to: URL(filePath: secret))
            let journal = try files.write([Self.names[0]: Data([1])], superfluous: [])
            files.finish(journal, removing: [])
            symlink(secret, "\(files.folder)/\(Self.names[1])")
            #expect(throws: FileError.self) { try files.read(Self.names[1]) }
            #expect(throws: FileError.self) { try files.read("../secret") }
            // A copy has the values, and nothing else.
            let copy = ExternalFiles(ofStore: path + ".copy", permissionsOf: path)
            try files.link(into: copy)
            #expect(try content(copy) == [Self.names[0]])
            rename(copy.folder, copy.folder + ".moved")
            symlink(files.folder, copy.folder)
            #expect(throws: FileError.self) { try copy.read(Self.names[0]) }
            #expect(throws: FileError.self) { try copy.write([:], superfluous: []) }
            #expect(throws: FileError.self) { try copy.link(into: files) }
            copy.removeAll()
            #expect(try content(files) == [Self.names[0], Self.names[1]])
        }
    }

    @Test func `what is none of the store's stays when a store is destroyed`() throws {
        try withStore { _, files in
            let journal = try files.write([Self.names[0]: Data([1])], superfluous: [])
            let note = "\(files.folder)/note.txt"
            try Data("mine".utf8).write(to: URL(filePath: note))
            mkdir("\(files.folder)/folder", 0o700)
            #expect(files.names == [Self.names[0], journal])
            files.removeAll()
            #expect(try content(files) == ["folder", "note.txt"])
            try FileManager.default.removeItem(atPath: note)
            rmdir("\(files.folder)/folder")
            files.removeAll()
            #expect(!StoreFiles.exists(files.folder))
        }
    }

    @Test func `files and folder allow nobody more than the store does`() throws {
        try withStore { path, files in
            func mode(_ path: String) -> mode_t {
                var info = stat()
                lstat(path, &info)
                return info.st_mode & 0o777
            }
            let journal = try files.write([Self.names[0]: Data([1])], superfluous: [])
            #expect(mode(files.folder) == 0o750)
            for name in [Self.names[0], journal] {
                #expect(mode("\(files.folder)/\(name)") == 0o640)
            }
            chmod(path, 0o604)
            files.finish(journal, removing: Self.names)
            rmdir(files.folder)
            _ = try files.write([Self.names[0]: Data([1])], superfluous: [])
            #expect(mode(files.folder) == 0o705)
            #expect(mode("\(files.folder)/\(Self.names[0])") == 0o604)
        }
    }

    @Test func `members of another group than the store's get what others get`() throws {
        try withStore { path, _ in
            let permissions = StorePermissions(of: path)
            let folder = StoreFiles.folder(of: path)
            #expect(permissions.mode(in: folder) == 0o640)
            // Files of this folder get its group, which the store has not.
            let other = folder + "/other"
            mkdir(other, 0o700)
            guard chown(other, getuid(), 12_345) == 0 else { return }
            chmod(other, 0o2700)
            #expect(permissions.mode(in: other) == 0o600)
            chmod(path, 0o664)
            #expect(StorePermissions(of: path).mode(in: other) == 0o644)
            #expect(StorePermissions(of: path + ".not").mode(in: folder) == 0o600)
        }
    }
}
