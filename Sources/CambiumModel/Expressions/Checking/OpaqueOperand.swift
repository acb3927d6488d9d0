/// A value that can be compared with nil only: a composite one, which stands for its parts, or one
/// that may lie in a file beside the store. It is a class to keep the checker's frames small.
final class OpaqueOperand {
    /// The name of the attribute.
    let name: String
    /// Whether the row may hold the name of a file in place of the value.
    let isExternal: Bool
    /// What the paths to the parts are called in the text, for hints.
    let parts: [String]
    let typed: [TypedExpression]

    init(name: String, isExternal: Bool = false, parts: [String], typed: [TypedExpression]) {
        self.name = name
        self.isExternal = isExternal
        self.parts = parts
        self.typed = typed
    }

    var mistake: String {
        isExternal
            ? "'\(name)' may lie in a file beside the store, so it can only be compared with nil"
            : "'\(name)' has several parts and is no single value"
    }

    var hint: String {
        if isExternal { return "note what you ask for, such as its length, in an attribute" }
        guard let first = parts.first else { return "it can only be compared with nil" }
        let names = parts.prefix(8).joined(separator: ", ") + (parts.count > 8 ? ", …" : "")
        return "name one of \(names)" + (parts.count > 1 ? "" : " (such as \(first))")
            + ", or compare it with nil"
    }
}

extension ExpressionChecker {
    /// `composite == nil`: all of its parts are nil.
    mutating func relateOpaque(
        _ left: Checked, _ relation: ComparisonOperator, _ right: Checked, at offset: Int
    ) -> Checked? {
        guard let opaque = left.opaque ?? right.opaque else { return nil }
        let other = left.opaque == nil ? left : right
        guard other.opaque == nil, other.typed.isNull,
            relation == .equal || relation == .notEqual
        else {
            let place = left.opaque == nil ? right.offset : left.offset
            return fail(opaque.mistake, at: place, hint: opaque.hint)
        }
        let isNil = TypedExpression.and(
            opaque.typed.map { .comparison($0, .equal, .literal(.null, $0.type)) })
        return Checked(
            source: .comparison(left.source, relation, right.source, []),
            typed: relation == .equal ? isNil : .not(isNil), offset: offset)
    }

    /// A path that ends at a composite attribute.
    func composite(
        _ attribute: CompositeAttribute, of path: ObjectPath, named text: String,
        source: ModelExpression, at offset: Int
    ) -> Checked {
        let parts = model.attributes(of: path.entity).filter { attribute.contains($0) }
        let typed = parts.compactMap { part in
            model.declarer(of: part.name, in: path.entity).map {
                TypedExpression.attribute(path, part, declarer: $0)
            }
        }
        let prefix = text.dropLast(attribute.name.count)
        return Checked(
            source: source, typed: .literal(.null, .null), offset: offset,
            opaque: OpaqueOperand(
                name: attribute.name, parts: parts.map { prefix + $0.name }, typed: typed))
    }
}
