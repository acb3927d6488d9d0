import Foundation
import Synchronization
import Testing

@testable import CambiumMigration

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

struct SystemFileTests {
    /// A folder whose name a URL would spell differently.
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let scratch = try ScratchFolder()
        let folder = URL(filePath: scratch.path).appending(path: "a folder, 100% für uns")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try withExtendedLifetime(scratch) { try body(folder) }
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

    @Test func `a file is made once, and takes another's name`()
        throws
    {
        try withFolder { folder in
            let (one, other) = (path("one", in: folder), path("other", in: folder))
            let file = try SystemFile.making(one, mode: 0o600)
            try file.append(Data("first".utf8))
            try file.synchronize()
            let failure = #expect(throws: FileError.self) {
                try SystemFile.making(one, mode: 0o600)
            }
            #expect(failure?.description == "\(one) cannot be opened: File exists.")
            try SystemFile.making(other, mode: 0o600).append(Data("second".utf8))
            try SystemFile.move(other, to: one)
            try #expect(SystemFile.reading(one).bytes(100, at: nil) == Array("second".utf8))
            // Who had the file open goes on with it.
            #expect(file.size == 5)
            #expect(SystemFile.remove(one) && SystemFile.remove(one))
            // A folder is none, and stays.
            #expect(!SystemFile.remove(folder.path(percentEncoded: false)))
            let gone = #expect(throws: FileError.self) { try SystemFile.reading(one) }
            #expect(gone?.description == "\(one) cannot be opened: No such file or directory.")
            #expect(throws: FileError.self) { try SystemFile.synchronize(folder: one) }
            #expect(throws: FileError.self) { try SystemFile.move(other, to: one) }
        }
    }

    @Test func `what the system refuses is said with its reason`() throws {
        try withFolder { folder in
            let made = path("read only", in: folder)
            _ = try SystemFile.making(made, mode: 0o600)
            let file = try SystemFile.reading(made)
            let failure = #expect(throws: FileError.self) { try file.append([1] as [UInt8]) }
            #expect(failure?.description == "\(made) cannot be written: Bad file descriptor.")
            let folderFile = try SystemFile.reading(folder.path(percentEncoded: false))
            #expect(throws: FileError.self) { try folderFile.bytes(1, at: nil) }
            #expect(folderFile.size == nil)
        }
    }

    @Test func `a call that a signal has ended is made again, and no other one`() {
        var results: [Int32] = [-1, -1, 7]
        #expect(
            retrying {
                errno = EINTR
                return results.removeFirst()
            } == 7)
        var count = 0
        #expect(
            retrying {
                count += 1
                errno = EIO
                return -1
            } == -1)
        #expect(results.isEmpty && count == 1)
    }

    // In a process of its own, whose thread gets the signal.
    @Test func `a file that a signal keeps from being opened is opened all the same`() async {
        await #expect(processExitsWith: .success) {
            let scratch = try ScratchFolder()
            let pipe = scratch.path + "/pipe"
            #expect(mkfifo(pipe, 0o600) == 0)
            var action = sigaction()
            #if canImport(Glibc)
                action.__sigaction_handler.sa_handler = { _ in }
            #else
                action.__sigaction_u.__sa_handler = { _ in }
            #endif
            // Without a flag that would have the system go on by itself.
            sigaction(SIGUSR1, &action, nil)
            let reader = pthread_self()
            let isOpen = Atomic(false)
            Thread.detachNewThread {
                // It waits for a writer, and is woken meanwhile.
                for _ in 0..<20 {
                    usleep(10_000)
                    pthread_kill(reader, SIGUSR1)
                }
                let file = try? SystemFile.writing(pipe)
                try? file?.append([5] as [UInt8])
                while !isOpen.load(ordering: .acquiring) { usleep(1000) }
            }
            let file = try SystemFile.reading(pipe)
            #expect(try file.bytes(10, at: nil) == [5])
            isOpen.store(true, ordering: .releasing)
            withExtendedLifetime(scratch) {}
        }
    }

    @Test func `of a folder only files themselves are read, and nothing is waited for`() throws {
        try withFolder { url in
            let path = url.path(percentEncoded: false)
            _ = try SystemFile.making("secret", in: SystemFolder(path), mode: 0o600)
            let inner = path + "/inner"
            let folder = try SystemFolder(making: inner, mode: 0o700)
            try folder.make("file", mode: 0o600) { file throws(FileError) in
                try file.append([1, 2] as [UInt8])
            }
            symlink("../secret", inner + "/link")
            mkfifo(inner + "/pipe", 0o600)
            mkdir(inner + "/folder", 0o700)
            #expect(try SystemFile.reading(file: "file", in: folder).contents() == Data([1, 2]))
            for name in ["link", "pipe", "folder"] {
                #expect(throws: FileError.self) { try SystemFile.reading(file: name, in: folder) }
            }
            // What the folder's path leads to by then does not matter.
            rename(inner, path + "/moved")
            symlink(path, inner)
            #expect(throws: FileError.self) { try SystemFile.reading(file: "secret", in: folder) }
            let failure = #expect(throws: FileError.self) { try SystemFolder(inner) }
            #expect(failure?.description.contains("it is a link") == true)
            #expect(throws: FileError.self) { try SystemFolder(making: inner, mode: 0o700) }
            #expect(throws: FileError.self) {
                try SystemFile.making("link", in: folder, mode: 0o600)
            }
        }
    }
}
