import Cambium
import EverythingModel
import ShopModel
import Testing

extension EngineSuite {
    /// Results come in the order that was asked for, and by key where none was.
    package static let ordering = EngineSuite("ordering") {
        EngineCase("objects come in the order that was asked for") { engine in
            try engine.withShop { context in
                let request = Product.fetchRequest()
                try #expect(
                    skus(
                        context, request.sorted(by: Product.price.descending, Product.sku.ascending)
                    )
                        == ["TO-1", "BO-0", "BO-2", "BO-1", "TO-0", "XX-0"])
                // Nil before any value; text by its bytes.
                try #expect(
                    skus(context, request.sorted(by: Product.category.name.ascending)).first
                        == "XX-0")
                try #expect(
                    skus(context, request.sorted(by: Product.title.ascending)).suffix(3)
                        == ["TO-1", "TO-0", "XX-0"])
            }
        }

        EngineCase("texts sort by their bytes") { engine in
            try #expect(
                labels(engine, Node.label.ascending)
                    == ["A", "B", "Chapter 10", "a", "apfel", "b", "chapter 9", "Äpfel"])
        }

        EngineCase("without case, equal texts come in the order of their keys") { engine in
            try #expect(
                labels(engine, Node.label.ascending(.caseInsensitive), of: ["b", "A", "a", "B"])
                    == ["A", "a", "b", "B"])
            try #expect(
                labels(engine, Node.label.descending(.caseInsensitive), of: ["b", "A", "a", "B"])
                    == ["b", "B", "A", "a"])
        }

        EngineCase("the natural order is that of people") { engine in
            try #expect(
                labels(engine, Node.label.ascending(.natural))
                    == ["a", "A", "apfel", "Äpfel", "b", "B", "chapter 9", "Chapter 10"])
        }

        EngineCase("a language has its own alphabet") { engine in
            let words = ["ö", "z", "å", "a", "o", "ä"]
            try #expect(
                labels(engine, Node.label.ascending(.natural), of: words) == [
                    "a", "ä", "å", "o", "ö", "z",
                ])
            try #expect(
                labels(engine, Node.label.ascending(.language("sv")), of: words)
                    == ["a", "o", "z", "å", "ä", "ö"])
            try #expect(
                labels(engine, Node.label.ascending(.language("es")), of: ["o", "ñu", "nz", "na"])
                    == ["na", "nz", "ñu", "o"])
        }

        EngineCase("numbers within texts sort by their value") { engine in
            try #expect(
                labels(
                    engine, Node.label.ascending(.natural),
                    of: ["a10b", "a9z", "a09", "a1", "a100", "a"])
                    == ["a", "a1", "a09", "a9z", "a10b", "a100"])
        }

        EngineCase("nil comes first unless the order says otherwise") { engine in
            try engine.withContainer(Everything.model) { container in
                let context = container.newContext()
                for value in [2, nil, 1] as [Int64?] { Sample(in: context).maybeLong = value }
                func values(_ order: SortOrder<Sample>) throws -> [Int64?] {
                    try context.fetch(Sample.fetchRequest().sorted(by: order)).map(\.maybeLong)
                }
                for isSaved in [false, true] {
                    if isSaved { try context.save() }
                    try #expect(values(Sample.maybeLong.ascending) == [nil, 1, 2])
                    try #expect(values(Sample.maybeLong.descending) == [2, 1, nil])
                    try #expect(values(Sample.maybeLong.ascending.nilLast) == [1, 2, nil])
                    try #expect(values(Sample.maybeLong.descending.nilFirst) == [nil, 2, 1])
                    try #expect(values(Sample.maybeLong.ascending.nilFirst) == [nil, 1, 2])
                }
            }
        }

        EngineCase("without an order objects come by key, whatever index finds them") { engine in
            try engine.withContainer(Shop.model) { container in
                let context = container.newContext()
                // The unique index on the number has them the other way round.
                let numbers = (0..<50).map { "PR-\(99 - $0)" }
                for number in numbers {
                    _ = Product(in: context, sku: number, kind: .book, price: 1)
                }
                try context.save()
                let request = Product.fetchRequest().filter(Product.sku > "PR-")
                let found = try container.newContext().fetch(request)
                #expect(found.map(\.sku) == numbers)
            }
        }
    }
}

private let examples = ["b", "A", "a", "B", "Chapter 10", "chapter 9", "Äpfel", "apfel"]

/// The labels in an order, in the store, and of unsaved objects.
private func labels(
    _ engine: EngineEntry, _ order: SortOrder<Node>, of labels: [String] = examples
) throws -> [String] {
    try engine.withContainer(Everything.model) { container in
        let context = container.newContext()
        for label in labels { _ = Node(in: context, label: label) }
        let request = Node.fetchRequest().sorted(by: order)
        let pending = try context.fetch(request).map(\.label)
        try context.save()
        let saved = try container.newContext().fetch(request).map(\.label)
        #expect(pending == saved)
        let selected = try container.newContext().fetch(request.select(Node.label.required))
        #expect(selected == saved)
        return saved
    }
}
