import Foundation

/// The versions of a model that could be read.
package struct ParsedBundle: Sendable {
    /// The model's name: the folder's without its extension, and with an underscore for every sign
    /// that a name cannot have.
    package let name: String
    /// The folder as passed by the caller.
    package let path: String
    /// All versions, in their order.
    package let versions: [ParsedModel]
    /// The name of the current version, if known. That version may be unreadable.
    package let current: String?
    /// The settings in `cambium.json`.
    package let settings: BundleSettings
    /// The declarations beside the bundle about the steps between its versions.
    package let history: ParsedHistory?
    /// Notes about the conversion of Xcode versions that have shipped.
    package let notes: [Diagnostic]

    /// Creates a bundle.
    package init(
        name: String, path: String, versions: [ParsedModel], current: String? = nil,
        settings: BundleSettings = BundleSettings(), history: ParsedHistory? = nil,
        notes: [Diagnostic] = []
    ) {
        self.notes = notes
        self.name = name
        self.path = path
        self.versions = versions
        self.current = current ?? versions.last?.version
        self.settings = settings
        self.history = history
    }

    /// The versions up to the current one, oldest first, with the additions from the settings and
    /// the history. Stores are migrated along these versions.
    package var chain: [ParsedModel] {
        let end = versions.firstIndex { $0.version == current } ?? versions.count - 1
        let chain = versions.prefix(end + 1).map(settings.applied)
        guard let history else { return chain }
        return chain.indices.map { index in
            let model = chain[index]
            let declared = history.migrations(to: model.version)
                .first { index > 0 && $0["from"]?.value == chain[index - 1].version }
            return declared.map { model.declaring($0, in: history.source) } ?? model
        }
    }

    /// The bundle with all versions in the chain, because stores of versions after the current one
    /// may exist too.
    package var withLaterVersions: ParsedBundle {
        ParsedBundle(
            name: name, path: path, versions: versions, settings: settings, history: history,
            notes: notes)
    }

    /// A model's name for a file's.
    static func modelName(of file: String) -> String { Vocabulary.identifier(file, after: "Model") }
}

