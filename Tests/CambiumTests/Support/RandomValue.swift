import Cambium
import Foundation

/// Values that a seed repeats, such as a program may set and a format or a store must keep.
enum RandomValue {
    /// Letters that a format may trip over.
    static func text(_ generator: inout SeededGenerator) -> String {
        let letters = Array("ab \",;\t\n\r\\/'é\u{301}€🙂\u{FEFF}\u{7F}\u{1}[]{}:0")
        return String(
            (0..<Int.random(in: 0..<8, using: &generator)).map { _ in
                letters.randomElement(using: &generator) ?? "a"
            })
    }

    /// A value that an attribute can have; of an enumeration one of its cases, of a codable type a
    /// list of texts.
    static func value(
        of attribute: Attribute, in model: Model, _ generator: inout SeededGenerator
    ) -> Value {
        func data() -> Data {
            Data(
                (0..<Int.random(in: 0..<20, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                })
        }
        func digits(_ count: Int, places: ClosedRange<Int>) -> Value {
            let text = (0..<Int.random(in: 1...count, using: &generator)).map { _ in
                "\(Int.random(in: 0...9, using: &generator))"
            }.joined()
            let value = Decimal(string: text) ?? 0
            let exponent = -Int.random(in: places, using: &generator)
            return .decimal(
                Decimal(
                    sign: generator.chance(0.5) ? .minus : .plus, exponent: exponent,
                    significand: value))
        }
        switch attribute.type {
        case .bool: return .bool(generator.chance(0.5))
        case .int16: return .int(Int64(Int16.random(in: .min ... .max, using: &generator)))
        case .int32: return .int(Int64(Int32.random(in: 0 ... .max, using: &generator)))
        case .int64: return .int(.random(in: .min ... .max, using: &generator))
        case .float:
            let bits = UInt32.random(in: 0 ... .max, using: &generator)
            return .double(Double(Self.finite(Float(bitPattern: bits))))
        case .double:
            let bits = UInt64.random(in: 0 ... .max, using: &generator)
            return .double(generator.chance(0.1) ? .infinity : finite(Double(bitPattern: bits)))
        case .decimal: return digits(15, places: 0...2)
        case .anyDecimal: return digits(38, places: 0...60)
        case .date:
            return .date(
                Date(
                    timeIntervalSinceReferenceDate: .random(in: -1e11...1e11, using: &generator)))
        case .duration:
            return .duration(.nanoseconds(Int64.random(in: .min ... .max, using: &generator)))
        case .uuid: return .uuid(UUID())
        case .uri: return .uri(URL(filePath: "/x/\(Int.random(in: 0..<99, using: &generator))?a=b"))
        case .data: return .data(data())
        case .enumeration(let name):
            let cases = model.enumerations.first { $0.name == name }?.cases ?? []
            return cases.randomElement(using: &generator)?.rawValue ?? .null
        case .codable:
            let encoder = JSONEncoder()
            encoder.outputFormatting = .withoutEscapingSlashes
            let list = (0..<2).map { _ in text(&generator) }
            return .string(
                (try? encoder.encode(list)).map { String(decoding: $0, as: UTF8.self) } ?? "[]")
        case .string: return .string(text(&generator))
        }
    }

    private static func finite<Number: BinaryFloatingPoint>(_ number: Number) -> Number {
        number.isFinite ? number : 0
    }
}
