import CambiumModel
import CambiumPlan

extension ModelCompiler {
    /// What can be done about objects that are equal in what is unique, or become so as those that they
    /// lead to become one.
    func remedy(
        forEqualsIn properties: [String], of name: String, in model: Model,
        _ difference: ModelDifference, _ place: String
    ) -> String {
        let list = properties.joined(separator: " ")
        let isDeclared = model.deduplication(by: properties, of: name) != nil
        guard let entity = model.entity(named: name) else { return "" }
        let merges =
            isDeclared
            ? difference.lateMerges(by: properties, of: entity)
            : difference.earlierMerges(by: properties, of: entity)
        if let mutual = merges.first(where: {
            difference.isMutual($0, by: properties, of: entity)
        }) {
            return "Objects of \(name) and of \(mutual.entity) become equal by each other, and no "
                + "order of the two is right: let a step take them away, or the program before this "
                + "version, unless there are none"
        }
        let others = merges.map {
            "that of \($0.entity) by \($0.properties.joined(separator: " ")), which "
                + "'\($0.relationship)' leads to"
        }.joined(separator: ", and ")
        if isDeclared {
            return "Put the <deduplicate> of \(name) by \(list) after \(others), unless no two "
                + "objects become equal"
        }
        return "Say in \(place) which of them stays, as in <deduplicate "
            + "entity=\"\(name)\" by=\"\(list)\" reason=\"…\"/>"
            + (others.isEmpty ? "" : " after \(others)")
            + ", or add to it what tells them apart, unless no two objects are equal in it"
    }
}
