/// A relationship of an imported object that is to be set when its row is there.
struct ImportLinkTask: Codable {
    let source: Int
    /// The number of its plan among those of the source.
    let plan: Int
    let line: Int
    /// The number of the relationship in the plan.
    let relationship: Int
    /// What it is to lead to, and to nothing else.
    let keys: [ExchangeKey]
    /// The same as keys of objects; nil while not all are known.
    var targets: [Int64]?
    /// The key of the object.
    var owner: Int64 = 0

    /// The same of an object.
    func of(_ owner: Int64) -> ImportLinkTask {
        var task = self
        task.owner = owner
        return task
    }
}
