import Cambium
import CambiumEngineSpecification
import EverythingModel
import Testing

/// Conditions that code builds in loops.
struct DeepConditionTests {
    @Test func `a condition of 30,000 levels is refused where it is used`() throws {
        try withNodes(1) { context, nodes, _ in
            let start: Condition<Node> = Node.label == "node 0"
            let nots = (0..<30_000).reduce(start) { condition, _ in !condition }
            let mixed = (0..<30_000).reduce(start) { condition, index in
                index.isMultiple(of: 2) ? condition && start : condition || start
            }
            let sum = (0..<30_000).reduce(Node.number + 0) { sum, _ in sum + 1 }
            let doubled = (0..<60).reduce(Node.number + 0) { sum, _ in sum + sum }
            for condition in [nots, mixed, sum == 3, doubled == 3] {
                #expect(throws: ExpressionDiagnostics.self) {
                    try context.fetch(Node.fetchRequest().filter(condition))
                }
                #expect(throws: ExpressionDiagnostics.self) { try condition.matches(nodes[0]) }
                #expect(condition == condition && condition.description.count < 10_000)
                #expect(Set([condition]).count == 1)
                _ = condition.for(Node.self)
            }
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a chain of 20,000 terms is built from either end`() throws {
        typealias Term = Condition<Node>
        let terms = (0..<20_000).map { Node.label == "node \($0)" }
        let fromLeft = terms.reduce(Term.false) { $0 || $1 }
        let fromRight = terms.reversed().reduce(Term.false) { $1 || $0 }
        #expect(fromLeft == fromRight)
        #expect(fromLeft.expression == .or(terms.map(\.expression)))
        #expect((!fromLeft).expression == .not(fromLeft.expression))
        let all = terms.reduce(Term.true) { $0 && $1 }
        #expect(all.expression == .and(terms.map(\.expression)))
    }

    @Test(.timeLimit(.minutes(10)), arguments: [TestSize.isFull ? 10_000 : 3_000])
    func `a request takes a long chain`(_ count: Int) throws {
        try withNodes(3) { context, nodes, _ in
            let any = (0..<count).map { Node.label == "node \($0)" }
                .reduce(Condition<Node>.false) { $0 || $1 }
            try #expect(context.fetch(Node.fetchRequest().filter(any)).count == 3)
            let none = (0..<count).map { Node.label != "node \($0)" }
                .reduce(Condition<Node>.true) { $0 && $1 }
            try #expect(context.fetch(Node.fetchRequest().filter(none)).isEmpty)
            let mixed = (0..<count / 10).map { index -> Condition<Node> in
                let isNamed: Condition<Node> = Node.label == "node \(index)"
                let isBefore: Condition<Node> = Node.number < Int64(index)
                let isNegative: Condition<Node> = Node.number == -1
                return isNamed && isBefore || isNegative
            }.reduce(Condition<Node>.false) { $0 || $1 }
            try #expect(context.fetch(Node.fetchRequest().filter(mixed)).count == 2)
            for condition in [any, none, mixed] {
                let found = try nodes.filter { try condition.matches($0) }.count
                try #expect(context.fetch(Node.fetchRequest().filter(condition)).count == found)
            }
        }
    }

    @Test func `objects in a chain are kept in order`() throws {
        try withNodes(3) { context, nodes, _ in
            let terms = nodes.map { Condition<Node>.object($0.objectID) }
            let condition = terms.reduce(Condition<Node>.false) { $0 || $1 }
            try #expect(context.fetch(Node.fetchRequest().filter(condition)).count == 3)
            let other: Condition<Node> = terms[0] || (terms[1] || terms[2])
            #expect(condition == other)
        }
    }
}
