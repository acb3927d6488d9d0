import CambiumExchange
import ExtendedModel
import Testing

/// Members of JSON that one row has and another lacks.
struct ImportMemberTests {
    /// What a row says of a property: nothing, null, a value, or nonsense.
    private static let members: [(field: String, values: [String])] = [
        ("stock", ["5", "\"x\""]), ("title", ["\"t\"", "3"]),
        ("double", ["1.5", "\"many\""]), ("exact", ["\"1.5\"", "[]"]),
        ("notes", ["[\"a\"]", "7"]), ("box", ["{\"flag\": true}", "{\"flag\": 3}", "5"]),
        ("box", ["{\"flag\": null}", "{\"short\": 1}", "{\"flag\": false, \"short\": null}"]),
        ("category", ["\"Books\"", "{\"name\": \"Books\"}", "\"none\"", "5", "{}"]),
        ("city", ["{\"region\": \"N\", \"name\": \"S\"}", "\"S\"", "{\"name\": \"S\"}"]),
        ("tags", ["[\"x\"]", "\"x\"", "[null]", "[]"]),
    ]

    @Test(arguments: members.indices)
    func `a row says the same whatever the row before it had`(_ index: Int) throws {
        let (field, values) = Self.members[index]
        let said = ["", ", \"\(field)\": null"] + values.map { ", \"\(field)\": \($0)" }
        try withContainer(Exchange.model, on: .memory) { container in
            let context = container.newContext()
            try context.importing("name\nBooks", "Category", as: .csv())
            try context.importing("region,name\nN,S", "City", as: .csv())
            try context.importing("label\nx", "Tag", as: .csv())
            var number = 0
            for second in said {
                let alone = try told(context, &number, [second])
                for first in said {
                    let after = try told(context, &number, [first, second])
                    #expect(after == alone, "after \(first)")
                }
            }
        }
    }

    @Test func `of two members of one name the first counts`() throws {
        try withContainer(Exchange.model, on: .memory) { container in
            let context = container.newContext()
            var number = 0
            let twice = try told(context, &number, [", \"stock\": 5, \"stock\": 6"])
            let once = try told(context, &number, [", \"stock\": 5"])
            #expect(twice == once)
        }
    }

    /// What comes of the last of some rows: its error, or its values.
    private func told(
        _ context: ManagedObjectContext, _ number: inout Int, _ rows: [String]
    ) throws -> String {
        var lines: [String] = []
        for row in rows {
            number += 1
            lines.append("{\"sku\": \"s\(number)\"\(row)}")
        }
        let result = try context.importing(lines.joined(separator: "\n")) { request in
            request.onError = .skipInvalidRows
            request.sources[0].fieldNames = ["flag": "box.flag", "short": "box.short"]
        }
        if let error = result.errors.first(where: { $0.line == rows.count }) {
            return "\(error.field ?? "") \(error.message)"
        }
        let article = try #require(try context.article("s\(number)"))
        var values = try ["stock", "title", "double", "exact", "notes", "flag", "short"].map {
            name in
            "\(name): \(String(describing: try article.value(forKey: name)))"
        }
        for name in ["category", "city"] {
            let related: ManagedObject? = try article.relatedObject(forKey: name)
            values.append("\(name): \(related.map { $0["name"] as String } ?? "-")")
        }
        values.append("tags: \(try article.many("tags").map { $0["label"] as String })")
        return values.joined(separator: "\n")
    }
}
