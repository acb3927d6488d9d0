import Cambium
import Foundation

@testable import Names

// What the blocks of Swift in comments use besides Names.swift. Nothing of it runs.

struct View: Sendable {
    var text: String?
    func apply(_ change: some Any) {}
    func show(_ value: some Any) {}
    func write(_ text: some Any) async throws {}
    func update(_ values: some Any) async {}
    func reload() async {}
    var lines: AsyncStream<String> { AsyncStream { nil } }
}
@MainActor var table = View()
@MainActor var badge = View()
@MainActor var label = View()
@MainActor var field = View()
@MainActor var index = View()
@MainActor var response = View()
let feed = View()
@MainActor var screen = View()
@MainActor var request: FetchRequest<Product> { some() }
@MainActor var controller: FetchedResultsController<Product> { some() }
@MainActor var store: PersistentStore { some() }
@MainActor var token: HistoryToken?
@MainActor var lastToken: HistoryToken?
let json = StoreType.memory
let name = "Books"
let ids: [ObjectID] = []
let lines = [(sku: "AB-1", price: Decimal(3))]
struct Colour: Codable, Hashable, Sendable {}
struct ShowIsFull: Error {}
func warn(_ text: String) {}
func redraw() {}
func makeTable(_ context: ManagedObjectContext) throws {}
func showWhatIsNotValid(_ error: any Error) {}
func askWhoIsRight() {}
func report(_ error: any Error) {}
func sku(of line: String) throws -> String { line }
func upload(_ transaction: HistoryTransaction) throws {}
