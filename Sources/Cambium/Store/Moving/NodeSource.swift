/// A store whose rows another one can take over, whatever keeps them.
protocol NodeSource: Store {
    /// Hands over all rows of some hierarchies, as they are at one moment.
    ///
    /// - Parameters:
    ///   - roots: The numbers of the root entities.
    ///   - receive: Takes the next rows, all of one hierarchy, in the order of their keys. It must
    ///     not use the store.
    func readNodes(
        of roots: [Int], _ receive: (_ nodes: [StoreNode], _ root: Int) throws -> Void) throws

    /// The first key of a root entity that was never given; nil where nobody can say, because
    /// asking would use it up and the store is not to be written.
    func nextKey(ofRoot root: Int) throws -> Int64?
}

extension NodeSource {
    /// How many rows are handed over at once.
    static var nodesAtOnce: Int { 500 }
}
