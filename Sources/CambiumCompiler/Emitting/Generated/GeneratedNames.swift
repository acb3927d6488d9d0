import CambiumModel

/// The names of types in generated code.
///
/// A model may well have an entity `Rule` or an attribute `Index`. Generated code then writes the
/// library's type of that name with its module, so that no name needs to be forbidden for that
/// reason.
struct GeneratedNames {
    private var types: Set<String>
    private var members: Set<String> = []

    /// Takes the names that the model declares.
    init(_ model: Model) {
        types = [SwiftText.plainIdentifier(model.name)]
        for entity in model.entities where entity.codeGeneration != .none {
            let name = SwiftText.plainIdentifier(entity.className)
            types.formUnion([name, "_" + name, name + "Keys"])
        }
        for enumeration in model.enumerations {
            types.insert(SwiftText.plainIdentifier(enumeration.name))
        }
        for composite in model.composites {
            let name = SwiftText.plainIdentifier(composite.name)
            types.formUnion([name, name + "Keys"])
        }
        addMembers(of: model)
    }

    /// The same with the names that the rows of a version have.
    func withRows(of version: Model) -> GeneratedNames {
        var names = self
        names.types.formUnion(version.entities.map { GeneratedRow.typeName(of: $0.name) })
        names.addMembers(of: version)
        return names
    }

    private mutating func addMembers(of model: Model) {
        for entity in model.entities {
            addMembers(entity.attributes.map(\.name), entity.compositeAttributes.map(\.name))
            addMembers(entity.relationships.map(\.name), entity.fetchedProperties.map(\.name))
            addMembers(entity.attributes.filter(\.hasCustomValidation).map(\.validationHook))
            for template in entity.fetchTemplates {
                addMembers([template.name], template.parameters.map(\.name))
            }
        }
        for composite in model.composites {
            addMembers(
                composite.attributes.map(\.name), composite.compositeAttributes.map(\.name))
        }
    }

    /// Takes names, and of a part of a composite value the names on the way to it too.
    private mutating func addMembers(_ names: [String]...) {
        for name in names.joined() {
            members.formUnion(name.split(separator: ".").map { SwiftText.plainIdentifier("\($0)") })
        }
    }

    private func isTaken(_ name: String) -> Bool {
        types.contains(name) || members.contains(name)
    }

    /// A type of the runtime, or of Foundation, which the runtime passes on.
    func library(_ name: String) -> String { isTaken(name) ? "Cambium.\(name)" : name }

    /// A type of the standard library.
    func standard(_ name: String) -> String { isTaken(name) ? "Swift.\(name)" : name }

    /// What makes a value of a type where such a value is expected.
    ///
    /// In a class, a property hides the type of its name wherever an expression is expected.
    ///
    /// - Parameter type: The type, as `library` and `standard` give it, or one of the model's.
    func initializer(of type: String) -> String {
        let name = type.split(separator: ".").last.map(String.init) ?? type
        return members.contains(name) ? ".init" : type
    }

    /// The same for a type of the runtime.
    func libraryInitializer(_ name: String) -> String { initializer(of: library(name)) }

    /// Whether a member has the name, which hides a type of that name in expressions.
    func isMember(_ name: String) -> Bool { members.contains(name) }

    /// A name that nothing in the model has.
    func unused(_ name: String) -> String { isTaken(name) ? unused(name + "_") : name }

    /// A type of the model, by a name that means it inside the classes and structs too. It is
    /// spelled as it is declared: to Swift, one letter is another if its accent is a scalar of its
    /// own.
    func own(_ name: String) -> String {
        let declared = types.firstIndex(of: name).map { types[$0] } ?? name
        return Self.hiddenTypes.contains(declared)
            ? alias(of: declared) : SwiftText.identifier(declared)
    }

    /// The types of the model that have another name for use inside the classes, and that name.
    var aliases: [(type: String, alias: String)] {
        Self.hiddenTypes.filter(types.contains).map { ($0, alias(of: $0)) }
    }

    private func alias(of type: String) -> String { unused("_" + type) }

    /// The types that every class, or every struct of a composite value, has as members. They hide
    /// others of these names inside of it.
    static let hiddenTypes = ["CodingKeys", "ID", "Snapshot"]

    /// The Swift type of an attribute's values other than nil.
    func swiftType(of type: AttributeType) -> String {
        switch type {
        case .enumeration(let name): own(name)
        // Only what the strict grammar of type names gives comes here as it is.
        case .codable(let name): ClassName(name)?.text ?? SwiftText.identifier(name)
        default:
            type.descriptor.isOfStandardLibrary
                ? standard(type.descriptor.swiftName) : library(type.descriptor.swiftName)
        }
    }
}
