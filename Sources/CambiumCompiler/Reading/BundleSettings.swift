import Foundation

/// What a bundle of Xcode's cannot say: `cambium.json` beside it, or `Shop.xcdatamodeld.json` for
/// one bundle alone.
///
/// ```json
/// { "Shop": { "access": "public", "codegen": { "Product": "base" },
///             "versions": ["Shop", "Shop 2"], "current": "Shop 2" } }
/// ```
package struct BundleSettings: Sendable {
    /// Who may use the generated code.
    package var access: String?
    /// How the classes are generated that no other setting names.
    package var codegen: String?
    /// How the class of an entity is generated.
    package var codegenOfEntities: [String: String] = [:]
    /// The order of the versions, where it is not that of their names.
    package var versions: [String] = []
    /// The current version, where it is not the one that Xcode says, or the last.
    package var current: String?

    /// Whether the generated code knows the earlier versions too, for programs that meet stores
    /// which Core Data wrote.
    package var keepsEarlierVersions = false

    /// Says nothing.
    package init() {}

    /// A version with the settings in it; what the file itself says stays.
    func applied(to model: ParsedModel) -> ParsedModel {
        guard access != nil || codegen != nil || !codegenOfEntities.isEmpty else { return model }
        var model = model
        set("access", access, in: &model.root)
        for index in model.root.children.indices where model.root.children[index].name == "entity" {
            let name = model.root.children[index]["name"]?.value ?? ""
            set("codegen", codegenOfEntities[name] ?? codegen, in: &model.root.children[index])
        }
        return model
    }

    private func set(_ name: String, _ value: String?, in element: inout ParsedElement) {
        guard let value, element[name] == nil else { return }
        element.attributes.append(
            ParsedAttribute(name: name, value: value, at: element.offset))
    }
}

/// Why a file of settings is none.
struct InvalidSettings: Error {
    let message: String
    /// The word that is wrong.
    var word: String?
}

extension BundleSettings {
    private static let words = ["access", "codegen", "versions", "current", "earlierVersions"]

    /// Reads the settings of one bundle.
    init(_ json: Any, of bundle: String) throws(InvalidSettings) {
        guard let object = json as? [String: Any] else {
            throw InvalidSettings(message: "The settings of '\(bundle)' are no object")
        }
        for (key, value) in object.sorted(by: { $0.key < $1.key }) {
            switch key {
            case "access": access = try Self.word(value, of: key, in: "model")
            case "codegen": try readCodegen(value)
            case "versions":
                guard let names = value as? [String], Set(names).count == names.count else {
                    throw InvalidSettings(
                        message: "versions is a list of names, each once", word: key)
                }
                versions = names
            case "current":
                current = try Self.value(value, of: key, "the name of a version")
            case "earlierVersions":
                keepsEarlierVersions = try Self.value(value, of: key, "true or false")
            default:
                throw InvalidSettings(
                    message: "There is no setting '\(key)'; there are "
                        + Self.words.joined(separator: ", "), word: key)
            }
        }
    }

    private mutating func readCodegen(_ value: Any) throws(InvalidSettings) {
        guard let entities = value as? [String: Any] else {
            codegen = try Self.word(value, of: "codegen", in: "entity")
            return
        }
        for (entity, value) in entities {
            codegenOfEntities[entity] = try Self.word(value, of: "codegen", in: "entity")
        }
    }

    private static func value<Value>(
        _ value: Any, of key: String, _ kind: String
    ) throws(InvalidSettings) -> Value {
        guard let value = value as? Value else {
            throw InvalidSettings(message: "\(key) is \(kind)", word: key)
        }
        return value
    }

    /// A word that an XML attribute of the same name may be.
    private static func word(
        _ value: Any, of key: String, in element: String
    ) throws(InvalidSettings) -> String {
        let words = Vocabulary.words(key, of: element)
        guard let word = value as? String, words.contains(word) else {
            throw InvalidSettings(
                message: "\(key) is one of \(words.joined(separator: ", "))", word: key)
        }
        return word
    }

    /// Reads a file: of one bundle, or of all in a folder.
    static func read(
        _ data: Data, of bundle: String, isOfFolder: Bool
    ) throws(InvalidSettings) -> BundleSettings {
        let json: Any
        do {
            json = try JSONSerialization.jsonObject(with: data)
        } catch {
            throw InvalidSettings(message: "This is no JSON")
        }
        guard isOfFolder else { return try BundleSettings(json, of: bundle) }
        guard let bundles = json as? [String: Any] else {
            throw InvalidSettings(message: "The settings are an object with a key for each bundle")
        }
        let short = bundle.split(separator: ".").dropLast().joined(separator: ".")
        guard let own = bundles[bundle] ?? bundles[short] else { return BundleSettings() }
        return try BundleSettings(own, of: bundle)
    }
}
