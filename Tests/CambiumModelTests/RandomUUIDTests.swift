import CambiumModel
import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

struct RandomUUIDTests {
    @Test func `a new UUID is of version 4, and no two are the same`() throws {
        let ids = try (0..<1000).map { _ in try UUID.random() }
        #expect(Set(ids).count == 1000)
        for id in ids {
            let text = Array(id.uuidString)
            #expect(text[14] == "4" && "89AB".contains(text[19]) && UUID.isSpelled(id.uuidString))
        }
    }

    #if canImport(Glibc)
        // In a process of its own, which may open no more files.
        @Test func `a new UUID needs no file`() async {
            await #expect(processExitsWith: .success) {
                var limit = rlimit()
                getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                limit.rlim_cur = 0
                setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
                #expect(open("/dev/urandom", O_RDONLY) == -1)
                let ids = try (0..<100).map { _ in try UUID.random() }
                #expect(Set(ids).count == 100)
            }
        }
    #endif

    @Test(arguments: [
        ("7A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5", true),
        ("7a1c0e6c-3e4b-4e9b-b770-a4c0f1d2e3b5", true),
        ("-A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B5", false),
        ("7A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B", false),
        ("7A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B55", false),
        ("../C0E6C-3E4B-4E9B-B770-A4C0F1D2E3B55", false),
        ("７A1C0E6C-3E4B-4E9B-B770-A4C0F1D2E3", false), ("", false),
    ])
    func `only what is written as a UUID is one`(text: String, isOne: Bool) {
        #expect(UUID.isSpelled(text) == isOne)
    }
}
