import Cambium
import CambiumEngine
import CambiumModel
import EverythingModel
import Foundation
import ShopModel
import Testing

extension EngineSuite {
    /// Results that are values, identities and dictionaries, saved or not.
    package static let results = EngineSuite("results") {
        for isSaved in [true, false] {
            EngineCase("selected keys come as a tuple for each object (\(isSaved))") { engine in
                try engine.withShop(isSaved: isSaved) { context in
                    let request = Product.fetchRequest().filter(Product.kind == .toy)
                        .sorted(by: Product.sku.descending)
                        .select(
                            Product.sku, Product.price.required, Product.category.name,
                            Product.kind,
                            Product.salePrice ?? 0)
                    let rows = try context.fetch(request)
                    #expect(rows.map(\.0) == ["TO-1", "TO-0"])
                    #expect(rows.map(\.1) == [40, 10])
                    #expect(rows.map(\.2) == ["Toys", "Toys"])
                    #expect(rows.map(\.3) == [.toy, .toy])
                    #expect(rows.map(\.4) == [0, 5])
                }
            }
        }

        EngineCase("constants that only look alike are two") { engine in
            try engine.withShop { context in
                let rows = try context.fetch(
                    Product.fetchRequest().filter(Product.sku == "XX-0")
                        .select(
                            Product.category.name ?? "\u{E9}", Product.category.name ?? "e\u{301}"
                        ))
                #expect(rows.map { [$0.0?.utf8.count, $0.1?.utf8.count] } == [[2, 3]])
            }
        }

        EngineCase("a sum of numbers of many sizes is within its tolerance") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let values = (1...400).map { number in
                    Double(number.isMultiple(of: 3) ? -number : number)
                        * pow(10, Double(number % 20 - 10))
                }
                for value in values { Sample(in: context).double = value }
                try context.save()
                let rows = try container.newContext().fetch(
                    Sample.fetchRequest().select(Sample.double.sum, Sample.objectID.count))
                let sum = try #require(rows.first?.0 as Double?)
                let tolerance =
                    400 * 0x1p-52 * values.reduce(0) { $0 + abs($1) }
                #expect(abs(sum - values.reduce(0, +)) <= tolerance)
            }
        }

        EngineCase("a row becomes a struct, and a single column a value") { engine in
            try engine.withShop { context in
                let lines = try context.fetch(
                    Product.fetchRequest().sorted(by: Product.sku).limit(1)
                        .select(Product.sku.required, Product.price.required)
                        .map { Line(sku: $0.0, price: $0.1) })
                #expect(lines == [Line(sku: "BO-0", price: 30)])
                let titles = try context.fetch(
                    Product.fetchRequest().sorted(by: Product.price).select(Product.sku.required))
                #expect(titles.first == "XX-0")
            }
        }

        for isSaved in [true, false] {
            EngineCase("groups have aggregates, conditions and an order (\(isSaved))") { engine in
                try engine.withShop(isSaved: isSaved) { context in
                    let groups = Product.fetchRequest()
                        .select(
                            Product.category.name, Product.objectID.count, Product.price.sum,
                            Product.price.average, Product.title.min, Product.salePrice.max
                        )
                        .grouped(by: Product.category.name)
                    let rows = try context.fetch(groups)
                    #expect(rows.map(\.0) == [nil, "Books", "Toys"])
                    #expect(rows.map(\.1) == [1, 3, 2])
                    #expect(rows.map(\.2) == [5, 60, 50])
                    #expect(rows.map(\.3) == [5, 20, 25])
                    #expect(rows.map(\.4) == ["Ärmel", "Book 0", "Untitled"])
                    #expect(rows.map(\.5) == [nil, nil, 5])

                    let rich = try context.fetch(
                        groups.having(Product.price.sum >= 50 && Product.objectID.count != 7)
                            .sorted(by: Product.price.sum.ascending))
                    #expect(rich.map(\.0) == ["Toys", "Books"])
                    let unsold = try context.fetch(groups.having(!(Product.salePrice.max > 1)))
                    #expect(unsold.map(\.0) == [nil, "Books"])
                    let window = try context.fetch(
                        groups.sorted(by: Product.objectID.count.descending).limit(1).offset(1))
                    #expect(window.map(\.0) == ["Toys"])
                }
            }
        }

        EngineCase("numbers of groups that a list of constants is searched for are numbers") {
            engine in
            try engine.withStore(Everything.model) { store in
                let context = store.container.newContext()
                for number in [0, 2, 0.5, -3] as [Double] {
                    let sample = Sample(in: context)
                    (sample.double, sample.single) = (number, Float(number))
                    sample.moment = Date(timeIntervalSinceReferenceDate: number)
                }
                try context.save()
                let entity = Sample(in: context).objectID.entity
                let numbers = [0, 7, 8].map { Value.double($0) }
                let dates = [0, 7, 8].map { Value.date(Date(timeIntervalSinceReferenceDate: $0)) }
                for (name, list, type) in [
                    ("double", numbers, .double), ("single", numbers, .float),
                    ("moment", dates, .date),
                ] as [(String, [Value], ExpressionType)] {
                    let value = ModelExpression.keyPath(root: .subject, names: [name])
                    let isListed = ModelExpression.comparison(
                        value, .in, .list(list.map { .literal($0) }), [])
                    let kind = ModelExpression.conditional(
                        isListed, then: .literal(.int(1)), otherwise: .literal(.int(2)))
                    var query = ResultQuery([kind, value].map { ResultExpression($0) })
                    query.groups = [kind, value]
                    let results = try TypedResults(
                        checking: query, entity: entity.entity, model: entity.model)
                    let rows = try store.engine.results(
                        RowRequest(entity: entity, selection: .matching(nil, [:])), results)
                    let expected = [0, -3, 0.5, 2].map { StoredValue.real($0) }
                    #expect(rows.map { type.stored($0[1]) } == expected, "\(name)")
                }
            }
        }

        for isSaved in [true, false] {
            EngineCase("aggregates without groups are of all objects (\(isSaved))") { engine in
                try engine.withShop(isSaved: isSaved) { context in
                    let totals = Product.fetchRequest()
                        .select(
                            Product.objectID.count, Product.salePrice.count, Product.stock.sum,
                            Product.price.max)
                    let all = try #require(try context.fetch(totals).first)
                    #expect(all.0 == 6 && all.1 == 1 && all.2 == 13)
                    #expect(all.3 == 40)
                    let none = try #require(
                        try context.fetch(totals.filter(Product.price > 1000)).first)
                    #expect(none.0 == 0 && none.1 == 0 && none.2 == 0)
                    #expect(none.3 == nil)
                }
            }
        }

        for isSaved in [true, false] {
            EngineCase("distinct results appear once, in the order of their columns (\(isSaved))") {
                engine in
                try engine.withShop(isSaved: isSaved) { context in
                    let kinds = Product.fetchRequest().select(Product.kind.required).distinct()
                    try #expect(context.fetch(kinds) == [.toy, .book, .garment])
                    try #expect(
                        context.fetch(kinds.sorted(by: Product.kind.descending).limit(1)) == [
                            .garment
                        ])
                }
            }
        }

        for isSaved in [true, false] {
            EngineCase("objects come as their identities (\(isSaved))") { engine in
                try engine.withShop(isSaved: isSaved) { context in
                    let rows = try context.fetch(
                        Product.fetchRequest().sorted(by: Product.sku)
                            .select(Product.objectID, Product.category))
                    let products = try context.fetch(Product.fetchRequest().sorted(by: Product.sku))
                    #expect(rows.map(\.0) == products.map(\.objectID))
                    #expect(rows.map(\.1) == products.map { $0.category?.objectID })
                }
            }
        }

        EngineCase("named properties come by their names, nil ones not at all") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let box = Box(in: context, name: "b")
                Node(in: context, label: "in").box = box
                _ = Node(in: context, label: "out")
                try context.save()
                let request = Node.fetchRequest().sorted(by: Node.label)
                    .dictionaries("label", "box", "box.name")
                let expected: [[String: PropertyValue]] = [
                    [
                        "label": .value(.string("in")), "box": .toOne(box.objectID),
                        "box.name": .value(.string("b")),
                    ],
                    ["label": .value(.string("out"))],
                ]
                try #expect(container.newContext().fetch(request) == expected)
                // The same in memory.
                _ = Node(in: context, label: "zzz")
                try #expect(context.fetch(request).dropLast() == expected[...])
            }
        }

        EngineCase("computed columns have names of one's own") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                for number in 1...4 { Node(in: context).number = Int64(number) }
                try context.save()
                let request = Node.fetchRequest().dictionaries([
                    "total": Node.number.sum.resultExpression,
                    "doubled": (Node.number * 2).max.resultExpression,
                ])
                try #expect(
                    context.fetch(request) == [
                        ["total": .value(.int(10)), "doubled": .value(.int(8))]
                    ])
            }
        }

        EngineCase("the destination of a relationship is of its own entity") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                let home = Home(in: context)
                home.owner = Robot(in: context, name: "r", serial: "1")
                try context.save()
                let rows = try container.newContext().fetch(Home.fetchRequest().select(Home.owner))
                #expect(rows.first??.entityName == "Robot")
                let beings = try container.newContext().fetch(
                    Being.fetchRequest().select(Being.objectID))
                #expect(beings.map(\.entityName) == ["Robot"])
            }
        }

        EngineCase("ids come in the order and the window of the request") { engine in
            try withNodes(engine) { container, ids in
                let context = container.newContext()
                var request = Node.fetchRequest().filter(Node.number > 0)
                    .sorted(by: Node.number.descending).offset(1).limit(2)
                try #expect(context.fetch(request.ids) == [ids[3], ids[2]])
                request.includesPropertyValues = false
                try #expect(context.fetch(request.ids) == [ids[3], ids[2]])
                #expect(context.registeredObjects.isEmpty)
            }
        }
    }
}

private struct Line: Equatable {
    let sku: String
    let price: Decimal
}

/// Runs a body with the identities of nodes of the numbers 0 to 4, saved.
private func withNodes(
    _ engine: EngineEntry, _ body: (PersistentContainer, [ObjectID]) throws -> Void
) throws {
    try engine.withContainer(Everything.model) { container in
        let writer = container.newContext()
        let nodes = (0..<5).map { Node(in: writer, label: "n", number: Int64($0)) }
        try writer.save()
        try body(container, nodes.map(\.objectID))
    }
}
