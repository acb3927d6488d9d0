import CambiumModel

extension Model {
    /// What a stored value is in another type, by Swift's own arithmetic and not by SQLite's.
    ///
    /// - Parameters:
    ///   - value: The value, which is there.
    ///   - old: Its type; of an enumeration that of its raw values.
    ///   - new: The type that it gets.
    func expectation(
        of stored: StoredValue, from old: AttributeType, to new: AttributeType
    ) -> ValueLaw.Expectation {
        if old == new { return .exactly(stored) }
        switch (stored, old, new) {
        case (_, .float, .double), (_, .date, .double), (_, .double, .date), (_, .uuid, .data),
            (_, .data, .uuid), (_, .uri, .string), (_, .codable, .string),
            (_, .codable, .codable):
            return .exactly(stored)
        case (.text(let text), _, .data):
            return .exactly(.blob(Data(text.utf8)))
        case (_, _, .string):
            return text(of: stored, old)
        case (.text(let text), .string, .bool):
            return .exactly(.integer(text == "1" || text == "true" ? 1 : 0))
        case (.text(let text), .string, .double):
            return Double(text).map { .exactly(.real($0)) } ?? .something
        case (.text(let text), .string, _):
            return exact(Decimal(string: text), as: new)
        case (.real(let number), .double, .decimal(let scale)):
            let units = (number * Self.powerOfTen(scale)).rounded()
            return Int64(exactly: units).map { .exactly(.integer($0)) } ?? .something
        case (.real(let number), .double, _):
            return Int64(exactly: number.rounded(.towardZero))
                .map { .exactly(.integer($0)) } ?? .something
        case (.integer(let units), .decimal(let scale), .double):
            return .exactly(.real(Double(units) / Self.powerOfTen(scale)))
        case (.integer(let number), _, .float), (.integer(let number), _, .double):
            return .exactly(.real(Double(number)))
        default:
            return exact(number(stored, old), as: new)
        }
    }

    private func text(of stored: StoredValue, _ old: AttributeType) -> ValueLaw.Expectation {
        switch (stored, old) {
        case (.integer(let value), .bool): .exactly(.text(value == 1 ? "true" : "false"))
        case (.integer(let value), .int16), (.integer(let value), .int32),
            (.integer(let value), .int64):
            .exactly(.text(String(value)))
        case (.real(let value), .double): .textOfDouble(value)
        case (.blob, .uuid):
            if case .uuid(let id)? = value(stored, as: old) {
                .exactly(.text(id.uuidString))
            } else {
                .something
            }
        default: number(stored, old).map { .text(of: $0) } ?? .something
        }
    }

    /// The exact number that a value is, where it is one.
    private func number(_ stored: StoredValue, _ type: AttributeType) -> Decimal? {
        switch value(stored, as: type) {
        case .bool(let value): value ? 1 : 0
        case .int(let value): Decimal(value)
        case .decimal(let value): value
        default: nil
        }
    }

    private func exact(_ number: Decimal?, as type: AttributeType) -> ValueLaw.Expectation {
        guard let number else { return .something }
        let value: StoredValue? =
            switch type {
            case .bool, .int16, .int32, .int64: Int64(number.description).map { .integer($0) }
            case .decimal, .anyDecimal: stored(.decimal(number), as: type)
            default: nil
            }
        // One that does not fit is refused, or belongs to a conversion that is not known here.
        return value.map { .exactly($0) } ?? .something
    }

    private static func powerOfTen(_ exponent: Int) -> Double {
        (0..<exponent).reduce(1.0) { power, _ in power * 10 }
    }
}
