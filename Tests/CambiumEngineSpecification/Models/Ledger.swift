import Cambium
import CambiumModel

/// A model of derived attributes: of the row alone and of other derived ones, of rows at the other
/// end of each kind of relationship, over several steps, of a sub-entity, and of the moment.
package enum Ledger {
    package static let model = CompiledModel(
        Model(
            name: "Ledger", version: "1", entities: [client, patron, invoice, item, label, region]))

    private static func path(_ names: String...) -> ModelExpression {
        .keyPath(root: .subject, names: names)
    }

    private static let client = Entity(
        name: "Client",
        attributes: [
            Attribute(name: "name", type: .string, defaultValue: .constant(.string(""))),
            Attribute(name: "code", type: .string, isOptional: true),
            Attribute(name: "number", type: .int64, isOptional: true),
            Attribute(
                name: "nameLength", type: .int64, derivation: .function(.length, [path("name")])),
            Attribute(
                name: "twice", type: .int64, isOptional: true,
                derivation: .arithmetic(path("number"), .add, path("number"))),
            Attribute(
                name: "sum", type: .int64, isOptional: true,
                derivation: .arithmetic(path("twice"), .add, path("nameLength"))),
            Attribute(
                name: "shout", type: .string, isOptional: true,
                derivation: .function(.uppercase, [path("name")])),
            Attribute(
                name: "title", type: .string, isOptional: true,
                derivation: .conditional(
                    .comparison(path("nameLength"), .greater, .literal(.int(3)), []),
                    then: .arithmetic(path("name"), .add, .literal(.string("'s \\ \"quoted\""))),
                    otherwise: path("name"))),
            Attribute(
                name: "invoiceCount", type: .int64,
                derivation: .aggregate(.count, path("invoices"))),
            Attribute(
                name: "total", type: .decimal(scale: 2),
                derivation: .aggregate(.sum, path("invoices", "amount"))),
            Attribute(
                name: "itemTotal", type: .int64,
                derivation: .aggregate(.sum, path("invoices", "itemCount"))),
            Attribute(
                name: "labelCount", type: .int64, derivation: .aggregate(.count, path("labels"))),
            Attribute(
                name: "surplus", type: .int64, isOptional: true,
                derivation: .arithmetic(path("invoiceCount"), .subtract, path("labelCount"))),
            Attribute(
                name: "weight", type: .int64,
                derivation: .aggregate(.sum, path("labels", "weight"))),
            Attribute(
                name: "regionName", type: .string, isOptional: true,
                derivation: path("region", "name")),
            Attribute(
                name: "savedAt", type: .date, isOptional: true, derivation: .function(.now, [])),
        ],
        relationships: [
            Relationship(
                name: "invoices", destination: "Invoice", inverse: "client", isToMany: true,
                deleteRule: .cascade),
            Relationship(name: "labels", destination: "Label", inverse: "clients", isToMany: true),
            Relationship(
                name: "region", destination: "Region", inverse: "clients", isOptional: true),
        ],
        uniqueConstraints: [UniqueConstraint(properties: ["code"])])

    private static let patron = Entity(
        name: "Patron", parent: "Client",
        attributes: [
            Attribute(name: "level", type: .int32, defaultValue: .constant(.int(1))),
            Attribute(
                name: "grade", type: .int64, isOptional: true,
                derivation: .arithmetic(path("level"), .multiply, .literal(.int(10)))),
            Attribute(
                name: "bonus", type: .int64, isOptional: true,
                derivation: .arithmetic(path("level"), .multiply, path("invoiceCount"))),
        ])

    private static let invoice = Entity(
        name: "Invoice",
        attributes: [
            Attribute(
                name: "amount", type: .decimal(scale: 2), defaultValue: .constant(.int(0))),
            Attribute(
                name: "clientName", type: .string, isOptional: true,
                derivation: path("client", "name")),
            Attribute(
                name: "itemCount", type: .int64, derivation: .aggregate(.count, path("items"))),
        ],
        relationships: [
            Relationship(
                name: "client", destination: "Client", inverse: "invoices", isOptional: true),
            Relationship(
                name: "items", destination: "Item", inverse: "invoice", isToMany: true,
                deleteRule: .cascade),
        ])

    private static let item = Entity(
        name: "Item",
        attributes: [
            Attribute(
                name: "holder", type: .string, isOptional: true,
                derivation: path("invoice", "client", "name")),
            Attribute(
                name: "place", type: .string, isOptional: true,
                derivation: path("invoice", "client", "region", "name")),
        ],
        relationships: [
            Relationship(
                name: "invoice", destination: "Invoice", inverse: "items", isOptional: true)
        ])

    private static let label = Entity(
        name: "Label",
        attributes: [
            Attribute(name: "weight", type: .int64, defaultValue: .constant(.int(1)))
        ],
        relationships: [
            Relationship(
                name: "clients", destination: "Client", inverse: "labels", isToMany: true)
        ])

    private static let region = Entity(
        name: "Region",
        attributes: [
            Attribute(name: "name", type: .string, defaultValue: .constant(.string("")))
        ],
        relationships: [
            Relationship(
                name: "clients", destination: "Client", inverse: "region", isToMany: true)
        ])

    /// The derived values of the objects of a context that are not what a look at the objects says.
    package static func wrongValues(in context: ManagedObjectContext) throws -> [String] {
        var wrong: [String] = []
        func expect(_ object: ManagedObject, _ name: String, _ expected: Value) throws {
            let value = try object.value(forKey: name)
            if value != expected {
                wrong.append("\(object.objectID).\(name) is \(value), not \(expected)")
            }
        }
        func integer(_ object: ManagedObject, _ name: String) throws -> Int64? {
            if case .int(let number) = try object.value(forKey: name) { number } else { nil }
        }
        for client in try context.all("Client") {
            let name = client["name"]
            let length = Int64(name.unicodeScalars.count)
            let number = try integer(client, "number")
            let twice = number.map { $0.addingReportingOverflow($0) }
                .flatMap { $0.overflow ? nil : $0.partialValue }
            var total: Decimal = 0
            var items: Int64 = 0
            for invoice in try client.many("invoices") {
                if case .decimal(let amount) = try invoice.value(forKey: "amount") {
                    total += amount
                }
                items += Int64(try invoice.many("items").count)
            }
            let labels = try client.many("labels")
            let count = Int64(try client.many("invoices").count)
            try expect(client, "nameLength", .int(length))
            try expect(client, "twice", twice.map { .int($0) } ?? .null)
            try expect(client, "sum", twice.map { .int($0 + length) } ?? .null)
            try expect(client, "shout", .string(name.uppercased()))
            try expect(
                client, "title", .string(length > 3 ? name + "'s \\ \"quoted\"" : name))
            try expect(client, "invoiceCount", .int(count))
            try expect(client, "total", .decimal(total))
            try expect(client, "itemTotal", .int(items))
            try expect(client, "labelCount", .int(Int64(labels.count)))
            try expect(client, "surplus", .int(count - Int64(labels.count)))
            try expect(
                client, "weight",
                .int(try labels.reduce(0) { try $0 + (integer($1, "weight") ?? 0) }))
            try expect(
                client, "regionName", client[one: "region"].map { .string($0["name"]) } ?? .null)
            if client.entity.name == "Patron", let level = try integer(client, "level") {
                try expect(client, "grade", .int(level * 10))
                try expect(client, "bonus", .int(level * count))
            }
        }
        for invoice in try context.all("Invoice") {
            let client = invoice[one: "client"]
            let name = client.map { Value.string($0["name"]) } ?? .null
            let place = client?[one: "region"].map { Value.string($0["name"]) } ?? .null
            try expect(invoice, "clientName", name)
            try expect(invoice, "itemCount", .int(Int64(try invoice.many("items").count)))
            for item in try invoice.many("items") {
                try expect(item, "holder", name)
                try expect(item, "place", place)
            }
        }
        return wrong
    }
}
