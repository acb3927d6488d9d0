import CambiumModel

/// The rows of a version's entities: structs, so that no version but the current one has classes.
extension SwiftEmitter {
    /// The modifier of declarations that only the library calls.
    private var hiddenModifier: String {
        access == .public ? "@_spi(Generated) \(modifier)" : modifier
    }

    func emitRows(of version: SteppedVersion, to writer: inout SwiftWriter) {
        let names = names.withRows(of: version.model)
        writer.block("\(isolation)extension \(SwiftText.identifier(model.name))") { writer in
            writer.doc("Version \(version.model.version), as steps of migrations see it.")
            writer.block(
                "\(modifier)enum \(version.name): \(names.library("MigrationVersion"))"
            ) { writer in
                writer.doc("The version's name.")
                writer.line(
                    """
                    \(modifier)static var versionName: \(names.standard("String")) { \
                    \(SwiftText.literal(version.model.version)) }
                    """)
                writer.each(version.model.entities) { entity, writer in
                    let row = GeneratedRow(entity, of: version, names)
                    emit(row, of: version, names, to: &writer)
                }
            }
        }
    }

    private func emit(
        _ row: GeneratedRow, of version: SteppedVersion, _ names: GeneratedNames,
        to writer: inout SwiftWriter
    ) {
        let conformance = row.isWritable ? "WritableMigrationRow" : "MigrationRow"
        writer.doc("A row of `\(row.entity.name)`.")
        writer.block("\(modifier)struct \(row.typeName): \(names.library(conformance))") { writer in
            writer.doc("The version that has the entity.")
            writer.line("\(modifier)typealias Version = \(version.name)")
            writer.nextDoc("Where the rows are.")
            var arguments: [(label: String?, value: SwiftCode)] = [
                ("entity", .string(row.entity.name)), ("root", .string(row.root)),
            ]
            if !row.family.isEmpty {
                arguments.append(("family", .array(row.family.map { .string($0) })))
            }
            arguments.append(("columns", .array(row.properties.map { .string($0.column) })))
            writer.code(
                "\(hiddenModifier)static let layout: \(names.library("RowLayout")) = ",
                .call(".init", arguments))
            writer.nextDoc("The values.")
            writer.line(
                "\(hiddenModifier)var storage: \(names.library("RowStorage"))")
            writer.nextDoc("Creates a row.")
            writer.line(
                "\(hiddenModifier)init(storage: \(names.library("RowStorage"))) {")
            writer.line("    self.storage = storage")
            writer.line("}")
            if row.isWritable, !row.entity.isAbstract {
                emitInitializer(of: row, names, to: &writer)
            }
            for property in row.properties { emit(property, of: row, to: &writer) }
            for link in row.links {
                writer.nextDoc("The links of `\(link.name)`.")
                writer.body(
                    """
                    \(modifier)static var \(link.name): \(names.library("MigrationLink"))\
                    <\(row.typeName), \(link.destination)>
                    """
                ) { $0.code("", link.code) }
            }
        }
    }

    private func emitInitializer(
        of row: GeneratedRow, _ names: GeneratedNames, to writer: inout SwiftWriter
    ) {
        let properties = row.properties.filter { $0.isSettable }
        writer.nextDoc("A new row, to be inserted.")
        let parameters =
            properties.filter { $0.start == nil }.map { "\($0.name): \($0.type)" }
            + properties.compactMap { property in
                property.start.map { "\(property.name): \(property.type) = \($0)" }
            }
        writer.function("\(modifier)init", parameters: parameters) { writer in
            let storage = names.libraryInitializer("RowStorage")
            writer.line("storage = \(storage)(count: \(row.properties.count))")
            for property in properties {
                writer.line("self.", property.name, " = ", property.name)
            }
        }
    }

    private func emit(
        _ property: GeneratedRow.Property, of row: GeneratedRow, to writer: inout SwiftWriter
    ) {
        writer.nextDoc(property.summary)
        let head = "\(modifier)var \(property.name): \(property.type)"
        guard row.isWritable, property.isSettable else {
            writer.block(head, statement: property.getter)
            return
        }
        writer.block(head) { writer in
            writer.block("get", statement: property.getter)
            writer.block("set", statement: property.setter)
        }
    }
}

