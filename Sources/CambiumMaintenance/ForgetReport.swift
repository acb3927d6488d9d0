/// The copies of a store that migrations had left, and that were removed.
package struct ForgetReport: MigrationReport {
    /// The store's path.
    package let store: String
    /// The paths of the copies, or the names of their schemas on a server.
    package let removed: [String]

    package init(store: String, removed: [String]) {
        self.store = store
        self.removed = removed
    }

    package var members: ReportValue {
        .object(["store": .text(store), "removed": .texts(removed)])
    }

    package var text: String {
        guard !removed.isEmpty else { return "\(store): there are no copies\n" }
        return "\(store): removed \(removed.count == 1 ? "a copy" : "\(removed.count) copies")\n"
            + removed.map { "  \($0)\n" }.joined()
    }
}
