import Cambium
import EverythingModel
import Foundation

/// What predicates may ask of related objects.
enum NodeShapes {
    private static let names = ["a", "b", "ab", "c"]
    private static let numbers: [Int64] = [-1, 0, 1, 2]

    /// - Parameter ids: Those of some nodes.
    static func all(_ ids: [ObjectID]) -> [PredicateShape<Node>] {
        var writer = ShapeWriter<Node>()
        writer.comparable("label", \.label, names)
        writer.whole("number", \.number, numbers)
        writer.equatable("objectID", \.objectID, ids)
        addToOnes(&writer, ids)
        addToManys(&writer)
        addNested(&writer)
        return writer.shapes
    }

    private static func addToOnes(_ writer: inout ShapeWriter<Node>, _ ids: [ObjectID]) {
        writer.add("box == nil") { node, _ in
            PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_KeyPath(root: node, keyPath: \.box),
                rhs: PredicateExpressions.NilLiteral<Box>())
        }
        writer.add("box?.name == a?") { node, random in
            let name: String? = (names + [nil]).pick(&random)
            return PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: node, keyPath: \.box)
                ) { PredicateExpressions.build_KeyPath(root: $0, keyPath: \.name) },
                rhs: PredicateExpressions.Value(name))
        }
        writer.add("box?.name.contains(a) ?? b") { node, random in
            let name = PredicateExpressions.Value(names.pick(&random))
            return PredicateExpressions.build_NilCoalesce(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: node, keyPath: \.box)
                ) { box in
                    PredicateExpressions.build_contains(
                        PredicateExpressions.build_KeyPath(root: box, keyPath: \.name), name)
                },
                rhs: PredicateExpressions.Value(random.chance(0.5)))
        }
        writer.add("(box?.name ?? a) < b") { node, random in
            compare(
                PredicateExpressions.build_NilCoalesce(
                    lhs: PredicateExpressions.build_flatMap(
                        PredicateExpressions.build_KeyPath(root: node, keyPath: \.box)
                    ) { PredicateExpressions.build_KeyPath(root: $0, keyPath: \.name) },
                    rhs: PredicateExpressions.Value(names.pick(&random))),
                PredicateExpressions.Value(names.pick(&random)), &random)
        }
        writer.add("next.flatMap { $0.number < number } ?? a") { node, random in
            PredicateExpressions.build_NilCoalesce(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: node, keyPath: \.next)
                ) { next in
                    compare(
                        PredicateExpressions.build_KeyPath(root: next, keyPath: \.number),
                        PredicateExpressions.build_KeyPath(root: node, keyPath: \.number),
                        &random)
                },
                rhs: PredicateExpressions.Value(random.chance(0.5)))
        }
        writer.add("next?.objectID == a?") { node, random in
            let id: ObjectID? = (ids + [nil]).pick(&random)
            return PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: node, keyPath: \.next)
                ) { PredicateExpressions.build_KeyPath(root: $0, keyPath: \.objectID) },
                rhs: PredicateExpressions.Value(id))
        }
        writer.add("next?.box?.name == a?") { node, random in
            let name: String? = (names + [nil]).pick(&random)
            return PredicateExpressions.build_Equal(
                lhs: PredicateExpressions.build_flatMap(
                    PredicateExpressions.build_KeyPath(root: node, keyPath: \.next)
                ) { next in
                    PredicateExpressions.build_flatMap(
                        PredicateExpressions.build_KeyPath(root: next, keyPath: \.box)
                    ) { PredicateExpressions.build_KeyPath(root: $0, keyPath: \.name) }
                },
                rhs: PredicateExpressions.Value(name))
        }
    }

    private static func addToManys(_ writer: inout ShapeWriter<Node>) {
        writer.add("parts.isEmpty") { node, _ in
            PredicateExpressions.build_KeyPath(
                root: PredicateExpressions.build_KeyPath(root: node, keyPath: \.parts),
                keyPath: \.isEmpty)
        }
        writer.add("parts.count < a") { node, random in
            compare(
                PredicateExpressions.build_KeyPath(
                    root: PredicateExpressions.build_KeyPath(root: node, keyPath: \.parts),
                    keyPath: \.count),
                PredicateExpressions.Value(Int.random(in: 0...2, using: &random)), &random)
        }
        writer.add("queue.count < a") { node, random in
            compare(
                PredicateExpressions.build_KeyPath(
                    root: PredicateExpressions.build_KeyPath(root: node, keyPath: \.queue),
                    keyPath: \.count),
                PredicateExpressions.Value(Int.random(in: 0...2, using: &random)), &random)
        }
        writer.add("parts.contains { $0.name == a }") { node, random in
            let name = PredicateExpressions.Value(names.pick(&random))
            return PredicateExpressions.build_contains(
                PredicateExpressions.build_KeyPath(root: node, keyPath: \.parts),
                where: { part in
                    PredicateExpressions.build_Equal(
                        lhs: PredicateExpressions.build_KeyPath(root: part, keyPath: \.name),
                        rhs: name)
                })
        }
        writer.add("queue.contains { $0.name < a }") { node, random in
            let name = PredicateExpressions.Value(names.pick(&random))
            return PredicateExpressions.build_contains(
                PredicateExpressions.build_KeyPath(root: node, keyPath: \.queue),
                where: { topic in
                    compare(
                        PredicateExpressions.build_KeyPath(root: topic, keyPath: \.name), name,
                        &random)
                })
        }
        writer.add("parts.allSatisfy { $0.name < a }") { node, random in
            let name = PredicateExpressions.Value(names.pick(&random))
            return PredicateExpressions.build_allSatisfy(
                PredicateExpressions.build_KeyPath(root: node, keyPath: \.parts)
            ) { part in
                compare(
                    PredicateExpressions.build_KeyPath(root: part, keyPath: \.name), name,
                    &random)
            }
        }
        writer.add("follows.filter { $0.number < a }.count < b") { node, random in
            let number = PredicateExpressions.Value(numbers.pick(&random))
            return compare(
                PredicateExpressions.build_KeyPath(
                    root: PredicateExpressions.build_filter(
                        PredicateExpressions.build_KeyPath(root: node, keyPath: \.follows)
                    ) { followed in
                        compare(
                            PredicateExpressions.build_KeyPath(root: followed, keyPath: \.number),
                            number, &random)
                    }, keyPath: \.count),
                PredicateExpressions.Value(Int.random(in: 0...2, using: &random)), &random)
        }
    }

    /// What looks at objects of objects.
    private static func addNested(_ writer: inout ShapeWriter<Node>) {
        writer.add("follows.contains { $0.parts.contains { $0.name == a } }") { node, random in
            let name = PredicateExpressions.Value(names.pick(&random))
            return PredicateExpressions.build_contains(
                PredicateExpressions.build_KeyPath(root: node, keyPath: \.follows),
                where: { followed in
                    PredicateExpressions.build_contains(
                        PredicateExpressions.build_KeyPath(root: followed, keyPath: \.parts),
                        where: { part in
                            PredicateExpressions.build_Equal(
                                lhs: PredicateExpressions.build_KeyPath(
                                    root: part, keyPath: \.name), rhs: name)
                        })
                })
        }
        writer.add("followers.allSatisfy { $0.number != number || $0.box == nil }") { node, _ in
            PredicateExpressions.build_allSatisfy(
                PredicateExpressions.build_KeyPath(root: node, keyPath: \.followers)
            ) { follower in
                PredicateExpressions.build_Disjunction(
                    lhs: PredicateExpressions.build_NotEqual(
                        lhs: PredicateExpressions.build_KeyPath(root: follower, keyPath: \.number),
                        rhs: PredicateExpressions.build_KeyPath(root: node, keyPath: \.number)),
                    rhs: PredicateExpressions.build_Equal(
                        lhs: PredicateExpressions.build_KeyPath(root: follower, keyPath: \.box),
                        rhs: PredicateExpressions.NilLiteral<Box>()))
            }
        }
        writer.add("tags.contains { $0.name == label }") { node, _ in
            PredicateExpressions.build_contains(
                PredicateExpressions.build_KeyPath(root: node, keyPath: \.tags),
                where: { topic in
                    PredicateExpressions.build_Equal(
                        lhs: PredicateExpressions.build_KeyPath(root: topic, keyPath: \.name),
                        rhs: PredicateExpressions.build_KeyPath(root: node, keyPath: \.label))
                })
        }
        writer.add("(box?.nodes.count ?? a) < b") { node, random in
            compare(
                PredicateExpressions.build_NilCoalesce(
                    lhs: PredicateExpressions.build_flatMap(
                        PredicateExpressions.build_KeyPath(root: node, keyPath: \.box)
                    ) { box in
                        PredicateExpressions.build_KeyPath(
                            root: PredicateExpressions.build_KeyPath(root: box, keyPath: \.nodes),
                            keyPath: \.count)
                    },
                    rhs: PredicateExpressions.Value(Int.random(in: 0...2, using: &random))),
                PredicateExpressions.Value(Int.random(in: 0...3, using: &random)), &random)
        }
    }

    /// Nodes, of which half have no box and no next one.
    static func fill(
        _ context: ManagedObjectContext, _ random: inout SeededGenerator
    ) -> [ObjectID] {
        let boxes = names.prefix(2).map { Box(in: context, name: $0) }
        let topics = names.map { Topic(in: context, name: $0) }
        let nodes = (0..<10).map { _ in
            Node(in: context, label: names.pick(&random), number: numbers.pick(&random))
        }
        for (node, next) in zip(nodes, nodes.dropFirst()) {
            if random.chance(0.5) { node.box = boxes.pick(&random) }
            if random.chance(0.5) { node.next = next }
            for _ in 0..<Int.random(in: 0...2, using: &random) {
                _ = Part(in: context, name: names.pick(&random), node: node)
                node.follows.insert(nodes.pick(&random))
                node.tags.insert(topics.pick(&random))
            }
            if random.chance(0.5) { node.queue.append(topics.pick(&random)) }
        }
        return nodes.prefix(3).map(\.objectID)
    }
}
