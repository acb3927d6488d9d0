/// The order in which XML attributes of Cambium's own language are written.
package enum LanguageOrder {
    private static let request = [
        "sort", "limit", "offset", "batchSize", "distinct", "result", "includesSubentities",
        "includesPendingChanges", "includesPropertyValues", "returnsFaults", "prefetch",
    ]

    private static let rows: [String: [String]] = [
        "model": ["xmlns", "name", "version", "access", "identifier"],
        "entity": [
            "name", "class", "parent", "abstract", "codegen", "validate", "renamedFrom",
            "hashModifier",
        ],
        "attribute": [
            "name", "type", "class", "scale", "optional", "transient", "default", "min", "max",
            "minLength", "maxLength", "pattern", "storage", "merge", "preserved", "validate",
            "renamedFrom", "hashModifier",
        ],
        "derived": [
            "name", "type", "scale", "optional", "expression", "renamedFrom", "hashModifier",
        ],
        "relationship": [
            "name", "to", "inverse", "optional", "many", "ordered", "min", "max", "transient",
            "onDelete", "renamedFrom", "hashModifier",
        ],
        "fetched": ["name", "to", "where"] + request + ["hashModifier"],
        "fetch": ["name"] + request,
        "index": ["name", "by", "where", "type"],
        "by": ["property", "expression", "descending"],
        "rename": ["entity", "property", "from", "class"],
        "fill": ["entity", "attribute", "with", "class", "reason"],
        "link": ["entity", "relationship", "where", "sort", "class", "reason"],
        "require": ["entity", "property", "class", "reason"],
        "drop": ["entity", "property", "where", "class", "reason"],
        "replace": ["enum", "case", "with", "class", "reason"],
        "keep": ["entity", "relationship", "sort", "class", "reason"],
        "deduplicate": ["entity", "by", "sort", "links", "class", "reason"],
        "step": ["name", "entities", "class"],
        "migration": ["from", "to"],
        "history": ["xmlns", "name"],
        "suppress": ["code", "reason"],
    ]

    /// The attributes in that order. Those of other elements stay as they are, and so do those
    /// that the language does not have, which follow.
    package static func sorted(_ attributes: [ParsedAttribute], of element: String)
        -> [ParsedAttribute]
    {
        guard let row = rows[element] else { return attributes }
        return attributes.enumerated().sorted { left, right in
            let (one, other) = (rank(left.element.name, row), rank(right.element.name, row))
            return (one, left.offset) < (other, right.offset)
        }.map(\.element)
    }

    private static func rank(_ name: String, _ row: [String]) -> Int {
        if name.hasPrefix("xmlns:") { return 0 }
        return row.firstIndex(of: name) ?? (name.contains(":") ? row.count + 1 : row.count)
    }
}