/// The order of versions: names compare by their runs of digits as numbers, so 10 follows 9, and
/// without the spaces that slip into file names.
package enum VersionOrder {
    /// Whether one name comes before another.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        let (first, second) = (
            parts(left.filter { !$0.isWhitespace }), parts(right.filter { !$0.isWhitespace })
        )
        for (one, other) in zip(first, second) where one != other {
            return isLess(one, other)
        }
        return (first.count, left) < (second.count, right)
    }

    private static func isLess(_ left: Substring, _ right: Substring) -> Bool {
        guard left.first?.isASCIIDigit == true, right.first?.isASCIIDigit == true else {
            return left < right
        }
        // Without leading zeros a longer number is a greater one, however many digits it has.
        let (one, other) = (left.drop { $0 == "0" }, right.drop { $0 == "0" })
        return (one.count, one, left.count) < (other.count, other, right.count)
    }

    private static func parts(_ name: String) -> [Substring] {
        var parts: [Substring] = []
        var rest = name[...]
        while let first = rest.first {
            let part = rest.prefix { $0.isASCIIDigit == first.isASCIIDigit }
            parts.append(part)
            rest = rest.dropFirst(part.count)
        }
        return parts
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// The declarations about the steps between the versions of a bundle in a separate file, for a
/// bundle that cannot be edited: `Shop.history.xml` beside `Shop.xcdatamodeld`.
package struct ParsedHistory: Sendable {
    /// The file.
    package let source: SourceText
    /// The outermost element, `<history>`.
    package let root: ParsedElement

    /// Creates a history.
    package init(source: SourceText, root: ParsedElement) {
        self.source = source
        self.root = root
    }

    /// The declarations about the step to a version; several if it is declared twice.
    func migrations(to version: String) -> [ParsedElement] {
        root.children(named: "migration").filter { $0["to"]?.value == version }
    }

    /// The path of the file that belongs to a bundle.
    package static func path(beside bundle: String) -> String {
        var bundle = bundle
        while bundle.count > 1, bundle.hasSuffix("/") { bundle.removeLast() }
        let folder = URL(fileURLWithPath: bundle)
        let name = folder.deletingPathExtension().lastPathComponent + ".history.xml"
        let slash = bundle.lastIndex(of: "/")
        return (slash.map { String(bundle[...$0]) } ?? "") + name
    }
}

extension BundleReader {
    /// Reads the file of declarations; one that is named has to be there.
    mutating func readHistory(named name: String?) {
        let file = name ?? ParsedHistory.path(beside: path)
        guard FileManager.default.fileExists(atPath: file) else {
            if name != nil {
                report(.bundleLayout, "There is no file of declarations of that name", file)
            }
            return
        }
        guard let data = readData(file) else { return }
        let source = SourceText(path: file, bytes: [UInt8](data))
        history = readXML(source).map { ParsedHistory(source: source, root: $0) }
    }
}

extension ParsedModel {
    /// The version with another file's declarations about the step to it, in addition to its own.
    ///
    /// - Parameter migration: A `<migration>` of the other file.
    func declaring(_ migration: ParsedElement, in file: SourceText) -> ParsedModel {
        var added = migration.moved(by: source.bytes.count + 1)
        added.attributes.removeAll { $0.name == "to" }
        for index in added.children.indices {
            added.children[index].attributes.removeAll { $0.name == "class" }
        }
        var root = root
        if let index = root.children.firstIndex(where: { $0.name == "migration" }) {
            root.children[index].children += added.children
        } else {
            root.children.append(added)
        }
        return ParsedModel(
            source: source.followed(by: file), version: version, root: root, format: format)
    }
}

extension ParsedElement {
    /// The element with all positions moved by a number of bytes; without comments, which only its
    /// own file contains.
    fileprivate func moved(by distance: Int) -> ParsedElement {
        var element = ParsedElement(
            name: name, namespace: namespace, offset: offset + distance,
            attributes: attributes.map { attribute in
                ParsedAttribute(
                    name: attribute.name, offset: attribute.offset + distance,
                    text: attribute.text.moved(by: distance))
            })
        element.children = children.map { $0.moved(by: distance) }
        element.text = text.moved(by: distance)
        return element
    }
}

extension ParsedText {
    fileprivate func moved(by distance: Int) -> ParsedText {
        ParsedText(
            value: value,
            pieces: pieces.map { piece in
                ScannedText(
                    range: (piece.range.lowerBound + distance)..<(piece.range.upperBound + distance),
                    isVerbatim: piece.isVerbatim)
            })
    }
}

/// The settings of a bundle of Xcode, for everything that Xcode's files cannot express:
/// `cambium.json` beside it, or `Shop.xcdatamodeld.json` for a single bundle.
///
/// ```json
/// { "Shop": { "access": "public", "codegen": { "Product": "base" },
///             "versions": ["Shop", "Shop 2"], "current": "Shop 2" } }
/// ```
package struct BundleSettings: Sendable {
    /// The access level of the generated code.
    package var access: String?
    /// The engines of its stores, separated by spaces.
    package var engines: String?
    /// The class generation for entities without their own setting.
    package var codegen: String?
    /// The class generation for an entity.
    package var codegenOfEntities: [String: String] = [:]
    /// The order of the versions, if it is not that of their names.
    package var versions: [String] = []
    /// The current version, if it differs from Xcode's, or is not the last.
    package var current: String?

    /// Whether the generated code includes the earlier versions, for programs that import stores
    /// that Core Data wrote.
    package var keepsEarlierVersions = false

    /// Says nothing.
    package init() {}

    /// A version with the settings applied; existing values in the file take precedence.
    func applied(to model: ParsedModel) -> ParsedModel {
        guard access != nil || engines != nil || codegen != nil || !codegenOfEntities.isEmpty else {
            return model
        }
        var model = model
        set("access", access, in: &model.root)
        set("engines", engines, in: &model.root)
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

/// The reason that a file of settings is invalid.
struct InvalidSettings: Error {
    let message: String
    /// The word that is wrong.
    var word: String?
}

extension BundleSettings {
    private static let words = [
        "access", "engines", "codegen", "versions", "current", "earlierVersions",
    ]

    /// Reads the settings of one bundle.
    init(_ json: Any, of bundle: String) throws(InvalidSettings) {
        guard let object = json as? [String: Any] else {
            throw InvalidSettings(message: "The settings of '\(bundle)' are no object")
        }
        for (key, value) in object.ordered(by: { $0.key < $1.key }) {
            switch key {
            case "access": access = try Self.word(value, of: key, in: "model")
            case "engines":
                let words: String = try Self.value(value, of: key, "words, separated by spaces")
                for word in words.split(separator: " ") {
                    _ = try Self.word(String(word), of: key, in: "model")
                }
                engines = words
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
            throw InvalidSettings(message: "This is not JSON")
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
