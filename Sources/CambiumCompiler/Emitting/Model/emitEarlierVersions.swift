import CambiumModel

extension SwiftEmitter {
    /// The versions before the current one as values: with them a program knows stores that Core
    /// Data wrote. Versions share what they have in common.
    func emitEarlierVersions(_ literals: ModelLiteralEmitter, to writer: inout SwiftWriter) {
        guard !earlierVersions.isEmpty else { return }
        var numbers: [Entity: Int] = [:]
        for entity in earlierVersions.flatMap(\.entities) where numbers[entity] == nil {
            numbers[entity] = numbers.count
        }
        let type = names.library("Model")
        writer.line()
        writer.doc("The versions before, the oldest first, for stores that Core Data wrote.")
        writer.body("\(modifier)static var earlierVersions: [\(type)]") { writer in
            writer.code(
                "", .array(earlierVersions.indices.map { .text("earlierVersion\($0)") }))
        }
        for (index, version) in earlierVersions.enumerated() {
            writer.line()
            writer.doc("The version \(version.version).")
            writer.body("private static var earlierVersion\(index): \(type)") { writer in
                writer.code(
                    "",
                    modelLiteral(version, literals) { entity in
                        .text("earlierEntity\(numbers[entity] ?? 0)")
                    })
            }
        }
        for (entity, number) in numbers.sorted(by: { $0.value < $1.value }) {
            writer.line()
            writer.doc("The entity `\(entity.name)` of an earlier version.")
            writer.body("private static var earlierEntity\(number): \(names.library("Entity"))") {
                $0.code("", literals.entity(entity))
            }
        }
    }
}
