@testable import Cambium
import CambiumRecords
import EverythingModel
import Foundation
import ShopModel
import Testing

@Suite(.onServers)
struct BatchUpdateTests {
    private func withShop(_ body: (ManagedObjectContext) throws -> Void) throws {
        try withContainer(Shop.model) { container in
            let context = container.newContext()
            let books = Category(in: context, name: "Books")
            for number in 0..<6 {
                _ = Product(
                    in: context, sku: "AB-\(number)", kind: .book, price: Decimal(number + 1),
                    stock: Int32(number), category: number < 2 ? books : nil)
            }
            try context.save()
            try body(context)
        }
    }

    private func products(_ context: ManagedObjectContext) throws -> [Product] {
        try context.fetch(Product.fetchRequest().sorted(by: Product.sku))
    }

    /// Executes an update row by row, as far as it may be cut.
    private func executeInPieces(
        _ request: BatchUpdateRequest<Node>, _ context: ManagedObjectContext
    ) throws {
        let coordinator = context.coordinator
        let rows = try context.fetching.rowRequest(for: request.objects)
        let update = BatchUpdate(
            request: rows,
            assignments: try BatchAssignments(
                request.assignments, of: rows.entity, in: coordinator),
            resultType: .count, chunkSize: 1)
        var count = 0
        try coordinator.store(ofRoot: rows.entity.rootIndex).run(
            update, by: TransactionAuthor(), attachesRows: false
        ) { count = $0.count }
        #expect(count == 3)
    }

    @Test func `an update is cut into pieces only where rows do not look at each other`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let nodes = (0..<4).map { Node(in: context, number: Int64($0)) }
            for (node, next) in zip(nodes, nodes.dropFirst()) { next.next = node }
            try context.save()
            let request = BatchUpdateRequest<Node>().filter(Node.next != nil)
            try executeInPieces(request.set(Node.number, toResultOf: "next.number"), context)
            func numbers() throws -> [Int64] {
                try container.newContext().fetch(Node.fetchRequest()).map(\.number)
            }
            try #expect(numbers() == [0, 0, 1, 2])
            try executeInPieces(request.set(Node.number, toResultOf: "number * 2"), context)
            try #expect(numbers() == [0, 0, 2, 4])
        }
    }

    @Test func `of many objects that are refused the first one is named`() throws {
        try withShop { context in
            func add(_ numbers: Range<Int>) throws {
                for number in numbers {
                    _ = Product(
                        in: context, sku: "CD-\(number)", kind: .book,
                        price: [100, 150, 151].contains(number) ? 1000 : 1)
                }
                try context.save()
            }
            try add(100..<130)
            try context.execute(
                BatchDeleteRequest(Product.fetchRequest().filter(Product.sku == "CD-101")))
            try add(130..<170)
            let error = #expect(throws: ValidationError.self) {
                try context.execute(
                    BatchUpdateRequest<Product>().set(Product.price, toResultOf: "price * 1000"))
            }
            let found = try context.fetch(
                Product.fetchRequest().filter(Product.sku == "CD-100"))
            #expect(error?.code == .numberTooLarge && error?.objectID == found.first?.objectID)
        }
    }

    @Test func `what cannot be set is refused by name`() throws {
        try withShop { context in
            func error(_ request: BatchUpdateRequest<Product>) -> String {
                do {
                    try context.execute(request)
                    return ""
                } catch {
                    return "\(error)"
                }
            }
            let request = BatchUpdateRequest<Product>()
            #expect(error(request).contains("sets nothing"))
            #expect(error(request.set(Product.category.name, to: "x")).contains("another object"))
            #expect(error(request.setValue(.int(1), forKey: "prize")).contains("price"))
            #expect(
                error(request.setValue(.string("x"), forKey: "stock")).contains("Product.stock"))
            #expect(
                error(request.set(Product.stock, to: 1).set(Product.stock, to: 2))
                    .contains("twice"))
            #expect(
                error(request.set(Product.stock, toResultOf: "prize + 1")).contains("prize"))
            #expect(
                error(request.setResult(of: "stock", forKey: "category")).contains("expression"))
        }
    }

    @Test func `a place in an ordered to-many goes with the owner`() throws {
        try withContainer(OrderedModel.model) { container in
            let context = container.newContext()
            let albums = ["a", "b"].map { Album(in: context, title: $0) }
            let tracks = ["1", "2", "3"].map { Track(in: context, title: $0) }
            albums[0].tracks.append(contentsOf: tracks.reversed())
            try context.save()
            #expect(albums[0].tracks.map(\.title) == ["3", "2", "1"])
            try context.execute(
                BatchUpdateRequest<Track>(
                    FetchRequest<Track>().filter(format: "title != '2'")
                ).setValue(.int(albums[1].objectID.key), forKey: "album"))
            #expect(albums[0].tracks.map(\.title) == ["2"])
            #expect(albums[1].tracks.map(\.title) == ["1", "3"])
        }
    }
}
