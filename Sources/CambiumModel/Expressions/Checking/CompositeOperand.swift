/// A composite value as an operand: its parts, each with its type. It is a class to keep the
/// checker's frames small.
final class CompositeOperand {
    /// The name of the composite attribute.
    let name: String
    /// What the paths to the parts are called in the text, for hints.
    let parts: [String]
    let typed: [TypedExpression]

    init(name: String, parts: [String], typed: [TypedExpression]) {
        self.name = name
        self.parts = parts
        self.typed = typed
    }

    var mistake: String {
        "'\(name)' has several parts and is no single value"
    }

    var hint: String {
        guard let first = parts.first else { return "it can only be compared with nil" }
        let names = parts.prefix(8).joined(separator: ", ") + (parts.count > 8 ? ", …" : "")
        return "name one of \(names)" + (parts.count > 1 ? "" : " (such as \(first))")
            + ", or compare it with nil"
    }
}

extension ExpressionChecker {
    /// `composite == nil`: all of its parts are nil.
    mutating func relateComposites(
        _ left: Checked, _ relation: ComparisonOperator, _ right: Checked, at offset: Int
    ) -> Checked? {
        guard let composite = left.composite ?? right.composite else { return nil }
        let other = left.composite == nil ? left : right
        guard other.composite == nil, other.typed.isNull,
            relation == .equal || relation == .notEqual
        else {
            let place = left.composite == nil ? right.offset : left.offset
            return fail(composite.mistake, at: place, hint: composite.hint)
        }
        let isNil = TypedExpression.and(
            composite.typed.map { .comparison($0, .equal, .literal(.null, $0.type)) })
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
            composite: CompositeOperand(
                name: attribute.name, parts: parts.map { prefix + $0.name }, typed: typed))
    }
}