/// The struct of an entity's rows in one version, with its Swift names.
struct GeneratedRow {
    /// A value of a row.
    struct Property {
        /// The name of the Swift property.
        let name: String
        let type: String
        /// A description of the value, for people.
        let summary: String
        let column: String
        /// The expression that reads it, and the statement that sets it.
        let getter: String
        let setter: String
        /// The default of the initializer's parameter; nil if an argument is required.
        let start: String?
        /// Whether a step may set it.
        let isSettable: Bool
    }

    /// A to-many relationship.
    struct Link {
        let name: String
        let destination: String
        let code: SwiftCode
    }

    let entity: Entity
    let typeName: String
    let properties: [Property]
    let links: [Link]
    let isWritable: Bool
    let root: String
    let family: [String]

    /// The name of the struct of an entity's rows.
    static func typeName(of entity: String) -> String {
        SwiftText.plainIdentifier(entity) + "Row"
    }

    init(_ entity: Entity, of version: SteppedVersion, _ names: GeneratedNames) {
        let model = version.model
        self.entity = entity
        typeName = Self.typeName(of: entity.name)
        root = model.root(of: entity).name
        isWritable = version.writtenRoots.contains(root)
        family =
            model.hasSubentities(model.root(of: entity))
            ? model.family(of: entity).map { $0.name } : []
        let builder = RowPropertyBuilder(model: model, names: names)
        for owner in model.lineage(of: entity) {
            // Derived values are computed after the steps.
            for attribute in owner.attributes
            where !attribute.isTransient && !(isWritable && attribute.derivation != nil) {
                builder.add(attribute, of: owner)
            }
            for relationship in owner.relationships where !relationship.isTransient {
                builder.add(relationship, of: owner)
            }
        }
        properties = builder.properties
        links = builder.links
    }
}

/// Determines the Swift names and types of the values and links of a row.
final class RowPropertyBuilder {
    let model: Model
    let names: GeneratedNames
    private(set) var properties: [GeneratedRow.Property] = []
    private(set) var links: [GeneratedRow.Link] = []
    private(set) var taken: Set<String> = ["rowID", "storage", "layout", "Version", "init", "self"]

    init(model: Model, names: GeneratedNames) {
        self.model = model
        self.names = names
    }

    /// A part of a composite value is a property of its own: `address.city` is `addressCity`.
    private func identifier(_ name: String) -> String {
        let parts = name.split(separator: ".").map(String.init)
        var found =
            (parts.prefix(1).map(SwiftText.plainIdentifier)
            + parts.dropFirst().map(SwiftText.capitalized)).joined()
        while !taken.insert(found).inserted { found += "Value" }
        return SwiftText.identifier(found)
    }

    // MARK: Attributes

    func add(_ attribute: Attribute, of owner: Entity) {
        let index = properties.count
        let type = plainType(attribute.type)
        let isOptional = attribute.isOptional || attribute.derivation != nil
        let accessors = self.accessors(of: attribute, type, at: index, isOptional)
        properties.append(
            GeneratedRow.Property(
                name: identifier(attribute.name),
                type: names.swiftType(of: type) + (isOptional ? "?" : ""),
                summary: "The attribute `\(attribute.name)`"
                    + (attribute.derivation == nil ? "." : ", which the store derives."),
                column: model.column(of: attribute.name, in: owner),
                getter: accessors.getter, setter: accessors.setter,
                start: start(of: attribute, type, isOptional),
                isSettable: attribute.derivation == nil))
    }

    /// The type of a value in a row. An enumeration is represented by its raw value, because its
    /// cases may differ between versions. A codable value is represented by its JSON.
    private func plainType(_ type: AttributeType) -> AttributeType {
        switch type {
        case .enumeration(let name): model.enumeration(named: name)?.rawType ?? .string
        case .codable: .string
        default: type
        }
    }

