extension Model {
    /// A hash of everything that decides how objects are stored: two versions with equal hashes can
    /// read each other's stores. 64 hexadecimal digits; computed anew on each call.
    ///
    /// It is the SHA-256 of ``canonicalText``. Names of the model and the version, the order of
    /// declarations, defaults, limits, rules, indexes, delete rules, fetch templates, the cases of
    /// enumerations and everything about code generation are not part of it.
    public var versionHash: String {
        SHA256.hexadecimal(of: canonicalText)
    }

    /// The text that ``versionHash`` is the hash of. One line per thing, each ended by a line feed,
    /// sorted by bytes within its block:
    ///
    /// ```
    /// cambium 1
    /// enum NAME TYPE
    /// entity NAME [: PARENT] [# MODIFIER]
    /// NAME.attribute NAME TYPE [optional] [transient] [external] [derived EXPRESSION] [# MODIFIER]
    /// NAME.relationship NAME one|many|ordered DESTINATION [<- INVERSE] [optional] [transient]
    ///     [# MODIFIER]
    /// NAME.unique PROPERTY[,PROPERTY…]
    /// ```
    ///
    /// TYPE is the type's name in the model language, a decimal with its scale (`decimal(2)`), an
    /// enumeration by its name. `optional` of a to-many is left out: it changes no table.
    package var canonicalText: String {
        let enums = enumerations.map { "enum \($0.name) \(canonicalName(of: $0.rawType))" }
        let blocks = entities.map { entity in (entity.name, canonicalLines(of: entity)) }
        let entityLines = blocks.sorted { bytewise($0.0, $1.0) }.flatMap(\.1)
        var text = "cambium 1\n"
        for line in enums.sorted(by: bytewise) + entityLines {
            text += line
            text += "\n"
        }
        return text
    }

    private func canonicalLines(of entity: Entity) -> [String] {
        let parent = entity.parent.map { " : \($0)" } ?? ""
        let attributes = entity.attributes.map { attribute in
            "\(entity.name).attribute \(attribute.name) \(canonicalName(of: attribute.type))"
                + (attribute.isOptional ? " optional" : "")
                + (attribute.isTransient ? " transient" : "")
                + (attribute.isExternal ? " external" : "")
                + (attribute.derivation.map { " derived \($0)" } ?? "")
                + modifier(attribute.hashModifier)
        }
        let relationships = entity.relationships.map { relationship in
            "\(entity.name).relationship \(relationship.name) "
                + "\(count(of: relationship)) \(relationship.destination)"
                + (relationship.inverse.map { " <- \($0)" } ?? "")
                + (relationship.isOptional && !relationship.isToMany ? " optional" : "")
                + (relationship.isTransient ? " transient" : "")
                + modifier(relationship.hashModifier)
        }
        let uniques = entity.uniqueConstraints.map {
            "\(entity.name).unique \($0.properties.joined(separator: ","))"
        }
        return ["entity \(entity.name)\(parent)\(modifier(entity.hashModifier))"]
            + [attributes, relationships, uniques].flatMap { $0.sorted(by: bytewise) }
    }

    private func count(of relationship: Relationship) -> String {
        guard relationship.isToMany else { return "one" }
        return relationship.isOrdered ? "ordered" : "many"
    }

    /// The modifier may hold anything; a line holds no line feed but the one that ends it.
    private func modifier(_ text: String?) -> String {
        text.map { " # \($0.debugDescription)" } ?? ""
    }

    private func canonicalName(of type: AttributeType) -> String {
        switch type {
        case .decimal(let scale): "decimal(\(scale))"
        case .codable: "codable"
        case .enumeration(let name): name
        default: type.caseName
        }
    }

    /// Swift compares strings by their canonical form; a hash needs one that no library changes.
    private func bytewise(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
