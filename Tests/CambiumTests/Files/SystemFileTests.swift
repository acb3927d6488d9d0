@testable import Cambium
import Foundation
import Testing

struct SystemFileTests {
    /// A folder whose name a URL would spell differently.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        try withStoreFile { path in
            let folder = URL(filePath: path).deletingLastPathComponent()
                .appending(path: "a folder, 100% für uns")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try body(folder)
        }
    }

    private func path(_ name: String, in folder: URL) -> String {
        folder.appending(path: name).path(percentEncoded: false)
    }

    @Test func `a temporary file is in a folder of any name, and has none itself`() throws {
        try withFolder { folder in
            let file = try SystemFile.temporary(in: folder)
            try file.append([1, 2, 3] as [UInt8])
            try file.append(Data([4]))
            try #expect(file.bytes(10, at: 1) == [2, 3, 4])
            #expect(file.size == 4)
            let names = try FileManager.default.contentsOfDirectory(
                atPath: folder.path(percentEncoded: false))
            #expect(names.isEmpty)
        }
    }

    @Test func `a file is made once, emptied as often as one likes, and takes another's name`()
        throws
    {
        try withFolder { folder in
            let (one, other) = (path("one", in: folder), path("other", in: folder))
            let file = try SystemFile.making(one)
            try file.append(Data("first".utf8))
            try file.synchronize()
            let failure = #expect(throws: StoreError.self) { try SystemFile.making(one) }
            #expect(failure?.message == "\(one) cannot be opened: File exists.")
            try SystemFile.writing(other).append(Data("second".utf8))
            try SystemFile.move(other, to: one)
            try #expect(SystemFile.reading(one).bytes(100, at: nil) == Array("second".utf8))
            // Who had the file open goes on with it.
            #expect(file.size == 5)
            SystemFile.remove(one)
            SystemFile.remove(one)
            let gone = #expect(throws: StoreError.self) { try SystemFile.reading(one) }
            #expect(gone?.message == "\(one) cannot be opened: No such file or directory.")
            #expect(throws: StoreError.self) { try SystemFile.synchronize(folder: one) }
            #expect(throws: StoreError.self) { try SystemFile.move(other, to: one) }
        }
    }

    @Test func `what the system refuses is said with its reason`() throws {
        try withFolder { folder in
            let made = path("read only", in: folder)
            _ = try SystemFile.making(made)
            let file = try SystemFile.reading(made)
            let failure = #expect(throws: StoreError.self) { try file.append([1] as [UInt8]) }
            #expect(failure?.message == "\(made) cannot be written: Bad file descriptor.")
            let folderFile = try SystemFile.reading(folder.path(percentEncoded: false))
            #expect(throws: StoreError.self) { try folderFile.bytes(1, at: nil) }
            #expect(folderFile.size == nil)
        }
    }
}
