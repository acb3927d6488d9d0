import Cambium
import CambiumEngineSpecification
import CambiumMigrationCommand
import CambiumSQL
import CambiumSQLite
import ContactsModel
import EverythingModel
import ExtendedModel
import Foundation
import PackagesModel
import ShopModel
import TestDummyModel
import Testing
import TimesModel

@testable import MigrationTestSupport

/// Stores that the runtime wrote are clean, whatever is in them, and any damage to them is found.
@Suite(.onSQLite("The damage is done to files."))
struct RandomStoreCheckTests {
    private func check(_ model: CompiledModel, _ path: String) throws -> StoreCheckReport {
        try StoreCheck(model: model, storeAt: path).run()
    }

    /// Fills a store; false where objects by chance are refused.
    private func fill(_ model: CompiledModel, _ path: String, seed: UInt64) throws -> Bool {
        let container = try PersistentContainer(model: model, at: .file(path))
        let context = container.newContext()
        var objects = RandomObjects(in: context, seed: seed)
        do {
            try objects.fill()
        } catch {
            // Whatever was saved before is there.
            return false
        }
        return true
    }

    @Test func `stores of objects by chance are clean, and damage by chance is found`() throws {
        let model = CompiledModel(RandomObjects.model)
        let first = UInt64.random(in: 0..<1_000_000)
        for seed in first..<first + (TestSize.isFull ? 200 : 8) {
            try withStoreFile { path in
                guard try fill(model, path, seed: seed) else { return }
                #expect(try check(model, path).words == [], "seed \(seed)")
                guard let damage = try damage(path, model.model, seed) else { return }
                let report = try check(model, path)
                #expect(
                    report.groups.contains { damage.kinds.contains($0.kind) },
                    "seed \(seed): \(damage.sql): \(report.words)")
            }
        }
    }

    @Test func `stores of models by chance are clean, and damage by chance is found`() throws {
        let first = UInt64.random(in: 0..<1_000_000)
        var count = 0
        for seed in first..<first + (TestSize.isFull ? 400 : 12) {
            let random = RandomModel(seed: seed, isDynamic: false)
            let model = CompiledModel(random.model(version: "1"))
            try withStoreFile { path in
                guard try fill(model, path, seed: seed) else { return }
                count += 1
                #expect(try check(model, path).words == [], "seed \(seed)")
                guard let damage = try damage(path, model.model, seed) else { return }
                let report = try check(model, path)
                #expect(
                    report.groups.contains { damage.kinds.contains($0.kind) },
                    "seed \(seed): \(damage.sql): \(report.words)")
            }
        }
        #expect(count > 0, "seed \(first)")
    }

    @Test func `stores of the fixture models are clean`() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        var count = 0
        for model in [
            Shop.model, Everything.model, Packages.model, Extended.model, Times.model,
            TestDummies.model, Contacts.model.performing(ContactsSteps()),
        ] {
            try withStoreFile { path in
                if try fill(model, path, seed: seed) { count += 1 }
                #expect(try check(model, path).words == [], "\(model), seed \(seed)")
            }
        }
        #expect(count > 0, "seed \(seed)")
    }

    // MARK: Damage

    private struct Damage {
        let sql: String
        let kinds: Set<StoreFinding.Kind>
    }

    /// Does some damage that changes a row; nil where the store has nothing that can be damaged.
    private func damage(_ path: String, _ model: Model, _ seed: UInt64) throws -> Damage? {
        var generator = SeededGenerator(seed: seed)
        let connection = try Connection(path: path, mode: .readWrite)
        try connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        for damage in damages(of: model).shuffled(using: &generator) {
            try connection.execute(damage.sql)
            if connection.changes > 0 { return damage }
        }
        return nil
    }

    private func damages(of model: Model) -> [Damage] {
        var damages: [Damage] = []
        func add(_ sql: String, _ kinds: StoreFinding.Kind...) {
            damages.append(Damage(sql: sql, kinds: Set(kinds)))
        }
        for entity in model.entities {
            let table = SQLText.identifier(model.root(of: entity).name)
            let one = "WHERE \"_id\" = (SELECT max(\"_id\") FROM \(table)"
            if entity.parent == nil {
                add(
                    """
                    UPDATE "_keys" SET "next" = 1 WHERE "entity" = \(SQLText.literal(entity.name)) \
                    AND EXISTS (SELECT 1 FROM \(table))
                    """, .keyCounter)
                if model.hasSubentities(entity) {
                    add("UPDATE \(table) SET \"_entity\" = 'Nobody' \(one))", .unknownEntity)
                }
            }
            for relationship in entity.relationships {
                let position = model.positionColumn(of: relationship, of: entity)
                    .map { SQLText.identifier($0) }
                switch model.storage(of: relationship, of: entity) {
                case .transient: continue
                case .key(let name, _):
                    let column = SQLText.identifier(name)
                    add(
                        "UPDATE \(table) SET \(column) = 999999 \(one) WHERE \(column) IS NOT NULL)",
                        .danglingLink)
                case .inverseKey(let name):
                    guard let position,
                        let destination = model.entity(named: relationship.destination)
                    else { continue }
                    let far = SQLText.identifier(model.root(of: destination).name)
                    let owner = SQLText.identifier(name)
                    add(
                        """
                        UPDATE \(far) SET \(position) = NULL WHERE "_id" IN (SELECT min("_id") \
                        FROM \(far) WHERE \(owner) IS NOT NULL AND \(position) IS NOT NULL \
                        GROUP BY \(owner) HAVING count(*) > 1 LIMIT 1)
                        """, .missingPlace)
                case .joinTable(let name, let source, let destination):
                    let pairs = SQLText.identifier(name)
                    let (near, far) = (
                        SQLText.identifier(source), SQLText.identifier(destination)
                    )
                    add(
                        """
                        UPDATE \(pairs) SET \(near) = 999999 WHERE (\(near), \(far)) \
                        IN (SELECT \(near), \(far) FROM \(pairs) LIMIT 1)
                        """, .danglingPair)
                    if let position {
                        add(
                            """
                            UPDATE \(pairs) SET \(position) = NULL WHERE (\(near), \(far)) \
                            IN (SELECT \(near), min(\(far)) FROM \(pairs) \
                            WHERE \(position) IS NOT NULL \
                            GROUP BY \(near) HAVING count(*) > 1 LIMIT 1)
                            """, .missingPlace)
                    }
                }
            }
            for attribute in entity.attributes where !attribute.isTransient {
                let column = SQLText.identifier(model.column(of: attribute.name, in: entity))
                switch attribute.type {
                case .enumeration where model.storageClass(of: attribute.type) == .text:
                    add(
                        "UPDATE \(table) SET \(column) = '??' WHERE \(column) IS NOT NULL",
                        .unknownCase)
                case .uuid where attribute.derivation == nil:
                    add(
                        "UPDATE \(table) SET \(column) = x'00' \(one) WHERE \(column) IS NOT NULL)",
                        .unreadableValue)
                default: continue
                }
            }
        }
        return damages
    }
}

extension StoreCheckReport {
    /// The findings in words: kind, object and property.
    fileprivate var words: [String] {
        groups.flatMap(\.findings).map { "\($0.kind.rawValue) \($0)" }
    }
}
