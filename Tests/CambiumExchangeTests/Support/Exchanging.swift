import CambiumExchange
import Foundation

extension ManagedObjectContext {
    /// Imports a text into an entity.
    @discardableResult
    func importing(
        _ text: String, _ entity: String = "Article", as format: ExchangeFormat = .jsonLines,
        _ change: (inout ImportRequest) -> Void = { _ in }
    ) throws -> ImportResult {
        var request = ImportRequest([
            ImportSource(entityName: entity, from: .text(text), as: format)
        ])
        change(&request)
        return try execute(request)
    }

    /// What an import throws, as a text.
    func failure(
        _ text: String, _ entity: String = "Article", as format: ExchangeFormat = .jsonLines,
        _ change: (inout ImportRequest) -> Void = { _ in }
    ) -> String {
        do {
            try importing(text, entity, as: format, change)
            return "nothing"
        } catch {
            return "\(error)"
        }
    }

    /// The article of a number.
    func article(_ sku: String) throws -> ManagedObject? {
        try fetch(
            FetchRequest<ManagedObject>(entityName: "Article").filter(
                format: "sku == %@", sku)
        )
        .first
    }

    /// Everything that an export writes of an entity.
    func exported(
        _ entity: String, as format: ExchangeFormat = .jsonLines,
        _ change: (inout ExportRequest<ManagedObject>) -> Void = { _ in }
    ) throws -> String {
        var request = ExportRequest(
            FetchRequest<ManagedObject>(entityName: entity), as: format)
        change(&request)
        return try withStoreFile { path in
            try execute(request, to: path)
            return try String(contentsOfFile: path, encoding: .utf8)
        }
    }
}