    private func accessors(
        of attribute: Attribute, _ type: AttributeType, at index: Int, _ isOptional: Bool
    ) -> (getter: String, setter: String) {
        if attribute.usesExternalForm {
            let none = isOptional ? "" : " ?? \(names.libraryInitializer("Data"))()"
            return (
                "storage.external(\(index))" + none,
                "storage.setExternal(\(index), newValue)"
            )
        }
        if case .decimal(let scale) = type {
            let name = isOptional ? "optionalDecimal" : "decimal"
            return (
                "storage.\(name)(\(index), scale: \(scale))",
                "storage.setDecimal(\(index), newValue, scale: \(scale))"
            )
        }
        return (
            "storage.\(isOptional ? "optional" : "get")(\(index))",
            "storage.set(\(index), newValue)"
        )
    }

    private func start(
        of attribute: Attribute, _ type: AttributeType, _ isOptional: Bool
    ) -> String? {
        switch attribute.defaultValue {
        case nil: return isOptional ? "nil" : nil
        case .now: return "\(names.libraryInitializer("Date"))()"
        case .newUUID: return "\(names.libraryInitializer("UUID"))()"
        case .constant(let value):
            return LiteralEmitter(names: names).argument(
                value, of: type, isOptional: isOptional, in: model) ?? (isOptional ? "nil" : nil)
        }
    }

    // MARK: Relationships

    func add(_ relationship: Relationship, of owner: Entity) {
        let destination = GeneratedRow.typeName(of: relationship.destination)
        switch model.storage(of: relationship, of: owner) {
        case .transient: break
        case .key(let column, _):
            addKey(relationship, of: owner, column, destination)
        case .inverseKey(let column):
            addLink(
                relationship, destination,
                [
                    (nil, .string(relationship.name)), ("key", .string(column)),
                    ("position", position(of: relationship, of: owner)),
                ])
        case .joinTable(let name, let source, let other):
            addLink(
                relationship, destination,
                [
                    (nil, .string(relationship.name)), ("table", .string(name)),
                    ("source", .string(source)), ("destination", .string(other)),
                    ("position", position(of: relationship, of: owner)),
                ])
        }
    }

    private func position(of relationship: Relationship, of owner: Entity) -> SwiftCode {
        model.positionColumn(of: relationship, of: owner).map { .string($0) } ?? .text("nil")
    }

    private func addLink(
        _ relationship: Relationship, _ destination: String,
        _ arguments: [(label: String?, value: SwiftCode)]
    ) {
        links.append(
            GeneratedRow.Link(
                name: identifier(relationship.name), destination: destination,
                code: .call(".init", arguments)))
    }

    private func addKey(
        _ relationship: Relationship, of owner: Entity, _ column: String, _ destination: String
    ) {
        let index = properties.count
        let isOptional = relationship.isOptional
        let type = "\(names.library("RowID"))<\(destination)>"
        properties.append(
            GeneratedRow.Property(
                name: identifier(relationship.name), type: type + (isOptional ? "?" : ""),
                summary: "The destination of the relationship `\(relationship.name)`.",
                column: column,
                getter: "storage.\(isOptional ? "optionalLink" : "link")(\(index))",
                setter: "storage.setLink(\(index), newValue)",
                start: isOptional ? "nil" : nil, isSettable: true))
        guard let place = model.inversePositionColumn(of: relationship, of: owner),
            let inverse = model.inverse(of: relationship)
        else { return }
        let name =
            "positionIn\(SwiftText.capitalized(inverse.entity.name))"
            + SwiftText.capitalized(inverse.relationship.name)
        properties.append(
            GeneratedRow.Property(
                name: identifier(name), type: "\(names.standard("Int64"))?",
                summary: """
                    The place in the list \
                    `\(inverse.entity.name).\(inverse.relationship.name)`.
                    """,
                column: place, getter: "storage.optional(\(index + 1))",
                setter: "storage.set(\(index + 1), newValue)", start: "nil", isSettable: true))
    }
}
