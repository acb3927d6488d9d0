@testable import Cambium
import CambiumEngineSpecification
import EverythingModel
import Testing

private typealias Node = Seen<EverythingModel.Node>
private typealias Box = Seen<EverythingModel.Box>
private typealias Topic = Seen<EverythingModel.Topic>
private typealias Person = Seen<EverythingModel.Person>
private typealias Passport = Seen<EverythingModel.Passport>

/// Two contexts give one object two partners in a one-to-one, which the store has no index against.
@Suite(.bothKinds) struct PartnerTests {
    private static let policies: [MergePolicy] = [
        .error, .rollback, .overwrite, .storeTrump, .objectTrump,
    ]

    @Test(arguments: TestSize.sample(StoreKind.kinds, oneIn: 2), policies)
    func `an object has one partner whatever two contexts do`(
        _ kind: StoreKind, _ policy: MergePolicy
    ) throws {
        try withContainer(ObjectKind.current.everything, on: kind) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let nodes = (0..<3).map { Node(in: first, label: "\($0)") }
            try first.save()
            let same: [Node] = try nodes.map { try second.get($0.objectID) }
            #expect(same[2].previous == nil)
            nodes[0].next = nodes[2]
            try first.save()
            same[1].next = same[2]
            same[1].label = "ours"
            second.mergePolicy = policy
            if policy == .error {
                let error = #expect(throws: ConstraintConflictError.self) { try second.save() }
                #expect(error?.conflicts.map(\.constraint) == [["next"]])
                #expect(error?.conflicts.first?.databaseObjectID == nodes[0].objectID)
                #expect(same[1].next === same[2])
                #expect(same[2].previous === same[1])
                return
            }
            try second.save()
            let keepsOurs = policy == .objectTrump || policy == .overwrite
            let reader = container.newContext()
            let read: [Node] = try nodes.map { try reader.get($0.objectID) }
            #expect(read[2].previous === (keepsOurs ? read[1] : read[0]))
            #expect(read.map { $0.next != nil } == [!keepsOurs, keepsOurs, false])
            #expect(read[1].label == (policy == .rollback ? "1" : "ours"))
            #expect(same[2].previous === (keepsOurs ? same[1] : same[0]))
            #expect((same[1].next != nil) == keepsOurs)
            #expect((same[0].next != nil) == !keepsOurs)
            first.mergePending()
            #expect((nodes[0].next != nil) == !keepsOurs)
            #expect(nodes[2].previous === (keepsOurs ? nodes[1] : nodes[0]))
            // Everybody knows the versions.
            nodes[0].label = "after"
            try first.save()
        }
    }

    @Test(arguments: policies)
    func `a partner that must have the link is not let go`(_ policy: MergePolicy) throws {
        try withContainer(ObjectKind.current.everything) { container in
            let (first, second) = (container.newContext(), container.newContext())
            let person = Person(in: first, name: "Ann")
            try first.save()
            let same: Person = try second.get(person.objectID)
            #expect(same.passport == nil)
            _ = Passport(in: first, number: "1", holder: person)
            try first.save()
            _ = Passport(in: second, number: "2", holder: same)
            second.mergePolicy = policy
            #expect(throws: ConstraintConflictError.self) { try second.save() }
            #expect(same.passport?.number == "2")
            let reader = container.newContext()
            let numbers = try reader.see(Passport.fetchRequest()).map(\.number)
            #expect(numbers == ["1"])
        }
    }

    @Test func `partners are exchanged in one save`() throws {
        try withContainer(ObjectKind.current.everything) { container in
            let context = container.newContext()
            let nodes = (0..<4).map { Node(in: context, label: "\($0)") }
            nodes[0].next = nodes[2]
            nodes[1].next = nodes[3]
            try context.save()
            nodes[0].next = nodes[3]
            nodes[1].next = nodes[2]
            try context.save()
            let reader = container.newContext()
            let read: [Node] = try nodes.map { try reader.get($0.objectID) }
            #expect(read.map { $0.next?.label } == ["3", "2", nil, nil])
        }
    }
}
