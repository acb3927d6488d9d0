import CambiumModel

/// A piece of SQL with the values of its parameters. Pieces are composed by interpolation, so that
/// the text and the parameters stay in the same order.
package struct PostgresFragment: Sendable, Equatable, ExpressibleByStringInterpolation {
    /// The text, with a NUL for each parameter. A statement contains no other NUL.
    private var text: String
    private var parameters: [Parameter] = []

    private enum Parameter: Equatable {
        case value(StoredValue, PostgresType)
        case array([StoredValue], PostgresType)

        /// The texts among the values.
        var texts: [String] {
            let values =
                switch self {
                case .value(let value, _): [value]
                case .array(let values, _): values
                }
            return values.compactMap { if case .text(let text) = $0 { text } else { nil } }
        }
    }

    /// Whether both have the same text and parameters. Swift treats canonically equivalent strings
    /// as equal, and the server does not.
    package static func == (one: PostgresFragment, other: PostgresFragment) -> Bool {
        func texts(_ fragment: PostgresFragment) -> [Substring.UTF8View.SubSequence] {
            ([fragment.text] + fragment.parameters.flatMap(\.texts)).map { $0[...].utf8 }
        }
        return one.parameters == other.parameters
            && texts(one).elementsEqual(texts(other)) { $0.elementsEqual($1) }
    }

    package init(raw text: String) {
        self.text = text
    }

    /// A value that is sent beside the text.
    package init(_ value: StoredValue, as type: PostgresType) {
        text = "\0"
        parameters = [.value(value, type)]
    }

    /// An array of values, sent as one parameter. The values are not NULL.
    package init(array values: [StoredValue], of type: PostgresType) {
        text = "\0"
        parameters = [.array(values, type)]
    }

    package init(stringLiteral text: String) {
        self.text = text
    }

    package init(stringInterpolation: StringInterpolation) {
        self = stringInterpolation.fragment
    }

    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var fragment = PostgresFragment(raw: "")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ literal: String) { fragment.text += literal }

        package mutating func appendInterpolation(_ other: PostgresFragment) {
            fragment.append(other)
        }

        /// Text that is SQL already.
        package mutating func appendInterpolation(raw text: String) { fragment.text += text }
    }

    package mutating func append(_ other: PostgresFragment) {
        text += other.text
        parameters += other.parameters
    }

    /// A part of the text or a parameter. Pieces are in the order of the statement.
    package enum Piece {
        case text(Substring)
        case value(StoredValue, PostgresType)
        case array([StoredValue], PostgresType)
    }

    /// The text and the parameters, in order.
    package var pieces: [Piece] {
        var pieces: [Piece] = []
        var rest = parameters[...]
        for text in text.split(separator: "\0", omittingEmptySubsequences: false) {
            pieces.append(.text(text))
            switch rest.popFirst() {
            case .value(let value, let type): pieces.append(.value(value, type))
            case .array(let values, let type): pieces.append(.array(values, type))
            case nil: break
            }
        }
        return pieces
    }

    /// The text with its values as constants, for statements without parameters; nil if a value has
    /// no constant.
    package var inlined: String? {
        var sql = ""
        for piece in pieces {
            switch piece {
            case .text(let text): sql += text
            case .value(let value, let type):
                guard let constant = type.constant(value) else { return nil }
                sql += constant
            case .array(let values, let type):
                let constants = values.compactMap { type.constant($0) }
                guard constants.count == values.count else { return nil }
                sql += "ARRAY[\(constants.joined(separator: ", "))]::\(type.name)[]"
            }
        }
        return sql
    }

    package static func joined(_ fragments: [PostgresFragment], by separator: String)
        -> PostgresFragment
    {
        var result = PostgresFragment(raw: "")
        for (index, fragment) in fragments.enumerated() {
            if index > 0 { result.text += separator }
            result.append(fragment)
        }
        return result
    }
}
