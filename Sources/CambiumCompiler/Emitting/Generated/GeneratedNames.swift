import CambiumModel

/// The names of types in generated code.
///
/// A model may well have an entity `Rule` or `Index`. Generated code then writes the library's
/// type of that name with its module, so that no name needs to be forbidden for that reason.
struct GeneratedNames {
    private let taken: Set<String>

    /// Takes the names that the model declares.
    init(_ model: Model) {
        var taken: Set<String> = [SwiftText.plainIdentifier(model.name)]
        for entity in model.entities where entity.codeGeneration != .none {
            let name = SwiftText.plainIdentifier(entity.className)
            taken.formUnion([name, "_" + name, name + "Keys"])
        }
        for enumeration in model.enumerations {
            taken.insert(SwiftText.plainIdentifier(enumeration.name))
        }
        for composite in model.composites {
            let name = SwiftText.plainIdentifier(composite.name)
            taken.formUnion([name, name + "Keys"])
        }
        self.taken = taken
    }

    /// A type of the runtime, or of Foundation, which the runtime passes on.
    func library(_ name: String) -> String {
        taken.contains(name) ? "Cambium.\(name)" : name
    }

    /// A type of the standard library.
    func standard(_ name: String) -> String {
        taken.contains(name) ? "Swift.\(name)" : name
    }

    /// A name that no type of the model has, for a generic parameter.
    func unused(_ name: String) -> String {
        taken.contains(name) ? unused(name + "_") : name
    }

    /// The Swift type of an attribute's values other than nil.
    func swiftType(of type: AttributeType) -> String {
        switch type {
        case .bool: standard("Bool")
        case .int16: standard("Int16")
        case .int32: standard("Int32")
        case .int64: standard("Int64")
        case .float: standard("Float")
        case .double: standard("Double")
        case .string: standard("String")
        case .decimal, .anyDecimal: library("Decimal")
        case .date: library("Date")
        case .uuid: library("UUID")
        case .uri: library("URL")
        case .data: library("Data")
        case .enumeration(let name): SwiftText.identifier(name)
        // Only what the strict grammar of type names gives comes here as it is.
        case .codable(let name): ClassName(name)?.text ?? SwiftText.identifier(name)
        }
    }
}
