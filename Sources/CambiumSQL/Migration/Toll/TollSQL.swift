import CambiumModel
import CambiumPlan

/// The queries that count what the changes between two versions take, in the order of the changes:
/// what one has taken, no other takes. They look at the tables that the statements of the step make,
/// by what those statements read.
struct TollSQL {
    let steps: MigrationStepBuilder
    var match: ModelMatch { steps.difference.match }
    var old: Model { match.old }
    var new: Model { match.new }

    /// What was asked about already: the columns, by the entities of their rows.
    var toldColumns: Set<ColumnOfMember> = []
    /// The same of links, by the relationship and its inverse.
    var toldLinks: [Set<ModelMatch.PropertyName>: [ToldLinks]] = [:]

    static let none = "SELECT 0"

    init(_ steps: MigrationStepBuilder) {
        self.steps = steps
    }

    /// What a change does, and why, in words. What is dropped has the name of the entity that it was
    /// dropped from, as the author says it.
    func words(of change: ModelChange) -> String {
        let former: ModelChange
        switch change {
        case .attributeDropped(let name, let attribute):
            former = .attributeDropped(entity: formerEntity(name)?.name ?? name, attribute)
        case .relationshipDropped(let name, let relationship, let losesLinks):
            former = .relationshipDropped(
                entity: formerEntity(name)?.name ?? name, relationship, losesLinks: losesLinks)
        default:
            return steps.difference.sentence(of: change)
        }
        return former.summary + (change.reason(in: new, match).map { " (\($0))" } ?? "")
    }

    mutating func measure(of change: ModelChange) -> MigrationToll.Measure {
        switch change {
        case .entityDropped(let name):
            return .counted(objects(of: name), .objects(of: name))
        case .duplicatesDropped:
            return .choice
        case .attributeDropped(let name, let attribute):
            return .counted(droppedValues(attribute, of: formerEntity(name)), .values)
        case .attributeRevised(let name, let attribute):
            return .counted(revisedValues(attribute, of: name), .values)
        case .caseDropped(let enumeration, let name, _):
            return .counted(values(of: name, in: enumeration), .values)
        case .relationshipDropped(let name, let relationship, _):
            return .counted(droppedLinks(relationship, of: formerEntity(name)), .links)
        case .linksDropped(let name, let relationship):
            return .counted(linksNotKept(relationship, of: name), .links)
        case .orderChanged(let name, let relationship, _):
            return .counted(orderedLinks(relationship, of: name), .links)
        default:
            // Nothing else takes anything; if it did, it would have to be told.
            return .counted("SELECT 1", .values)
        }
    }

    /// Changes have the new names, and drops those of what is dropped.
    func formerEntity(_ name: String) -> Entity? {
        new.entity(named: name).flatMap(match.oldEntity) ?? old.entity(named: name)
    }

    /// The name that a table of the new version has while those of the old one are there.
    func present(_ table: String) -> String {
        guard let table = steps.newSchema.table(named: table), steps.isRebuilt(table) else {
            return table
        }
        return steps.temporaryName(of: table)
    }

    /// The objects of an entity of the old version itself.
    private func objects(of name: String) -> String {
        guard let entity = old.entity(named: name) else { return Self.none }
        let root = old.root(of: entity)
        return "SELECT count(*) FROM \(SQLText.identifier(root.name))"
            + (old.hasSubentities(root)
                ? " WHERE \"_entity\" = \(SQLText.literal(name))" : "")
    }

    /// The sum of what queries count.
    static func sum(_ queries: [String]) -> String {
        queries.isEmpty ? none : "SELECT " + queries.map { "(\($0))" }.joined(separator: " + ")
    }
}
