import Cambium
import Testing

/// Links of every kind, with and without an inverse, in a context, its child and a sibling that
/// deletes what they lead to. Nobody else is to be in the way of a save, whoever is linked anew is
/// told, and in the end all show what the store has.
struct RandomLinkTests {
    @Test(arguments: [MergePolicy.error, .storeTrump, .objectTrump, .overwrite, .rollback])
    func `links to what others delete are in nobody's way`(_ policy: MergePolicy) throws {
        try forEachSeed(share: 0.2, for: 1) { seed in
            try withContainer(Links.model) { container in
                var work = LinkWork(container, policy, seed: seed)
                try work.run(steps: 40)
            }
        }
    }
}

/// Items that lead to targets, in all ways.
enum Links {
    static let model = CompiledModel(
        Model(
            name: "Links", version: "1",
            entities: [
                Entity(
                    name: "Item", attributes: [name],
                    relationships: [
                        Relationship(name: "one", destination: "Target", inverse: "ones"),
                        Relationship(name: "partner", destination: "Target", inverse: "partner"),
                        Relationship(name: "lone", destination: "Target", inverse: nil),
                        to("pairs", "Target", "pairs"), to("places", "Target", "places", true),
                        to("lones", "Target", nil),
                    ]),
                Entity(
                    name: "Target", attributes: [name],
                    relationships: [
                        to("ones", "Item", "one"),
                        Relationship(name: "partner", destination: "Item", inverse: "partner"),
                        to("pairs", "Item", "pairs"), to("places", "Item", "places"),
                        Relationship(name: "next", destination: "Target", inverse: "previous"),
                        Relationship(name: "previous", destination: "Target", inverse: "next"),
                    ]),
            ]))

    /// What is kept by the row of an object itself, or by nobody else.
    static let own: [String: Set<String>] = [
        "Item": ["name", "one", "lone", "lones"], "Target": ["name"],
    ]
    static let toOnes = [
        "Item": ["one", "partner", "lone"], "Target": ["partner", "next", "previous"],
    ]
    static let toManys = [
        "Item": ["pairs", "places", "lones"], "Target": ["ones", "pairs", "places"],
    ]

    private static let name = Attribute(
        name: "name", type: .string, defaultValue: .constant(.string("")))

    private static func to(
        _ name: String, _ destination: String, _ inverse: String?, _ isOrdered: Bool = false
    ) -> Relationship {
        Relationship(
            name: name, destination: destination, inverse: inverse, isToMany: true,
            isOrdered: isOrdered)
    }
}
