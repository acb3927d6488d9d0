import CambiumModel
import Foundation
import Testing

@testable import CambiumMigration

/// Folders and files that a process needs for a while.
struct ScratchFolderTests {
    private func permissions(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `a folder is its owner's alone, goes with the value, and takes leftovers along`()
        throws
    {
        let start = FileManager.default.temporaryDirectory.appendingPathComponent("cambium").path
        let leftover = try UnfinishedFile.path(for: start, "-scratch")
        try FileManager.default.createDirectory(
            atPath: leftover + "/inner", withIntermediateDirectories: true)
        let first = try ScratchFolder()
        // Another test may be the one that takes it away, and not have ended.
        for _ in 0..<1000 where StoreFiles.exists(leftover) { usleep(10_000) }
        #expect(!StoreFiles.exists(leftover))
        #expect(try permissions(first.path) == 0o700)
        let path: String
        do {
            let second = try ScratchFolder()
            path = second.path
            // The first one is in use.
            #expect(StoreFiles.isFolder(first.path) && StoreFiles.isFolder(path))
            withExtendedLifetime(second) {}
        }
        #expect(!StoreFiles.exists(path))
        withExtendedLifetime(first) {}
    }

    @Test func `a file gets its name when it is finished, and what a killed process left goes`()
        throws
    {
        let folder = try ScratchFolder()
        let path = folder.path + "/result"
        let leftover = try UnfinishedFile.path(for: folder.path + "/.result", ".partial")
        try Data("half".utf8).write(to: URL(filePath: leftover))
        let names = { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
        do {
            let first = try PartialFile(path, mode: 0o600)
            #expect(!StoreFiles.exists(leftover))
            try first.append([1] as [UInt8])
            let second = try PartialFile(path, mode: 0o640)
            #expect(try names().count == 2)
            try second.append([2] as [UInt8])
            try second.finish()
            #expect(try permissions(path) == 0o640)
            withExtendedLifetime(first) {}
        }
        #expect(try names() == ["result"])
        #expect(FileManager.default.contents(atPath: path) == Data([2]))
        withExtendedLifetime(folder) {}
    }
}
