import CambiumModel

/// Constants as Swift.
struct LiteralEmitter {
    let names: GeneratedNames

    /// A bound of a range of an attribute's values: a literal of the attribute's own type.
    func bound(_ value: Value, of type: AttributeType) -> SwiftCode? {
        switch (value, type) {
        case (.int(let value), .int16), (.int(let value), .int32), (.int(let value), .int64):
            .text("\(value)")
        case (.int(let value), .float): .text(float(Float(value)))
        case (.double(let value), .float): .text(float(Float(value)))
        case (.int(let value), .double): .text(double(Double(value)))
        case (.double(let value), .double): .text(double(value))
        case (.int(let value), .decimal):
            .text("\(value)")
        case (.decimal(let value), .decimal):
            decimal(value)
        case (.date(let value), .date):
            date(value)
        case (.duration(let value), .duration):
            duration(value)
        default:
            nil
        }
    }

    /// A literal of an attribute's own type that fits into a line, as a default argument; nil where
    /// there is none.
    ///
    /// - Parameter isOptional: Whether the parameter takes nil too.
    func argument(
        _ value: Value, of type: AttributeType, isOptional: Bool, in model: Model
    ) -> String? {
        switch (value, type) {
        case (.bool(let value), .bool): return "\(value)"
        case (.string(let value), .string): return SwiftText.literal(value)
        case (_, .enumeration(let name)):
            return model.enumeration(named: name)?.cases.first { $0.rawValue == value }.map {
                // Where nil is possible, `.none` is nil.
                $0.name == "none" && isOptional
                    ? ".some(.none)" : "." + SwiftText.identifier($0.name)
            }
        default:
            return bound(value, of: type)?.onOneLine(within: SwiftCode.width)
        }
    }

    /// A number that reads back bit for bit.
    func double(_ value: Double) -> String {
        switch value {
        case .infinity: ".infinity"
        case -.infinity: "-.infinity"
        case let value where value.isNaN: ".nan"
        case let value where value.isSubnormal:
            // The compiler warns of literals that lose precision.
            names.initializer(of: names.standard("Double")) + "(bitPattern: \(value.bitPattern))"
        default: "\(value)"
        }
    }

    private func float(_ value: Float) -> String {
        value.isSubnormal
            ? names.initializer(of: names.standard("Float")) + "(bitPattern: \(value.bitPattern))"
            : value.isFinite ? "\(value)" : double(Double(value))
    }

    /// An exact decimal. One of more digits than a literal may have is put together from parts.
    func decimal(_ value: Decimal) -> SwiftCode {
        let type = names.library("Decimal")
        let text = value.description
        guard value.isFinite, let digits = Digits(text) else { return .text("\(type).nan") }
        if digits.exponent == 0, digits.significand.count <= 18 {
            return .text((digits.isNegative ? "-" : "") + digits.significand)
        }
        var parts: [SwiftCode] = []
        var rest = Substring(digits.significand)
        var exponent = digits.exponent
        let sign = digits.isNegative ? ".minus" : ".plus"
        while !rest.isEmpty {
            let part = rest.suffix(18).drop { $0 == "0" }
            if !part.isEmpty {
                parts.insert(
                    .call(
                        type,
                        [
                            ("sign", .text(sign)), ("exponent", .text("\(exponent)")),
                            ("significand", .text(String(part))),
                        ]), at: 0)
            }
            rest = rest.dropLast(18)
            exponent += 18
        }
        return parts.count == 1 ? parts[0] : .sum(parts)
    }

    /// A duration, in seconds where they are whole.
    private func duration(_ value: Duration) -> SwiftCode? {
        DurationStorage.nanoseconds(of: value).map { number in
            let isWhole = number % 1_000_000_000 == 0
            return .text(
                isWhole ? ".seconds(\(number / 1_000_000_000))" : ".nanoseconds(\(number))")
        }
    }

    /// A moment, exact to the bit.
    func date(_ value: Date) -> SwiftCode {
        .call(
            names.libraryInitializer("Date"),
            [
                (
                    "timeIntervalSinceReferenceDate",
                    .text(double(value.timeIntervalSinceReferenceDate))
                )
            ])
    }
}

/// A decimal's digits without zeros at either end, from its description.
private struct Digits {
    let isNegative: Bool
    let significand: String
    let exponent: Int

    init?(_ description: String) {
        isNegative = description.hasPrefix("-")
        let parts = description.drop { $0 == "-" }.split(
            separator: ".", omittingEmptySubsequences: false)
        guard let whole = parts.first, parts.count <= 2 else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        var digits = Substring(whole + fraction).drop { $0 == "0" }
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        var exponent = -fraction.count
        // Whole numbers keep their zeros while a literal holds them, because people read them.
        while digits.last == "0", exponent < 0 || digits.count > 18 {
            digits.removeLast()
            exponent += 1
        }
        significand = digits.isEmpty ? "0" : String(digits)
        self.exponent = digits.isEmpty ? 0 : exponent
    }
}
