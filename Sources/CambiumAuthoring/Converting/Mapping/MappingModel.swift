import CambiumCompiler

/// The content of an Xcode mapping model as it is written: a graph of objects with numbers.
struct MappingModel {
    /// The mapping of an entity.
    struct Entity {
        let source: String?
        let destination: String?
        let policy: String?
        let attributes: [Property]
        let relationships: [Property]
        /// The unknown parts of the mapping, by name.
        let others: [String]
        let offset: Int

        /// The properties that the new version has.
        var names: Set<String> { Set((attributes + relationships).map(\.name)) }
    }

    /// The mapping of a property.
    struct Property {
        let name: String
        /// The expression of the value; nil for the property of the same name, if there is one.
        let expression: ArchivedExpression?
        /// The path that a relationship follows, and the mapping that it uses, in words.
        let path: String?
        let offset: Int
    }

    let entities: [Entity]
    /// The names of the versions.
    let oldVersion: String?
    let newVersion: String?
}

extension MappingModel {
    private static let known: Set<String> = [
        "sourcename", "destinationname", "mappingtypename", "mappingnumber", "name",
        "autogenerateexpression", "migrationpolicyclassname", "mappingmodel",
        "attributemappings", "relationshipmappings",
    ]

    /// Takes a document apart.
    init(_ source: SourceText) throws(Diagnostic) {
        let root = try XMLReader.read(source)
        let objects = root.children(named: "object")
        guard root.name == "database", !objects.isEmpty else {
            throw Diagnostic(
                .wrongRoot, "This is not a mapping model of Xcode's",
                at: source.position(at: root.offset))
        }
        let numbered = Dictionary(
            objects.compactMap { object in object["id"].map { ($0.value, object) } },
            uniquingKeysWith: { first, _ in first })
        func targets(_ object: ParsedElement, _ name: String) -> [ParsedElement] {
            let list = object.children.first { $0["name"]?.value == name }?["idrefs"]?.value ?? ""
            return list.split(separator: " ").compactMap { numbered[String($0)] }
        }
        let model = objects.first { $0["type"]?.value == "XDDEVMAPPINGMODEL" }
        oldVersion = Self.version(model, "sourcemodelpath")
        newVersion = Self.version(model, "destinationmodelpath")
        let mappings = model.map { targets($0, "entitymappings") } ?? []
        entities = mappings.map { object in
            Entity(
                source: Self.value(object, "sourcename"),
                destination: Self.value(object, "destinationname"),
                policy: Self.value(object, "migrationpolicyclassname"),
                attributes: targets(object, "attributemappings").compactMap(Self.property),
                relationships: targets(object, "relationshipmappings").compactMap(Self.property),
                others: object.children.compactMap { $0["name"]?.value }
                    .filter { !Self.known.contains($0) },
                offset: object.offset)
        }.sorted { Self.order($0) < Self.order($1) }
    }

    private static func order(_ entity: Entity) -> (String, String, Int) {
        (entity.destination ?? entity.source ?? "", entity.source ?? "", entity.offset)
    }

    private static func value(_ object: ParsedElement, _ name: String) -> String? {
        let text = object.children.first { $0["name"]?.value == name }?.text.trimmed.value
        return text?.isEmpty == false ? text : nil
    }

    private static func version(_ model: ParsedElement?, _ name: String) -> String? {
        guard let path = model.flatMap({ value($0, name) }) else { return nil }
        let file = path.split(separator: "/").last.map(String.init) ?? path
        let suffix = ".xcdatamodel"
        return file.hasSuffix(suffix) ? String(file.dropLast(suffix.count)) : file
    }

    private static func property(_ object: ParsedElement) -> Property? {
        guard let name = value(object, "name") else { return nil }
        let archive = value(object, "valueexpressiondata")
        let expression = archive.map {
            ArchivedExpression(base64: $0) ?? .other("an expression that cannot be read")
        }
        return Property(
            name: name, expression: expression, path: value(object, "sourcekeypath"),
            offset: object.offset)
    }
}
