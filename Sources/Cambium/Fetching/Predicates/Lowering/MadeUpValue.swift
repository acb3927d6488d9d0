/// A value by which a property can be told from whatever else a getter might compute: first those
/// at the ends of what the type holds and those that functions like to change (empty, long, with
/// spaces, accents and both cases), then ones that no other slot has.
struct MadeUpValue {
    let slot: Int
    let filling: Int
    let model: Model

    /// nil where the attribute has no value in this filling.
    func value(of attribute: Attribute) -> Value? {
        // A part of a composite value is always there, so that the whole is.
        let canBeNil = attribute.isOptional && !attribute.name.contains(".")
        if canBeNil, filling == 4 || (filling > 5 && bits % 7 == 0) { return nil }
        switch attribute.type {
        case .bool: return .bool(filling < 2 ? filling == 1 : bits >> (slot % 60) & 1 == 1)
        case .int16: return .int(Int64(integer(Int16.self)))
        case .int32: return .int(Int64(integer(Int32.self)))
        case .int64: return .int(integer(Int64.self))
        case .float: return .double(Double(Float(real)))
        case .double: return .double(real)
        case .decimal(let scale):
            return .decimal(
                DecimalStorage.decimal(ofUnits: integer(Int64.self) / 1_000_000, scale: scale))
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
        case .data: return .data(filling == 0 ? Data() : Data("\(bits)".utf8))
        case .enumeration(let name):
            let cases = model.enumeration(named: name)?.cases ?? []
            guard !cases.isEmpty else { return nil }
            let index = filling < cases.count ? filling : Int(bits % UInt64(cases.count))
            return cases[index].rawValue
        case .codable: return nil
        }
    }

    private var bits: UInt64 {
        var mixed = UInt64(slot + 1) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(filling) &* 0xD1B5_4A32
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    private func integer<Number: FixedWidthInteger>(_ type: Number.Type) -> Number {
        switch filling {
        case 0: .min
        case 1: .max
        case 2: 0
        case 3: 0 - 1
        default: Number(truncatingIfNeeded: bits)
        }
    }

    private var real: Double {
        switch filling {
        case 0: -1e30
        case 1: 1e30
        case 2: 0
        case 3: -0.5
        default: Double(Int64(truncatingIfNeeded: bits)) / 1024
        }
    }

    private var text: String {
        switch filling {
        case 0: ""
        case 1: String(repeating: "Long, \(slot). ", count: 50)
        case 2: "  \t\(slot) e\u{301}É ßaA \n"
        case 3: "é\(slot)z"
        default: "x\(bits)"
        }
    }
}
