import Cambium
import EverythingModel

/// Nodes and boxes that change at random, and random requests for them.
struct RandomRequest {
    private var random: SeededGenerator

    private static let labels = ["", "a", "A", "b", "Ä", "ab", "a10", "a9", "B", "é"]

    init(using random: SeededGenerator) {
        self.random = random
    }

    // MARK: Changes

    /// Objects to begin with.
    mutating func fill(_ context: ManagedObjectContext) {
        for _ in 0..<Int.random(in: 0...4, using: &random) {
            _ = Box(in: context, name: label())
        }
        for _ in 0..<Int.random(in: 0...12, using: &random) { insert(context) }
    }

    /// Some inserts, updates and deletes.
    mutating func change(_ context: ManagedObjectContext) throws {
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let nodes = try context.fetch(Node.fetchRequest())
            let boxes = try context.fetch(Box.fetchRequest())
            switch Int.random(in: 0..<6, using: &random) {
            case 0: insert(context)
            case 1: nodes.randomElement(using: &random).map(context.delete)
            case 2: nodes.randomElement(using: &random)?.label = label()
            case 3: nodes.randomElement(using: &random)?.number = number()
            case 4:
                nodes.randomElement(using: &random)?.box = boxes.randomElement(using: &random)
            default: boxes.randomElement(using: &random)?.name = label()
            }
        }
    }

    private mutating func insert(_ context: ManagedObjectContext) {
        let node = Node(in: context, label: label(), number: number())
        if random.chance(0.6) {
            node.box = (try? context.fetch(Box.fetchRequest()))?.randomElement(using: &random)
        }
    }

    private mutating func label() -> String {
        Self.labels.randomElement(using: &random) ?? ""
    }

    private mutating func number() -> Int64 { Int64.random(in: -2...5, using: &random) }

    // MARK: Requests

    mutating func request() -> FetchRequest<Node> {
        var request = Node.fetchRequest()
        if random.chance(0.6) { request = request.filter(condition()) }
        request.sortOrders = (0..<Int.random(in: 0...3, using: &random)).map { _ in order() }
        if random.chance(0.5) { request.limit = Int.random(in: 0...6, using: &random) }
        if random.chance(0.4) { request.offset = Int.random(in: 0...6, using: &random) }
        return request
    }

    private mutating func condition() -> Condition<Node> {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: Node.number < number()
        case 1: Node.label != label()
        case 2: Node.box.name == label()
        case 3: Node.box == nil
        default: !(Node.box.name > label()) && Node.number >= number()
        }
    }

    mutating func order() -> SortOrder<Node> {
        let texts: [TextOrder] = [.bytes, .caseInsensitive, .natural, .language("sv")]
        let text = texts.randomElement(using: &random) ?? .bytes
        var order: SortOrder<Node>
        switch (Int.random(in: 0..<3, using: &random), random.chance(0.5)) {
        case (0, true): order = Node.number.ascending
        case (0, false): order = Node.number.descending
        case (1, true): order = Node.label.ascending(text)
        case (1, false): order = Node.label.descending(text)
        case (_, true): order = Node.box.name.ascending(text)
        case (_, false): order = Node.box.name.descending(text)
        }
        if random.chance(0.3) { order = random.chance(0.5) ? order.nilFirst : order.nilLast }
        return order
    }

    /// A request for values: of each object, of groups, or of all.
    mutating func results() -> ResultRequest<Node, [String: PropertyValue]> {
        var base = request()
        switch Int.random(in: 0..<4, using: &random) {
        case 0: return base.dictionaries("label", "number", "box", "box.name")
        case 1:
            base.sortOrders = []
            let request = base.dictionaries("label", "box.name").distinct()
            return random.chance(0.5)
                ? request.sorted(by: Node.label.descending(.natural)) : request
        case 2:
            base.sortOrders = []
            return base.dictionaries([
                "count": Node.objectID.count.resultExpression,
                "sum": Node.number.sum.resultExpression,
                "mean": Node.number.average.resultExpression,
                "least": Node.box.name.min.resultExpression,
            ])
        default:
            base.sortOrders = []
            var request = base.dictionaries([
                "name": Node.box.name.resultExpression,
                "count": Node.objectID.count.resultExpression,
                "sum": (Node.number * 3).sum.resultExpression,
                "most": Node.label.max.resultExpression,
            ]).grouped(by: Node.box.name)
            if random.chance(0.5) {
                request = request.having(
                    Node.number.sum > Int(number()) || !(Node.label.max == label()))
            }
            if random.chance(0.5) {
                request = request.sorted(
                    by: Node.objectID.count.descending, Node.box.name.ascending.nilLast)
            }
            return request
        }
    }
}
