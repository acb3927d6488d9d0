import CambiumModel
import CambiumSQLite
import Foundation
import Testing

@testable import CambiumMigration
@testable import CambiumSQL

/// The history of a store after chains of random migrations, against the rows that are there:
/// whoever has followed it knows which objects there are, by which names. `CAMBIUM_GENERATOR_RUNS`
/// makes it look at more of them.
struct RandomCarriedHistoryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let chains =
        environment["CAMBIUM_GENERATOR_RUNS"].flatMap(Int.init)
        ?? (environment["CAMBIUM_FULL_SIZE"] == nil ? 20 : 60)

    /// An object among those of its root entity.
    private struct Place: Hashable {
        let root: String
        let key: Int64
    }

    @Test func `who follows a history through migrations knows which objects there are`() throws {
        let text = Self.environment["CAMBIUM_SEED"] ?? Self.environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0...999_999)
        print("seed \(seed); replay: CAMBIUM_SEED=\(seed) swift test --filter RandomCarriedHistory")
        var counts = (carried: 0, refused: 0, deleted: 0, values: 0)
        for number in 0..<UInt64(Self.chains) {
            let versions = number % 3 == 0 ? 4 : 2
            let random = RandomHistory(seed: seed &+ number &* 1_000_039, versions: versions)
            guard let migrations = try random.migrations() else { continue }
            let store = try random.makeStore()
            try Self.keepHistory(of: random.version(0).1, in: store)
            do {
                _ = try random.runner(to: versions - 1, migrations).open(store)
            } catch MigrationError.refused {
                counts.refused += 1
                continue
            }
            let model = random.version(versions - 1).1
            let problems = try Self.problems(in: store, of: model, &counts.deleted, &counts.values)
            guard problems.isEmpty else {
                Issue.record("seed \(seed), chain \(number): \(problems)\n\(random.changes)")
                return
            }
            counts.carried += 1
        }
        print(
            "\(counts.carried) chains, \(counts.refused) refused, \(counts.deleted) objects deleted, "
                + "\(counts.values) values")
        #expect(counts.carried > Self.chains / 4 && counts.values > 0)
    }

    /// Gives a store a history in which each object is new, and then changes in all properties.
    private static func keepHistory(of model: Model, in store: Connection) throws {
        let schema = Schema(of: model)
        for statement in HistorySQL.createStatements
            + HistorySettings(content: .values, epoch: UUID()).writeStatements
        { try store.execute(statement) }
        for entity in model.entities where !entity.isAbstract {
            let root = model.root(of: entity)
            let table =
                "FROM \"\(root.name)\""
                + (model.hasSubentities(root) ? " WHERE \"_entity\" = '\(entity.name)'" : "")
            let names =
                model.attributes(of: entity).filter { !$0.isTransient }.map(\.name)
                + model.relationships(of: entity).filter { !$0.isTransient }.map(\.name)
            let list = names.map { " " + $0 }.joined()
            for (kind, names) in [(0, ""), (1, list)] {
                try store.execute(
                    "INSERT INTO _history_changes (kind, entity, key, properties) "
                        + "SELECT \(kind), '\(entity.name)', _id, '\(names)' \(table)")
            }
            for column in schema.recordedColumns(of: entity, in: model) {
                try store.execute(
                    "INSERT INTO _history_values SELECT c.number, '\(column)', NULL, "
                        + "o.\"\(column)\" FROM _history_changes AS c "
                        + "JOIN \"\(root.name)\" AS o ON o._id = c.key "
                        + "WHERE c.kind = 1 AND c.entity = '\(entity.name)'")
            }
        }
    }

    /// What the history of a store says that is not so.
    private static func problems(
        in store: Connection, of model: Model, _ deleted: inout Int, _ values: inout Int
    ) throws -> [String] {
        var problems: [String] = []
        let schema = Schema(of: model)
        var known: [Place: String] = [:]
        for row in try store.rows(
            "SELECT number, kind, entity, key, properties FROM _history_changes ORDER BY number")
        {
            guard case .integer(let number) = row[0], case .integer(let kind) = row[1],
                case .text(let name) = row[2], case .integer(let key) = row[3],
                case .text(let list) = row[4], let entity = model.entity(named: name)
            else { continue }
            let place = Place(root: model.root(of: entity).name, key: key)
            let names = list.split(separator: " ").map(String.init)
            if list != names.map({ " " + $0 }).joined() { problems.append("a list '\(list)'") }
            problems += names.filter { model.declarer(of: $0, in: entity) == nil }
                .map { "\(name) has no property \($0)" }
            let columns = Set(schema.recordedColumns(of: entity, in: model))
            for value in try store.rows(
                "SELECT \"column\" FROM _history_values WHERE change = \(number)")
            {
                guard case .text(let column) = value[0] else { continue }
                values += 1
                if !columns.contains(column) { problems.append("\(name) has no column \(column)") }
            }
            switch kind {
            case 0: known[place] = name
            case 2:
                deleted += 1
                if known.removeValue(forKey: place) == nil {
                    problems.append("\(name) \(key) goes without having been there")
                }
            default:
                if known[place] == nil { problems.append("\(name) \(key) changes, and is gone") }
            }
        }
        for root in model.roots {
            let entity = model.hasSubentities(root) ? "_entity" : "'\(root.name)'"
            for row in try store.rows("SELECT _id, \(entity) FROM \"\(root.name)\"") {
                guard case .integer(let key) = row[0], case .text(let name) = row[1] else {
                    continue
                }
                let told = known.removeValue(forKey: Place(root: root.name, key: key))
                if told != name { problems.append("\(name) \(key) is \(told ?? "nothing")") }
            }
        }
        return problems + known.map { "\($0.value) \($0.key.key) is not there" }
    }
}

extension Schema {
    /// The columns whose values a history keeps.
    fileprivate func recordedColumns(of entity: Entity, in model: Model) -> [String] {
        let root = model.root(of: entity).name
        let table = tables.first { $0.content == .objects(root: root) }
        return (table?.columns ?? []).compactMap { column in
            let declarer: String
            switch column.content {
            case .attribute(let name, let attribute):
                declarer = name
                let found = model.entity(named: name)?.attributes.first { $0.name == attribute }
                if found?.usesExternalForm != false { return nil }
            case .key(let name, _), .entityOfKey(let name, _): declarer = name
            case .system, .entity, .position: return nil
            }
            let isOwn = model.lineage(of: entity).contains { $0.name == declarer }
            return isOwn ? column.name : nil
        }
    }
}
