/// A sample value that distinguishes a property from anything else that a getter may compute.
///
/// The order of the sets of values starts with the ones that getters most likely accept. First come
/// plain values, as most rows have. Then come values that functions often change (negative, zero,
/// with spaces, accents and both cases, nil), then random values, and last the bounds of the type.
struct SampleValue {
    /// The number of fillings.
    static let fillings = 14

    let slot: Int
    let filling: Int
    let model: Model

    /// Returns the value of an attribute, or nil if it has no value in this filling.
    func value(of attribute: Attribute) -> Value? {
        // A part of a composite value is never nil, so that the composite value exists.
        let canBeNil = attribute.isOptional && !attribute.name.contains(".")
        if canBeNil, kind == .without || (kind == .any && bits % 7 == 0) { return nil }
        switch attribute.type {
        case .bool: return .bool(filling < 2 ? filling == 0 : bits >> (slot % 60) & 1 == 1)
        case .int16: return .int(Int64(integer(Int16.self)))
        case .int32: return .int(Int64(integer(Int32.self)))
        case .float: return .double(Double(Float(real)))
        case .double: return .double(real)
        case .decimal(let scale):
            return .decimal(DecimalStorage.decimal(ofUnits: units, scale: scale))
        case .anyDecimal: return .decimal(Decimal(integer(Int64.self)) / 1000)
        case .string: return .string(text)
        case .date: return .date(Date(timeIntervalSinceReferenceDate: real))
        case .uuid:
            let bytes = (0..<16).map { UInt8(truncatingIfNeeded: bits >> ($0 * 4)) }
            return .uuid(
                UUID(
                    uuid: (
                        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6],
                        bytes[7], bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13],
                        bytes[14], bytes[15]
                    )))
        case .uri: return URL(string: "https://example.org/\(bits)").map { .uri($0) }
        case .data: return .data(kind == .least ? Data() : Data("\(bits)".utf8))
        case .enumeration(let name):
            let cases = model.enumeration(named: name)?.cases ?? []
            guard !cases.isEmpty else { return nil }
            let index = filling < cases.count ? filling : Int(bits % UInt64(cases.count))
            return cases[index].rawValue
        case .codable: return nil
        default: return StoredValue.integer(integer(Int64.self)).value(as: attribute.type)
        }
    }

    private enum Kind {
        case plain, negative, zero, without, any, least, greatest
    }

    private var kind: Kind {
        switch filling {
        case 0: .plain
        case 1: .negative
        case 2: .zero
        case 3: .without
        case Self.fillings - 2: .least
        case Self.fillings - 1: .greatest
        default: .any
        }
    }

    private var bits: UInt64 {
        var mixed = UInt64(slot + 1) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(filling) &* 0xD1B5_4A32
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
        switch kind {
        case .plain: Number(truncatingIfNeeded: slot + 2)
        case .negative, .without: Number(truncatingIfNeeded: -slot - 2)
        case .zero: 0
        case .any: Number(truncatingIfNeeded: bits)
        case .least: .min
        case .greatest: .max
        }
    }

    /// The units of a decimal. They are below the bounds of 64 bits, so that the value fits any
    /// scale.
    private var units: Int64 {
        let number = integer(Int64.self)
        return kind == .plain || kind == .negative ? number : number / 1_000_000
    }

    private var real: Double {
        switch kind {
        case .plain: Double(slot) + 2.5
        case .negative, .without: -Double(slot) - 0.5
        case .zero: 0
        case .any: Double(Int64(truncatingIfNeeded: bits)) / 1024
        case .least: -1e30
        case .greatest: 1e30
        }
    }

    /// Plain texts are digits, because most conversions from text accept them.
    private var text: String {
        switch kind {
        case .plain: "\(100 + slot)"
        case .negative: "é\(slot)z"
        case .zero: "  \t\(slot) e\u{301}É ßaA \n"
        case .without, .any: "x\(bits)"
        case .least: ""
        case .greatest: String(repeating: "Long, \(slot). ", count: 50)
        }
    }
}
