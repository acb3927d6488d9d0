/// What the condition of a fetched property knows beside the objects that it finds: the object
/// that has the property, and the property itself.
struct FetchedPropertyScope {
    /// `$source` as the tree calls it, however the text spells it.
    static let sourceName = "source"
    static var source: PathRoot { .variable(sourceName) }

    /// The property's name.
    let name: String
    let userInfo: [String: String]

    /// `$source`, or as Core Data's tools write it `$FETCH_SOURCE`.
    static func isSource(_ variable: String) -> Bool {
        ["source", "fetch_source"].contains(variable.lowercased())
    }

    static func isProperty(_ variable: String) -> Bool {
        variable.lowercased() == "fetched_property"
    }
}

extension ExpressionChecker {
    /// `$FETCHED_PROPERTY.name` and `$FETCHED_PROPERTY.userInfo.key` are constants.
    mutating func described(
        _ scope: FetchedPropertyScope, _ names: [ParsedExpression.Name], at offset: Int
    ) -> Checked? {
        switch names.first?.text {
        case "name" where names.count == 1:
            return flexible(.value(.string(scope.name)), at: offset)
        case "userInfo" where names.count > 1:
            let key = names.dropFirst().map(\.text).joined(separator: ".")
            if let value = scope.userInfo[key] {
                return flexible(.value(.string(value)), at: offset)
            }
            let nearest = nearestName(to: key, among: scope.userInfo.keys.sorted())
            return fail(
                "the property's user info has no key '\(key)'", at: names[1].offset,
                hint: nearest.map { "did you mean '\($0)'?" })
        default:
            return fail(
                "of the fetched property itself only name and userInfo can be used",
                at: names.first?.offset ?? offset,
                hint: "write $FETCHED_PROPERTY.name or $FETCHED_PROPERTY.userInfo.key")
        }
    }
}
