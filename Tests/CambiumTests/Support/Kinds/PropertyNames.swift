import EverythingModel

/// The name of a property that ``Seen`` is asked for. What a key path is called, it does not tell.
func propertyName(of path: AnyKeyPath) -> String {
    guard let name = names[path] else {
        preconditionFailure("\(path) is missing among the names of properties.")
    }
    return name
}

// Safety: a constant; key paths to properties hold nothing that could change.
nonisolated(unsafe) private let names: [AnyKeyPath: String] = [
    \Node.label: "label", \Node.number: "number", \Node.box: "box", \Node.parts: "parts",
    \Node.next: "next", \Node.previous: "previous", \Node.tags: "tags",
    \Node.follows: "follows", \Node.followers: "followers", \Node.queue: "queue",
    \Box.name: "name", \Box.nodes: "nodes", \Box.topic: "topic",
    \Topic.name: "name", \Topic.nodes: "nodes", \Topic.boxes: "boxes",
    \Topic.waiting: "waiting",
    \Part.name: "name", \Part.node: "node",
    \Link.name: "name", \Link.successor: "successor", \Link.predecessor: "predecessor",
    \Link.children: "children", \Link.parent: "parent",
    \Person.name: "name", \Person.age: "age", \Person.passport: "passport",
    \Person.home: "home", \Person.owned: "owned",
    \Robot.name: "name", \Robot.serial: "serial", \Robot.home: "home",
    \Passport.number: "number", \Passport.holder: "holder",
    \Home.street: "street", \Home.residents: "residents", \Home.owner: "owner",
    \Limited.code: "code", \Limited.count: "count", \Limited.ratio: "ratio",
    \Limited.amount: "amount", \Limited.moment: "moment", \Limited.bytes: "bytes",
    \Limited.low: "low", \Limited.high: "high", \Limited.members: "members",
    \Member.name: "name", \Member.team: "team",
    \Tally.title: "title", \Tally.note: "note", \Tally.greatest: "greatest",
    \Tally.least: "least", \Tally.total: "total", \Tally.balance: "balance",
    \Tally.theirs: "theirs", \Tally.ours: "ours",
]
