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
            // The checker lets only strings and whole numbers be raw values; anything else
            // becomes a case that the Swift compiler refuses for want of one.
            writer.line("case \(name)")
        }
    }
}
