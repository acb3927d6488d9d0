import Cambium
import CambiumModel

/// A model of large values, which engines may keep elsewhere than in their rows.
package enum Album {
    package static let model = CompiledModel(
        Model(
            name: "Album", version: "1",
            entities: [
                Entity(
                    name: "Photo",
                    attributes: [
                        Attribute(
                            name: "name", type: .string, defaultValue: .constant(.string(""))),
                        Attribute(name: "code", type: .string, isOptional: true),
                        Attribute(name: "image", type: .data, isOptional: true, isExternal: true),
                        Attribute(name: "preview", type: .data, isOptional: true, isExternal: true),
                    ], uniqueConstraints: [UniqueConstraint(properties: ["code"])]),
                Entity(
                    name: "Film", parent: "Photo",
                    attributes: [
                        Attribute(name: "sound", type: .data, isOptional: true, isExternal: true)
                    ]),
            ]))
}

extension ManagedObject {
    /// Data by its name.
    package subscript(data name: String) -> Data? {
        get {
            guard case .data(let data)? = try? value(forKey: name) else { return nil }
            return data
        }
        set { _ = try? setValue(newValue.map { .data($0) } ?? .null, forKey: name) }
    }
}
