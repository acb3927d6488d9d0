import CambiumModel

/// The part of a version that determines its stores besides tables and columns: defaults, limits,
/// rules, indexes, renames, cases and the declared migration.
///
/// It is made from the checked model, so that all spellings of a declaration are equal. Expressions
/// are written in the canonical form of their trees, which never changes, because version hashes
/// use it too. Values are canonical, and unordered lists are sorted. A file may be rewritten in any
/// way that has the same meaning.
struct LockedConditions {
    private let model: Model
    private var lines: [String] = []

    /// The declarations, a line each, sorted by bytes.
    static func text(of version: CheckedModel) -> String {
        var conditions = LockedConditions(model: version.model)
        conditions.addEntities()
        conditions.addCases()
        conditions.addMigration(of: version)
        return conditions.lines.ordered { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { $0 + "\n" }.joined()
    }

    private mutating func addEntities() {
        for entity in model.entities {
            add(entity.name, "entity", ["renamedFrom": entity.renamedFrom])
            for attribute in entity.attributes { add(attribute, of: entity) }
            for composite in entity.compositeAttributes {
                add(
                    "\(entity.name).\(composite.name)", "composite",
                    ["renamedFrom": composite.renamedFrom])
            }
            for relationship in entity.relationships {
                add(
                    "\(entity.name).\(relationship.name)", "relationship",
                    ["renamedFrom": relationship.renamedFrom])
            }
            for rule in entity.rules {
                lines.append("\(entity.name).\(rule.name) \(Self.onOneLine(rule.condition))")
            }
            for index in entity.indexes { add(index, of: entity) }
        }
    }

    private mutating func add(_ attribute: Attribute, of entity: Entity) {
        let limits = attribute.limits
        let fallback: String? =
            switch attribute.defaultValue {
            case nil: nil
            case .constant(let value): Self.text(of: value)
            case .now: "now()"
            case .newUUID: "uuid()"
            }
        // The composite value declares the former names of its parts.
        let former = attribute.isPart ? nil : attribute.renamedFrom
        add(
            "\(entity.name).\(attribute.name)", "attribute",
            [
                "default": fallback, "max": limits.maximum.map(Self.text),
                "maxLength": limits.maximumLength.map(String.init),
                "min": limits.minimum.map(Self.text),
                "minLength": limits.minimumLength.map(String.init),
                "pattern": limits.pattern, "renamedFrom": former,
            ])
    }

    private mutating func add(_ index: Index, of entity: Entity) {
        let elements = index.elements.map { element in
            (element.expression.map(Self.onOneLine) ?? element.property)
                + (element.isDescending ? " descending" : "")
        }
        let condition = index.condition.map { " where \(Self.onOneLine($0))" } ?? ""
        let kind = index.kind == .binary ? "" : " \(index.kind.rawValue)"
        let name = index.name.map { " \($0):" } ?? ""
        lines.append(
            "\(entity.name).index\(name) \(elements.joined(separator: ", "))\(condition)\(kind)")
    }

    /// Rows contain raw values, so only the raw value of each case counts.
    private mutating func addCases() {
        for enumeration in model.enumerations {
            let cases = enumeration.cases.map {
                "\($0.name)=\(Self.quoted(Self.text(of: $0.rawValue)))"
            }
            .ordered { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            lines.append("enum \(enumeration.name): \(cases.joined(separator: " "))")
        }
    }

    /// Adds the declarations of a version about the step to it. Only the version's own file counts,
    /// because declarations beside the bundle may be written long after a version has shipped.
    /// Renames are listed with the renamed elements, wherever they are written.
    private mutating func addMigration(of version: CheckedModel) {
        guard let declared = model.migration, let migration = version.parsed.migration else {
            return
        }
        for kind in DeclarationKind.all {
            let items = declared.items.filter { type(of: $0) == kind.item }
            let elements = migration.children(named: kind.item.element)
            let own = kind.pairs(items, elements).filter {
                !version.parsed.source.isOfOtherFile($0.1.offset)
            }
            for (index, (item, _)) in own.enumerated() {
                add(
                    "migration", kind.item.element, item.attributes(Self.onOneLine),
                    number: own.count >= kind.numberedFrom ? index + 1 : nil)
            }
        }
    }

    private mutating func add(
        _ path: String, _ kind: String, _ values: KeyValuePairs<String, String?>, number: Int? = nil
    ) {
        var parts = number.map { ["number=\"\($0)\""] } ?? []
        for case (let name, let value?) in values where name != "reason" {
            parts.append("\(name)=\(Self.quoted(value))")
        }
        if !parts.isEmpty { lines.append(([path, kind] + parts).joined(separator: " ")) }
    }

    // MARK: Words

    static func quoted(_ text: String) -> String { text.debugDescription }

    /// An expression in the one form of its tree. Texts in it may have line ends.
    static func onOneLine(_ expression: ModelExpression) -> String {
        expression.description.replacing("\n", with: "\\n").replacing("\r", with: "\\r")
    }

    static func text(of value: Value) -> String {
        switch value {
        case .string(let text): text
        case .bool(let value): value ? "true" : "false"
        default: ModelExpression.literal(value).description
        }
    }
}

/// The ``LockedConditions`` of locks of the formats 1 and 2: the text as written, so that another
/// spelling is a change. Such locks are still read; freezing writes them in the new format.
enum FormerLockedConditions {
    /// The declarations, a line each, sorted by bytes.
    static func text(of version: CheckedModel) -> String {
        var lines: [String] = []
        for element in version.parsed.root.children where element.isOwn {
            let source = version.parsed.source
            switch element.name {
            case "entity", "composite":
                let name = element["name"]?.value ?? ""
                add(element, ["renamedFrom"], path: name, to: &lines)
                for child in element.children where child.isOwn {
                    addMember(child, of: name, to: &lines)
                }
            case "enum":
                // A case without a value has the one after the case before, so order counts.
                let cases = element.children(named: "case").map { line($0, ["name", "value"]) }
                lines.append("enum \(element["name"]?.value ?? ""): \(cases)")
            case "migration":
                // Declarations beside the bundle may be written long after a version has shipped.
                for child in element.children
                where child.isOwn && !source.isOfOtherFile(child.offset) {
                    let all = child.attributes.filter { $0.isOwn && $0.name != "reason" }
                    lines.append("migration " + line(child, all.map { $0.name }))
                }
            default: break
            }
        }
        return lines.ordered { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            .map { $0 + "\n" }.joined()
    }

    private static func addMember(
        _ element: ParsedElement, of entity: String, to lines: inout [String]
    ) {
        let path = "\(entity).\(element["name"]?.value ?? "")"
        switch element.name {
        case "attribute":
            add(
                element,
                [
                    "default", "min", "max", "minLength", "maxLength", "pattern", "renamedFrom",
                    "expression",
                ], path: path, to: &lines)
        case "derived": add(element, ["renamedFrom", "expression"], path: path, to: &lines)
        case "relationship": add(element, ["renamedFrom"], path: path, to: &lines)
        case "rule":
            lines.append("\(path) " + ExpressionText.onOneLine(element.text.value))
        case "index":
            let parts = element.children(named: "by").map {
                line($0, ["property", "expression", "descending"])
            }
            lines.append("\(path)index \(line(element, ["by", "where", "type"])) \(parts)")
        default: break
        }
    }

    private static func add(
        _ element: ParsedElement, _ names: [String], path: String, to lines: inout [String]
    ) {
        let line = line(element, names)
        if line != element.name { lines.append("\(path) \(line)") }
    }

    /// An element with the existing ones of some XML attributes.
    private static func line(_ element: ParsedElement, _ names: [String]) -> String {
        let values = names.ordered(by: <).compactMap { name in
            element[name].map { "\(name)=\(ExpressionText.onOneLine($0.value).debugDescription)" }
        }
        return ([element.name] + values).joined(separator: " ")
    }
}

extension ParsedElement {
    /// Whether the element belongs to Cambium's language. An element with a prefix belongs to
    /// another tool.
    fileprivate var isOwn: Bool { !name.contains(":") }
}

extension ParsedAttribute {
    fileprivate var isOwn: Bool { !name.contains(":") && name != "xmlns" }
}
