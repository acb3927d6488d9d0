import Cambium
import EverythingModel
import Testing

struct SortOptionTests {
    private static let examples = ["b", "A", "a", "B", "Chapter 10", "chapter 9", "Äpfel", "apfel"]

    /// The labels in an order, in the store, and of unsaved objects.
    private func labels(
        _ order: SortOrder<Node>, of labels: [String] = examples, on kind: StoreKind = .memory
    ) throws -> [String] {
        try withContainer(Everything.model, on: kind) { container in
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

    @Test(arguments: StoreKind.allCases)
    func `texts sort by their bytes`(_ kind: StoreKind) throws {
        try #expect(
            labels(Node.label.ascending, on: kind)
                == ["A", "B", "Chapter 10", "a", "apfel", "b", "chapter 9", "Äpfel"])
    }

    @Test(arguments: StoreKind.allCases)
    func `without case, equal texts come in the order of their keys`(_ kind: StoreKind) throws {
        try #expect(
            labels(Node.label.ascending(.caseInsensitive), of: ["b", "A", "a", "B"], on: kind)
                == ["A", "a", "b", "B"])
        try #expect(
            labels(Node.label.descending(.caseInsensitive), of: ["b", "A", "a", "B"], on: kind)
                == ["b", "B", "A", "a"])
    }

    @Test(arguments: StoreKind.allCases)
    func `the natural order is that of people`(_ kind: StoreKind) throws {
        try #expect(
            labels(Node.label.ascending(.natural), on: kind)
                == ["a", "A", "apfel", "Äpfel", "b", "B", "chapter 9", "Chapter 10"])
    }

    @Test func `a language has its own alphabet`() throws {
        let words = ["ö", "z", "å", "a", "o", "ä"]
        try #expect(
            labels(Node.label.ascending(.natural), of: words) == ["a", "ä", "å", "o", "ö", "z"])
        try #expect(
            labels(Node.label.ascending(.language("sv")), of: words)
                == ["a", "o", "z", "å", "ä", "ö"])
        try #expect(
            labels(Node.label.ascending(.language("es")), of: ["o", "ñu", "nz", "na"])
                == ["na", "nz", "ñu", "o"])
    }

    @Test func `numbers within texts sort by their value`() throws {
        try #expect(
            labels(Node.label.ascending(.natural), of: ["a10b", "a9z", "a09", "a1", "a100", "a"])
                == ["a", "a1", "a09", "a9z", "a10b", "a100"])
    }

    @Test(arguments: StoreKind.allCases)
    func `nil comes first unless the order says otherwise`(_ kind: StoreKind) throws {
        try withContainer(Everything.model, on: kind) { container in
            let context = container.newContext()
            for value in [2, nil, 1] as [Int64?] { Sample(in: context).maybeLong = value }
            func values(_ order: SortOrder<Sample>) throws -> [Int64?] {
                try context.fetch(Sample.fetchRequest().sorted(by: order)).map(\.maybeLong)
            }
            func check() throws {
                try #expect(values(Sample.maybeLong.ascending) == [nil, 1, 2])
                try #expect(values(Sample.maybeLong.descending) == [2, 1, nil])
                try #expect(values(Sample.maybeLong.ascending.nilLast) == [1, 2, nil])
                try #expect(values(Sample.maybeLong.descending.nilFirst) == [nil, 2, 1])
                try #expect(values(Sample.maybeLong.ascending.nilFirst) == [nil, 1, 2])
            }
            try check()
            try context.save()
            try check()
        }
    }
}
