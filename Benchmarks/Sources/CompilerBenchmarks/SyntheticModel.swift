import Foundation

/// A model with a number of entities, each with twelve attributes and two relationships.
struct SyntheticModel {
    let entities: Int

    private static let types = [
        "string", "int32", "int64", "double", "bool", "date", "uuid", "decimal", "string", "int16",
        "float", "data",
    ]

    /// Writes the bundle and returns its path.
    func write(into folder: URL) throws -> String {
        let bundle = folder.appendingPathComponent("Synthetic\(entities).cambium")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try Data(xml.utf8).write(to: bundle.appendingPathComponent("1.xml"))
        return bundle.path
    }

    private var xml: String {
        let head =
            "<model xmlns=\"urn:cambium:model:1\" name=\"Synthetic\(entities)\" version=\"1\">\n"
        return head + (0..<entities).map(entity).joined() + "</model>\n"
    }

    private func entity(_ number: Int) -> String {
        let attributes = Self.types.enumerated().map { index, type in
            let optional = index % 2 == 1 ? " optional=\"true\"" : ""
            return "<attribute name=\"value\(index)\" type=\"\(type)\"\(optional)/>\n"
        }
        let next = (number + 1) % entities
        let previous = (number + entities - 1) % entities
        return "<entity name=\"Entity\(number)\">\n" + attributes.joined()
            + "<relationship name=\"next\" to=\"Entity\(next)\" inverse=\"previous\" optional=\"true\"/>\n"
            + "<relationship name=\"previous\" to=\"Entity\(previous)\" inverse=\"next\" many=\"true\"/>\n"
            + "</entity>\n"
    }
}
