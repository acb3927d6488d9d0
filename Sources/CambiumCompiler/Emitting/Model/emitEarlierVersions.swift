import CambiumModel

extension SwiftEmitter {
    /// The versions before the current one as values: with them a program knows stores that Core
    /// Data wrote. Versions share what they have in common.
    func emitEarlierVersions(to writer: inout SwiftWriter) {
        guard !earlierVersions.isEmpty else { return }
        var numbers: [String: Int] = [:]
        var entities: [String] = []
        let versions = earlierVersions.map { version in
            compiled(version) { text in
                let number = numbers[text] ?? entities.count
                if numbers.updateValue(number, forKey: text) == nil { entities.append(text) }
                return .text("earlierEntities[\(number)]")
            }
        }
        writer.nextDoc("The versions before, the oldest first, for stores that Core Data wrote.")
        writer.body("\(modifier)static var earlierVersions: [\(names.library("Model"))]") {
            $0.code("", .array(versions))
        }
        writer.nextDoc("The entities of the versions before.")
        writer.code(
            "private static let earlierEntities: [\(names.standard("String"))] = ",
            .array(entities.map { .rawString($0) }))
    }
}
