import CambiumEngine
import CambiumPostgres
import Foundation
import Testing

@testable import CambiumPostgresStore

/// Names that the server does not take as they are do what they do in SQLite.
struct NamesTests {
    private static let long = NamesModel.long
    private static let wide = NamesModel.wide

    @Test(arguments: PostgresServer.some())
    func `objects with awkward names are saved, found and deleted as in SQLite`(
        _ server: PostgresServer
    ) throws {
        let found = try work(StoreDescription(location: .memory))
        #expect(found.count { $0 == "see: done" } == 3, "\(found)")
        #expect(found == (try work(server.description(.values))))
    }

    /// Does a bit of everything, and says what it sees.
    private func work(_ description: StoreDescription) throws -> [String] {
        let container = try PersistentContainer(NamesModel.model, description)
        let (long, wide) = (Self.long, Self.wide)
        var lines: [String] = []
        func see(_ entity: String, _ keys: String..., format: String = "TRUEPREDICATE") throws {
            let request = FetchRequest<ManagedObject>(entityName: entity)
            let objects = try container.newContext().fetch(
                format == "TRUEPREDICATE" ? request : request.filter(format: format))
            let texts = try objects.map { object in
                "\(object.objectID.entityName) "
                    + (try keys.map { "\(try object.value(forKey: $0))" }.joined(separator: " "))
            }
            lines.append("\(entity) \(format): \(texts.sorted())")
        }
        let context = container.newContext()
        let special = try context.insertObject(ofEntity: "special")
        try special.setValue(.string("unique"), forKey: long)
        try special.setValue(.double(2), forKey: "fee")
        let report = try context.insertObject(ofEntity: "report")
        try report.setValue(.string("wide"), forKey: wide)
        for number in 0..<3 {
            let order = try context.insertObject(ofEntity: "order")
            try order.setValue(.double(Double(number)), forKey: "xmin")
            try order.setValue(.double(10), forKey: "xmax")
            try order.setRelatedObject(number == 0 ? report : special, forKey: "table")
        }
        let orders = context.insertedObjects.filter { $0.objectID.entityName == "order" }
        let first = try context.insertObject(ofEntity: "\(long)A")
        try first.setRelatedObject(special, forKey: "\(wide)account")
        for number in 0..<4 {
            let second = try context.insertObject(ofEntity: "\(long)B")
            try second.setValue(.int(Int64(number)), forKey: "\(long)1")
            try second.setValue(.string("text \(number)"), forKey: "\(long)2")
            try second.setRelatedObject(first, forKey: "\(long)owner")
            try second.setRelatedObject(report, forKey: "\(wide)account")
            try second.relatedObjects(forKey: "\(long)many").insert(first)
            for order in orders where number == 0 {
                try order.relatedObjects(forKey: "cmin").insert(orders[orders.startIndex])
            }
        }
        try context.save()
        func seeAll() throws {
            try see("account", "orderCount", "rank", "level", "balance", "codeLength")
            try see("special", long, "fee", "doubleRank", format: "\(long) == 'unique'")
            try see("report", wide, format: "ANY orders.xmin >= 0")
            try see("order", "xmin", "xmax", "width", "double width", format: "xmin >= 0")
            try see("order", "user", "select", format: "ANY tableoid.xmax == 10")
            try see("\(long)A", "\(long)3", "\(long)4", format: "\(long)list.@count > 0")
            try see("\(long)B", "\(long)1", "\(long)2", "\(long)3", "\(long)4")
        }
        lines.removeAll()
        func run(_ name: String, _ body: () throws -> Void) {
            do {
                try body()
                lines.append("\(name): done")
            } catch let error as ValidationError {
                lines.append("\(name): \(error)")
            } catch {
                lines.append("\(name): \(type(of: error)) \(error)")
            }
        }
        run("see") { try seeAll() }
        run("same unique value") {
            let context = container.newContext()
            let other = try context.insertObject(ofEntity: "special")
            try other.setValue(.string("unique"), forKey: long)
            try other.setValue(.double(1), forKey: "fee")
            try context.save()
        }
        run("batch") {
            let context = container.newContext()
            try context.execute(
                BatchUpdateRequest<ManagedObject>(entityName: "\(long)B")
                    .setValue(.string("same"), forKey: "\(long)2"))
        }
        run("change") {
            let context = container.newContext()
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "\(long)B")) {
                guard case .int(let number) = try object.value(forKey: "\(long)1") else { continue }
                try object.setValue(.int(9 - number), forKey: "\(long)1")
                try object.setValue(.string("new \(number)"), forKey: "\(long)2")
            }
            for order in try context.fetch(FetchRequest<ManagedObject>(entityName: "order")) {
                try order.setValue(.double(20), forKey: "xmax")
            }
            try context.save()
        }
        run("see") { try seeAll() }
        run("delete") {
            let context = container.newContext()
            for object in try context.fetch(FetchRequest<ManagedObject>(entityName: "\(long)A")) {
                context.delete(object)
            }
            for object in try context.fetch(
                FetchRequest<ManagedObject>(entityName: "order").filter(format: "xmin > 1"))
            {
                context.delete(object)
            }
            try context.save()
        }
        run("see") { try seeAll() }
        return lines
    }
}
