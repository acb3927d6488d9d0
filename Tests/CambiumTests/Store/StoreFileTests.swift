import Cambium
import CambiumSQLite
import EverythingModel
import PackagesModel
import ShopModel
import TestDummyModel
import Testing

/// The file is an ordinary, readable database.
@Suite(.onSQLite("They are about files."))
struct StoreFileTests {
    @Test func `a file is in WAL mode and its foreign keys hold`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            #expect(container.migration == .created)
            #expect(try rows("PRAGMA journal_mode", in: path) == [[.text("wal")]])
            let context = container.newContext()
            _ = Node(in: context, box: Box(in: context))
            try context.save()
            #expect(throws: SQLiteError.self) { try execute("UPDATE Node SET box = 99", in: path) }
            #expect(try rows("PRAGMA foreign_key_check", in: path).isEmpty)
            #expect(try rows("PRAGMA integrity_check", in: path) == [[.text("ok")]])
        }
    }

    @Test func `all tables are strict`() throws {
        try withStoreFile { path in
            _ = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let lax = try rows(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' "
                    + "AND NOT strict AND name NOT LIKE 'sqlite%'", in: path)
            #expect(lax.isEmpty)
            let dates = "INSERT INTO Node (label, number) VALUES ('a', 'not a number')"
            #expect(throws: SQLiteError.self) { try execute(dates, in: path) }
        }
    }

    @Test(arguments: ["Everything", "Shop", "Packages", "TestDummies"])
    func `the store holds exactly the schema that was printed at build time`(
        _ name: String
    ) throws {
        let models = [
            "Everything": Everything.model, "Shop": Shop.model, "Packages": Packages.model,
            "TestDummies": TestDummies.model,
        ]
        let model = try #require(models[name])
        try withStoreFile { path in
            _ = try PersistentContainer(model: model, at: .temporary(path))
            let created = try rows(
                "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid", in: path)
            let printed = model.schema.filter { $0.hasPrefix("CREATE") }
            #expect(created == printed.map { [.text($0)] })
            #expect(printed.count >= 3)
        }
    }

    @Test func `values are stored in the form that the design names`() throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            let sample = Sample(in: context)
            sample.flag = true
            sample.amount = -12.34
            sample.moment = Date(timeIntervalSinceReferenceDate: 1.5)
            sample.colour = .green
            sample.size = .large
            sample.link = URL(string: "https://example.com/")
            try context.save()
            let row = try rows(
                "SELECT flag, amount, moment, colour, size, link, length(token) FROM Sample",
                in: path)
            #expect(
                row == [
                    [
                        .integer(1), .integer(-1234), .real(1.5), .text("GREEN"), .integer(20),
                        .text("https://example.com/"), .integer(16),
                    ]
                ])
        }
    }

    @Test func `keys are not used again after a delete`() throws {
        try withStoreFile { path in
            var used: Set<Int64> = []
            for _ in 0..<3 {
                let container = try PersistentContainer(
                    model: Everything.model, at: .temporary(path))
                let context = container.newContext()
                let nodes = (0..<40).map { _ in Node(in: context) }
                try context.save()
                for node in nodes {
                    #expect(used.insert(node.objectID.key).inserted)
                    context.delete(node)
                }
                try context.save()
            }
            #expect(used.count == 120)
        }
    }

    @Test func `entities of one hierarchy share their keys`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let person = Person(in: context, name: "Ada")
            let robot = Robot(in: context, name: "Marvin", serial: "1")
            #expect(person.objectID.key != robot.objectID.key)
        }
    }

    @Test func `what was saved is there when the store is opened again`() throws {
        try withStoreFile { path in
            do {
                let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
                let context = container.newContext()
                _ = Product(in: context, sku: "AB-1", kind: .toy, price: 12.5)
                try context.save()
            }
            let container = try PersistentContainer(model: Shop.model, at: .temporary(path))
            #expect(container.migration == .current)
            let reader = container.newContext()
            let product = try reader.fetch(Product.fetchRequest()).first
            #expect(product?.sku == "AB-1")
            #expect(product?.price == 12.5)
        }
    }
}
