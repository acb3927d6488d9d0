import CambiumModel

extension SwiftEmitter {
    /// The Swift type of an enumeration.
    func emit(_ enumeration: Enumeration, to writer: inout SwiftWriter) {
        let raw = names.swiftType(of: enumeration.rawType)
        let name = SwiftText.identifier(enumeration.name)
        writer.doc("The enumeration `\(enumeration.name)`." + lines.note(enumeration.name))
        writer.block(
            "\(typeModifier)enum \(name): \(raw), \(names.library("StoredEnumeration"))"
        ) { writer in
            for enumerationCase in enumeration.cases {
                emit(enumerationCase, to: &writer)
            }
        }
    }

    private func emit(_ enumerationCase: EnumerationCase, to writer: inout SwiftWriter) {
        let name = SwiftText.identifier(enumerationCase.name)
        switch enumerationCase.rawValue {
        case .string(enumerationCase.name)
        where SwiftText.plainIdentifier(enumerationCase.name) == enumerationCase.name:
            writer.doc("`\(enumerationCase.name)`")
            writer.line("case \(name)")
        case .string(let raw):
            writer.doc("`\(enumerationCase.name)`, stored as `\(raw)`.")
            writer.line("case \(name) = \(SwiftText.literal(raw))")
        case .int(let raw):
            writer.doc("`\(enumerationCase.name)`, stored as \(raw).")
            writer.line("case \(name) = \(raw)")
        default:
            // The checker permits only strings and integers as raw values. A case with another raw
            // value would not compile.
            writer.line("case \(name)")
        }
    }
}

extension SwiftEmitter {
    /// The struct of a composite type's values, and that of the keys of its parts.
    func emit(_ composite: Composite, to writer: inout SwiftWriter) {
        let name = SwiftText.identifier(composite.name)
        let protocols = ["Sendable", "Hashable", "Codable"].map(names.standard)
        let members = CompositeMember.members(of: composite)
        writer.doc("A value of the type `\(composite.name)`." + lines.note(composite.name))
        writer.block("\(typeModifier)struct \(name): \(protocols.joined(separator: ", "))") {
            writer in
            for member in members {
                writer.doc(describe(member))
                writer.line("\(modifier)var \(member.identifier): \(type(of: member))")
            }
            if !members.isEmpty { writer.line() }
            writer.doc("Creates a value.")
            writer.function(
                "\(modifier)init", parameters: members.map(parameter)
            ) { writer in
                for member in members {
                    writer.line("self.\(member.identifier) = \(member.identifier)")
                }
            }
        }
        writer.line()
        emitKeys(of: composite, members, to: &writer)
        writer.line()
        emitPath(to: composite, to: &writer)
    }

    /// The subscript for paths through to-one relationships to the parts of a value.
    private func emitPath(to composite: Composite, to writer: inout SwiftWriter) {
        let keysName = SwiftText.plainIdentifier(composite.name) + "Keys"
        let key = names.library("ToOneKey")
        writer.block("\(isolation)extension \(key)") { writer in
            writer.doc("The keys of the parts of the destination's ``\(composite.name)``.")
            let path = names.standard("KeyPath")
            writer.function(
                "\(modifier)subscript",
                parameters: [
                    "dynamicMember key: \(path)<Destination.Type, \(keysName)<Destination>>"
                ], result: " -> \(keysName)<Root>"
            ) { $0.line("\(keysName)(_path: path + Destination.self[keyPath: key]._path)") }
        }
    }

    private func emitKeys(
        of composite: Composite, _ members: [CompositeMember], to writer: inout SwiftWriter
    ) {
        let root = names.unused("Root")
        let keysName = SwiftText.plainIdentifier(composite.name) + "Keys"
        writer.doc("The keys of the parts of ``\(composite.name)``, for predicates and sorting.")
        writer.block(
            "\(typeModifier)struct \(keysName)<\(root): \(names.library("ManagedObject"))>: "
                + names.standard("Sendable")
        ) { writer in
            // A part may be called path.
            writer.line("fileprivate let _path: [\(names.standard("String"))]")
            for member in members {
                let literal = SwiftText.literal(member.name)
                switch member.kind {
                case .part(let attribute):
                    let key = names.library(attribute.keyType)
                    writer.nextDoc("`\(composite.name).\(member.name)`")
                    let value = names.swiftType(of: attribute.type)
                    writer.block(
                        "\(modifier)var \(member.identifier): \(key)<\(root), \(value)>",
                        statement: "\(names.initializer(of: key))(part: _path + [\(literal)])")
                case .composite(let inner):
                    writer.nextDoc("`\(composite.name).\(member.name)`")
                    let type = SwiftText.plainIdentifier(inner.composite) + "Keys"
                    writer.block(
                        "\(modifier)var \(member.identifier): \(type)<\(root)>",
                        statement: "\(names.initializer(of: type))(_path: _path + [\(literal)])")
                }
            }
            emitComparisons(of: keysName, root: root, to: &writer)
        }
    }

    /// A whole value can be compared with nil only.
    private func emitComparisons(
        of keysName: String, root: String, to writer: inout SwiftWriter
    ) {
        let (condition, never) = (names.library("Condition"), names.standard("Never"))
        for (sign, prefix, doc) in [
            ("==", "", "There is no value."), ("!=", "!", "There is a value."),
        ] {
            writer.nextDoc(doc)
            writer.block(
                """
                \(modifier)static func \(sign) (keys: Self, nothing: \(never)?) \
                -> \(condition)<\(root)>
                """,
                statement: "\(prefix).isNil(_path: keys._path)")
        }
    }

    private func type(of member: CompositeMember) -> String {
        switch member.kind {
        case .part(let attribute):
            names.swiftType(of: attribute.type) + (attribute.isOptional ? "?" : "")
        case .composite(let inner):
            names.own(inner.composite) + (inner.isOptional ? "?" : "")
        }
    }

    private func parameter(_ member: CompositeMember) -> String {
        let declaration = "\(member.identifier): \(type(of: member))"
        let initial =
            switch member.kind {
            case .part(let attribute): initialValue(of: attribute)
            case .composite(let inner): inner.isOptional ? "nil" : nil
            }
        return initial.map { "\(declaration) = \($0)" } ?? declaration
    }

    /// The value of a part if the initializer has no argument for it: the model's default, or else
    /// nil if that is possible. If Swift has no short literal for the default, an argument is
    /// required.
    private func initialValue(of attribute: Attribute) -> String? {
        let none = attribute.isOptional ? "nil" : nil
        return switch attribute.defaultValue {
        case .constant(let value):
            LiteralEmitter(names: names).argument(
                value, of: attribute.type, isOptional: attribute.isOptional, in: model) ?? none
        case .now: names.libraryInitializer("Date") + "()"
        case .newUUID: names.libraryInitializer("UUID") + "()"
        case nil: none
        }
    }

    private func describe(_ member: CompositeMember) -> String {
        switch member.kind {
        case .part(let attribute): describe(attribute)
        case .composite(let inner):
            "A value of the type `\(inner.composite)`\(inner.isOptional ? ", optional" : "")."
        }
    }
}
