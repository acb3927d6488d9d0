import CambiumModel

/// A composite attribute with what its accessors need.
final class GeneratedComposite: Sendable {
    let attribute: CompositeAttribute
    /// The name of the Swift property.
    let name: String
    /// The struct of its values.
    let valueType: String
    /// The name of the struct of its keys.
    let keysType: String
    /// The places of its parts in a row in memory, which follow each other.
    let slots: Range<Int>
    private let members: [Member]

    private enum Member {
        case part(CompositeMember, Attribute, slot: Int)
        case composite(CompositeMember, GeneratedComposite)
    }

    /// Describes an attribute that has a layout, or a composite value within one.
    init(
        _ attribute: CompositeAttribute, in model: Model, layout: RecordLayout,
        names: GeneratedNames
    ) {
        self.attribute = attribute
        let last = attribute.name.split(separator: ".").last.map(String.init) ?? attribute.name
        name = SwiftText.member(last)
        valueType = names.own(attribute.composite)
        keysType = SwiftText.plainIdentifier(attribute.composite) + "Keys"
        let composite = model.composite(named: attribute.composite)
        members = (composite.map(CompositeMember.members) ?? []).compactMap { member in
            let name = "\(attribute.name).\(member.name)"
            switch member.kind {
            case .part(let part):
                return layout.slot(of: name).map { .part(member, part, slot: $0) }
            case .composite(let inner):
                let whole = CompositeAttribute(
                    name: name, composite: inner.composite, isOptional: inner.isOptional)
                return .composite(
                    member, GeneratedComposite(whole, in: model, layout: layout, names: names))
            }
        }
        let found: [Range<Int>] = members.map { member in
            switch member {
            case .part(_, _, let slot): slot..<slot + 1
            case .composite(_, let composite): composite.slots
            }
        }.filter { !$0.isEmpty }
        let first = found.map(\.lowerBound).min() ?? 0
        slots = first..<(found.map(\.upperBound).max() ?? first)
    }

    /// The Swift type of the property.
    var type: String { attribute.isOptional ? valueType + "?" : valueType }

    /// Whether a new object cannot do without a value.
    var isRequiredAtInsert: Bool { !attribute.isOptional && !attribute.isTransient }

    /// Writes the statements that put the value together and return it.
    func emitGetter(to writer: inout SwiftWriter) {
        if attribute.isOptional {
            writer.line("guard isAnySet(in: \(range)) else { return nil }")
        }
        let value = value(to: &writer)
        writer.code(writer.isEmpty ? "" : "return ", value)
    }

    /// The value as an expression; what must be found out before it is written first.
    private func value(to writer: inout SwiftWriter) -> SwiftCode {
        var arguments: [(label: String?, value: SwiftCode)] = []
        for member in members {
            switch member {
            case .part(let member, let attribute, let slot):
                arguments.append((SwiftText.label(member.name), .text(attribute.getter(at: slot))))
            case .composite(let member, let composite):
                arguments.append((SwiftText.label(member.name), composite.argument(to: &writer)))
            }
        }
        // Without the type's name, which a member of the class may have.
        return .call(".init", arguments)
    }

    private func argument(to writer: inout SwiftWriter) -> SwiftCode {
        guard attribute.isOptional else { return value(to: &writer) }
        let local = "part\(slots.lowerBound)"
        writer.line("var \(local): \(type)")
        writer.block("if isAnySet(in: \(range))") { writer in
            let value = value(to: &writer)
            writer.code("\(local) = ", value)
        }
        return .text(local)
    }

    private var range: String { "\(slots.lowerBound)..<\(slots.upperBound)" }

    /// The statements that take a value (`newValue`, or a part of it) apart.
    func setters(of value: String) -> [String] {
        let whole = attribute.isOptional ? value + "?" : value
        return members.flatMap { member -> [String] in
            switch member {
            case .part(let member, let attribute, let slot):
                [attribute.setter("\(whole).\(member.identifier)", at: slot)]
            case .composite(let member, let composite):
                composite.setters(of: "\(whole).\(member.identifier)")
            }
        }
    }
}

/// A property of a composite type's struct.
struct CompositeMember {
    enum Kind {
        case part(Attribute)
        case composite(CompositeAttribute)
    }

    /// The name, without those on the way to it.
    let name: String
    let kind: Kind

    var identifier: String { SwiftText.identifier(name) }

    /// The properties of a type, in the order of its first parts; those without parts are last.
    static func members(of composite: Composite) -> [CompositeMember] {
        var members: [CompositeMember] = []
        var seen: Set<String> = []
        for attribute in composite.attributes {
            let head = String(attribute.name.prefix { $0 != "." })
            guard seen.insert(head).inserted else { continue }
            if let inner = composite.compositeAttributes.first(where: { $0.name == head }) {
                members.append(CompositeMember(name: head, kind: .composite(inner)))
            } else {
                members.append(CompositeMember(name: head, kind: .part(attribute)))
            }
        }
        for inner in composite.compositeAttributes
        where !inner.isNested && seen.insert(inner.name).inserted {
            members.append(CompositeMember(name: inner.name, kind: .composite(inner)))
        }
        return members
    }
}
