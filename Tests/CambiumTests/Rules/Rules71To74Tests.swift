@testable import Cambium
import CambiumEngineSpecification
import EverythingModel
import Testing

/// Unique values that two objects want, and objects that a save only relies on.
@Suite(.onServers)
struct Rules71To74Tests {
    private static let policies: [MergePolicy] = [
        .rollback, .overwrite, .storeTrump, .objectTrump,
    ]

    @Test(arguments: policies)
    func `rule 72: relationships of the object that gives way move over`(
        _ policy: MergePolicy
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Dispute.model, at: .temporary(path))
            let (first, second) = (container.newContext(), container.newContext())
            let stored = try first.make("Thing", ["code": "same"])
            let oldPiece = try first.make("Piece", ["name": "both"])
            oldPiece[one: "thing"] = stored
            try first.save()
            let thing = try second.make("Thing", ["code": "same"])
            // Unique together with the thing: it meets the old piece as soon as the things are one.
            let samePiece = try second.make("Piece", ["name": "both"])
            let newPiece = try second.make("Piece", ["name": "new"])
            let label = try second.make("Label", ["name": "label"])
            samePiece[one: "thing"] = thing
            newPiece[one: "thing"] = thing
            try thing.many("labels").insert(label)
            second.mergePolicy = policy
            try second.save()
            let reader = container.newContext()
            #expect(try reader.all("Piece").map { $0["name"] } == ["both", "new"])
            for piece in try reader.all("Piece") {
                #expect(piece[one: "thing"]?.objectID == stored.objectID)
            }
            #expect(samePiece.objectID == oldPiece.objectID)
            let labels = try reader.all("Thing").first?.many("labels").map { $0["name"] }
            #expect(labels == (policy == .rollback ? [] : ["label"]))
            #expect(try thing.many("labels").count == labels?.count)
            #expect(try thing.many("pieces").count == 2)
            #expect(try danglingKeys(in: path).isEmpty)
        }
    }

}
