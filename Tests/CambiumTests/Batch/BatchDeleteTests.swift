import Cambium
import CambiumEngineSpecification
import EverythingModel
import Foundation
import ShopModel
import Testing

struct BatchDeleteTests {
    /// A link to one of several entities has a column that says which.
    @Test func `of a cleared link nothing is left`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Dispute.model, at: .temporary(path))
            let context = container.newContext()
            let things = try (0..<2).map { try context.make("Thing", ["code": "\($0)"]) }
            let gadget = try context.make("Gadget", ["code": "gadget"])
            // One of both has the key, whichever side of the relationship that is.
            things[0][one: "mate"] = gadget
            gadget[one: "mate"] = things[1]
            try context.save()
            func linksToGadget() throws -> Int {
                try rows(#"SELECT * FROM "Thing" WHERE "code" <> 'gadget'"#, in: path)
                    .count { $0.contains(.text("Gadget")) }
            }
            #expect(try linksToGadget() == 1)
            try context.execute(BatchDeleteRequest<ManagedObject>(entityName: "Gadget"))
            #expect(try linksToGadget() == 0)
            #expect(things[0][one: "mate"] == nil && things[1][one: "mateOf"] == nil)
        }
    }

}
