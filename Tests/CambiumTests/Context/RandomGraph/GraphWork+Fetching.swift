import Cambium
import EverythingModel
import Testing

extension GraphWork {
    /// Compares a fetch with what the dictionaries say.
    mutating func checkFetch() throws {
        let limit = Int64.random(in: 0..<5, using: &generator)
        let box = pick(world.boxes.keys)
        var request = Node.fetchRequest()
        let matches: (ObjectID, World.NodeValues) -> Bool
        let world = world
        switch Int.random(in: 0..<5, using: &generator) {
        case 0:
            request = request.filter(Node.number < limit)
            matches = { $1.number < limit }
        case 1:
            guard let box else { return }
            request = request.filter(Node.box == box)
            matches = { $1.box == box }
        case 2:
            request = request.filter(Node.box.name == "box 1" || Node.number == limit)
            matches = { $1.box.flatMap { world.boxes[$0] } == "box 1" || $1.number == limit }
        case 3:
            request = request.filter(Node.tags.count > Int(limit))
            matches = { id, _ in world.tagged.count { $0.from == id } > limit }
        default:
            request = request.filter(Node.followers.any(Node.number > limit))
            matches = { id, _ in
                world.follows.contains {
                    $0.to == id && (world.nodes[$0.from]?.number ?? 0) > limit
                }
            }
        }
        let offset = Int.random(in: 0..<3, using: &generator)
        request = request.sorted(by: Node.number.descending).offset(offset).limit(4)
        let expected = world.nodes.filter { matches($0.key, $0.value) }
            .sorted { ($1.value.number, $0.key.key) < ($0.value.number, $1.key.key) }
            .map(\.key).dropFirst(offset).prefix(4)
        let found = try context.see(request).map(\.objectID)
        if found != Array(expected) {
            try fail("\(request) found \(found) instead of \(Array(expected))")
        }
        let count = try context.countSeen(request)
        if count != found.count { try fail("count is \(count), the fetch found \(found.count)") }
    }
}
