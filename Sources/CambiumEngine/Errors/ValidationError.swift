import CambiumModel

/// A value that violates its definition in the model.
///
/// ## Topics
///
/// ### Violation
///
/// - ``code-swift.property``
/// - ``Code-swift.enum``
/// - ``message``
/// - ``rule``
/// - ``underlying``
///
/// ### Object
///
/// - ``objectID``
/// - ``entityName``
/// - ``property``
///
/// ### Description and code
///
/// - ``description``
/// - ``coreDataCode``
public struct ValidationError: Error, Sendable, CustomStringConvertible {
    /// The kind of violation, for programs.
    ///
    /// ## Topics
    ///
    /// ### Required and unique values
    ///
    /// - ``missing``
    /// - ``notUnique``
    ///
    /// ### Strings and data
    ///
    /// - ``tooShort``
    /// - ``tooLong``
    /// - ``patternMismatch``
    /// - ``nulInText``
    /// - ``unencodable``
    ///
    /// ### Numbers and dates
    ///
    /// - ``numberTooSmall``
    /// - ``numberTooLarge``
    /// - ``unfitDecimal``
    /// - ``dateTooSoon``
    /// - ``dateTooLate``
    ///
    /// ### Relationships
    ///
    /// - ``tooFew``
    /// - ``tooMany``
    /// - ``deleteDenied``
    ///
    /// ### Rules
    ///
    /// - ``ruleViolated``
    /// - ``custom``
    public enum Code: Sendable, Hashable {
        /// A validation of the program rejected the object.
        case custom
        /// A required value or object is missing.
        case missing
        /// A to-many has too few objects.
        case tooFew
        /// A to-many has too many objects.
        case tooMany
        /// Objects at the other end of a relationship forbid the delete.
        case deleteDenied
        /// A number is greater than the maximum.
        case numberTooLarge
        /// A number is less than the minimum, or is not a number.
        case numberTooSmall
        /// A date is after the maximum.
        case dateTooLate
        /// A date is before the minimum.
        case dateTooSoon
        /// A string or data is longer than the maximum.
        case tooLong
        /// A string or data is shorter than the minimum.
        case tooShort
        /// A string does not match the pattern.
        case patternMismatch
        /// Another object has the same unique value.
        case notUnique
        /// A rule of the model is false.
        case ruleViolated
        /// A decimal has more digits than the attribute keeps, or is too large.
        case unfitDecimal
        /// A string contains a NUL character. The store cannot keep it.
        case nulInText
        /// A value of a codable attribute cannot be encoded.
        case unencodable
    }

    /// The kind of violation.
    public let code: Code
    /// The name of the object's entity.
    public let entityName: String
    /// The object; nil if the store rejected a row without naming it.
    public let objectID: ObjectID?
    /// The property, or nil if the rule concerns several.
    public let property: String?
    /// The name of the rule or constraint of the model, if it has one.
    public let rule: String?
    /// The message for users. It names the property and the limit, never the value.
    public let message: String
    /// The error that the program's validation threw, if any.
    public let underlying: (any Error)?

    package init(
        code: Code, entityName: String, objectID: ObjectID?, property: String?,
        rule: String? = nil, message: String, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.entityName = entityName
        self.objectID = objectID
        self.property = property
        self.rule = rule
        self.message = message
        self.underlying = underlying
    }

    /// Whether a store rejected a link to a row that does not exist, without naming it.
    package var isOfUnknownLink: Bool { code == .missing && entityName.isEmpty }

    /// The code of the same Core Data error, for ported code.
    public var coreDataCode: Int {
        switch code {
        case .custom, .ruleViolated, .unfitDecimal, .nulInText, .unencodable: 1550
        case .missing: 1570
        case .tooFew: 1580
        case .tooMany: 1590
        case .deleteDenied: 1600
        case .numberTooLarge: 1610
        case .numberTooSmall: 1620
        case .dateTooLate: 1630
        case .dateTooSoon: 1640
        case .tooLong: 1660
        case .tooShort: 1670
        case .patternMismatch: 1680
        case .notUnique: 133021
        }
    }

    /// The object or entity with the property, and the message.
    public var description: String {
        let place = objectID.map { "\($0)" } ?? entityName
        // An error of a store may have no object and no entity.
        guard !place.isEmpty else { return message }
        return "\(place)\(property.map { ".\($0)" } ?? ""): \(message)"
    }
}

/// Several values that violate their definitions in the model, found by one save.
public struct ValidationErrors: Error, Sendable, CustomStringConvertible {
    /// All errors, at least two.
    public let errors: [ValidationError]

    /// Core Data's code for several validation errors.
    public var coreDataCode: Int { 1560 }

    /// The one error itself, or all in one.
    package static func combined(_ errors: [ValidationError]) -> any Error {
        errors.count == 1 ? errors[0] : ValidationErrors(errors: errors)
    }

    /// One line for each error. If errors differ only in their objects, the first ten and the
    /// number of the others.
    public var description: String {
        groups.flatMap { group in
            group.prefix(10).map(\.description)
                + (group.count > 10 ? ["\(group.count - 10) more: \(group[0].message)"] : [])
        }.joined(separator: "\n")
    }

    /// The errors in groups that differ only in their objects, in the order of the first.
    package var groups: [[ValidationError]] {
        var places: [[String?]: Int] = [:]
        var groups: [[ValidationError]] = []
        for error in errors {
            let kind = [error.entityName, error.property, error.rule, error.message]
            if let place = places[kind] {
                groups[place].append(error)
            } else {
                places[kind] = groups.count
                groups.append([error])
            }
        }
        return groups
    }
}

/// The messages of errors about limits and rules. They are the same for a validated object and for
/// a row of a batch operation or an import that the store rejects.
package enum RefusalText {
    package static func isRequired(_ property: String) -> String {
        "\(property) is required. Set it before saving."
    }

    package static func isBelow(_ property: String, _ minimum: some Any) -> String {
        "\(property) is below \(words(minimum))."
    }

    package static func isAbove(_ property: String, _ maximum: some Any) -> String {
        "\(property) is above \(words(maximum))."
    }

    /// - Parameter length: The length of the value, such as `3 characters`.
    package static func isTooShort(_ property: String, _ length: String, _ minimum: Int) -> String {
        "\(property) has \(length); at least \(minimum) are needed."
    }

    /// - Parameter length: The length of the value, such as `3 characters`.
    package static func isTooLong(_ property: String, _ length: String, _ maximum: Int) -> String {
        "\(property) has \(length); at most \(maximum) are allowed."
    }

    package static func isTooLarge(_ property: String, _ count: Int, _ limit: Int) -> String {
        "\(property) has \(count) bytes; the store keeps values of at most \(limit). Keep the rest in "
            + "other objects, or in a file."
    }

    package static func mismatches(_ property: String, _ pattern: String) -> String {
        "\(property) does not match the pattern \(pattern)."
    }

    private static func words(_ limit: some Any) -> String {
        (limit as? Duration).map(DurationStorage.text) ?? "\(limit)"
    }

    /// A limit of the model as a person reads it.
    package static func words(_ limit: Value) -> String {
        switch limit {
        case .date(let date): "\(date)"
        default: limit.plainText
        }
    }
}

extension Rule {
    /// The message of the error if the rule is violated: the model's own, if it has any.
    package var refusal: String { message ?? "The rule \(name) is violated." }
}
