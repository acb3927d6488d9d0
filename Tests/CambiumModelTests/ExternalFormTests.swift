import CambiumModel
import Foundation
import Testing

struct ExternalFormTests {
    @Test func `all names of a store have one folder of large values`() throws {
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "cambium-links-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder.appending(path: "real"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appending(path: name).path() }
        #expect(ExternalForm.folder(ofStore: "shop.sqlite") == ".shop.sqlite.external")
        #expect(
            ExternalForm.folder(ofStore: path("none.sqlite")) == path(".none.sqlite.external"))
        try Data().write(to: folder.appending(path: "real/shop.sqlite"))
        for (link, target) in [
            ("first", "real/shop.sqlite"), ("second", path("first")), ("third", "second"),
        ] {
            try FileManager.default.createSymbolicLink(
                atPath: path(link), withDestinationPath: target)
            #expect(
                ExternalForm.folder(ofStore: path(link)) == path("real/.shop.sqlite.external"))
        }
        // One that leads to itself ends somewhere.
        try FileManager.default.createSymbolicLink(
            atPath: path("circle"), withDestinationPath: "circle")
        #expect(ExternalForm.folder(ofStore: path("circle")) == path(".circle.external"))
    }
}
