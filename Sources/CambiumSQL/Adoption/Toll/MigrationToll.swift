import CambiumModel

/// What a step to the next version may take out of a store, and the queries that find out how much
/// of it there is.
package struct MigrationToll: Sendable {
    /// A change that takes something.
    package struct Loss: Sendable {
        /// What it does, and why, in words.
        package let words: String
        /// How much there is for it to take.
        package let measure: Measure
    }

    /// How much a change takes.
    package enum Measure: Sendable {
        /// The values, links or objects that a query of the old tables counts.
        case counted(String, Unit)
        /// The objects of these entities of the old version that are not there afterwards.
        case objects(Set<String>)
    }

    /// What a query counts.
    package enum Unit: Sendable, Hashable {
        case values, links
        /// Objects of an entity.
        case objects(of: String)
    }

    /// Links of a relationship of the old version, and the queries that count them.
    package struct Links: Sendable {
        package let entity: String
        package let relationship: String
        /// A query of the old tables.
        package let before: String
        /// A query of the new tables; nil where no link is left.
        package let after: String?
    }

    /// What takes something, in the order of the changes.
    package let losses: [Loss]
    /// The relationships whose links the two versions have in common, and those that go.
    package let links: [Links]

    /// How many changes take data away or write other data.
    package let weight: Int

    /// What the step from one version to the next may take.
    package init(from old: Model, to new: Model) {
        let difference = ModelDifference(from: old, to: new)
        let counts = TollSQL(difference)
        let conditional = difference.match.conditionalDrops.map { drop in
            Loss(
                words: "drop \(drop.words)",
                measure: .counted(counts.objects(drop), .objects(of: drop.entity.name)))
        }
        losses =
            conditional
            + difference.changes.filter { $0.losesData && $0.word != "objectsDropped" }
            .map { change in
                Loss(words: difference.sentence(of: change), measure: counts.measure(of: change))
            }
        links = counts.links
        weight =
            losses.count
            + difference.changes.count { change in
                switch change {
                case .attributeFilled: true
                case .attributeAdded(_, _, let isFilled): isFilled
                default: false
                }
            }
    }
}
