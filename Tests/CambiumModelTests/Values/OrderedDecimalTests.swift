import CambiumModel
import Foundation
import Testing

/// The bytes of exact decimals sort as the numbers do.
@Suite struct OrderedDecimalTests {
    private func check(_ values: [Decimal]) throws {
        let forms = try values.map { try Array(#require(OrderedDecimal.bytes(of: $0))) }
        for (value, form) in zip(values, forms) {
            #expect(OrderedDecimal.decimal(of: Data(form)) == value)
        }
        for (one, first) in zip(values, forms) {
            for (other, second) in zip(values, forms) {
                let order = first.lexicographicallyPrecedes(second)
                if order != (one < other) || (first == second) != (one == other) {
                    Issue.record("\(one) and \(other): \(first) and \(second)")
                    return
                }
            }
        }
    }

    @Test func `all numbers of three digits at several scales`() throws {
        let values = (-120...120).flatMap { units in
            [-3, -1, 0, 1, 2].map { exponent in
                Decimal(
                    sign: units < 0 ? .minus : .plus, exponent: exponent,
                    significand: Decimal(abs(units)))
            }
        }
        try check(values)
    }

    @Test func `the outermost numbers`() throws {
        let texts = [
            "340282366920938463463374607431768211455", "99999999999999999999999999999999999999",
            "0.00000000000000000000000000000000000001", "1e-128", "1e127", "3402823669e127",
            "340282366920938463463374607431768211455e127", "12345678901234567890123456789e-128",
            "1e38", "1e-38", "0", "1", "0.1", "10", "100", "0.01",
        ]
        let positive = try texts.map { try #require(Decimal(string: $0)) }
        try check(positive + positive.map { 0 - $0 })
    }

    @Test func `random numbers`() throws {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap(UInt64.init) ?? .random(in: 0..<1_000_000)
        print("ordered decimals: CAMBIUM_SEED=\(seed)")
        var random = SeededGenerator(state: seed)
        let values = (0..<300).map { _ in
            // Few different digits and exponents, so that numbers lie close together.
            let digits = (0..<Int.random(in: 1...38, using: &random)).map { _ in
                Int.random(in: 0...2, using: &random) * 4
            }
            let significand = digits.reduce(Decimal(0)) { $0 * 10 + Decimal($1) }
            return Decimal(
                sign: Bool.random(using: &random) ? .plus : .minus,
                exponent: Int.random(in: -20...5, using: &random), significand: significand)
        }
        try check(values)
    }

    @Test func `one number has one form, however it is written`() throws {
        let forms = ["1.50", "1.5", "15e-1", "0.15e1"].map {
            OrderedDecimal.bytes(of: Decimal(string: $0) ?? 0)
        }
        #expect(Set(forms) == [Data([0x82, 0x01, 16])])
    }

    @Test func `the form is frozen`() {
        func form(_ text: String) -> [UInt8] {
            Array(OrderedDecimal.bytes(of: Decimal(string: text) ?? 0) ?? Data())
        }
        #expect(form("0") == [0x80, 0x00])
        #expect(form("1") == [0x82, 0x01, 11])
        #expect(form("-1") == [0x7D, 0xFF, 90, 0xFF])
        #expect(form("12.345") == [0x82, 0x02, 13, 35, 51])
        #expect(form("0.001") == [0x81, 0xFE, 11])
    }

    @Test func `NaN has no form`() {
        #expect(OrderedDecimal.bytes(of: .nan) == nil)
    }

    @Test func `bytes that are no form of a number are none`() {
        var random = SeededGenerator(state: 7)
        for count in 0...6 {
            for _ in 0..<300 {
                let bytes = (0..<count).map { index in
                    index == 0
                        ? UInt8.random(in: 0x7C...0x83, using: &random)
                        : UInt8.random(in: 0...255, using: &random)
                }
                if let value = OrderedDecimal.decimal(of: Data(bytes)) {
                    #expect(OrderedDecimal.bytes(of: value) == Data(bytes))
                }
            }
        }
        for bytes: [UInt8] in [
            [], [0x80], [0x80, 0, 1], [0x82, 1], [0x82, 1, 1], [0x82, 1, 11, 1], [0x82, 1, 101],
            [0x7D, 0xFF, 90], [0x82, 1, 0], [0xFF, 0xFF, 11], [0, 0, 11, 0xFF], [0x82, 1, 5],
        ] {
            #expect(OrderedDecimal.decimal(of: Data(bytes)) == nil, "\(bytes)")
        }
    }

    @Test(arguments: [
        "0", "-0", "1", "-1", "19.99", "0.001", "100", "1e3", "1.5E-7", "+2", "00.50",
        "12345678901234567890123456789012345678", "-1e-100", "9e100",
    ])
    func `the bytes of a text are those of the number it spells`(text: String) throws {
        let number = try #require(Decimal(string: text))
        #expect(OrderedDecimal.bytes(spelled: text) == OrderedDecimal.bytes(of: number))
    }

    @Test(arguments: [
        "", "-", ".", "e5", "1e", "1.2.3", "1e5e5", "1e999", "nan", "inf", "1 ", "0x1", "1,5",
        "1e300", "123456789012345678901234567890123456789",
    ])
    func `a text that spells none, or one that no decimal holds, has no bytes`(text: String) {
        #expect(OrderedDecimal.bytes(spelled: text) == nil)
    }

    @Test func `a short number has the bytes that the text of its 15 digits has`() {
        let function = ConversionFunction.decimalOfShortNumber
        var generator = SeededGenerator(state: 15)
        var found = 0
        for index in 0..<4_000 {
            let digits = Int.random(in: 0...16, using: &generator)
            let whole = Double.random(in: -1...1, using: &generator) * pow(10, Double(digits))
            // As people write them, as a computation leaves them, and any.
            let number =
                switch index % 3 {
                case 0: whole.rounded() / pow(10, Double(index % 8))
                case 1: (whole.rounded() / 100) * 3
                default: whole
                }
            let result = function.call([.real(number)])
            guard case .blob(let bytes) = result else {
                #expect(result == .null)
                continue
            }
            found += 1
            let text = String(format: "%.15g", number)
            #expect(bytes == OrderedDecimal.bytes(spelled: text), "\(text)")
        }
        #expect(found > 1_500)
        for number: Int64 in [0, 7, -10, 120, 999_999_999_999_999, -100_000_000_000_000] {
            #expect(
                function.call([.integer(number)])
                    == OrderedDecimal.bytes(spelled: "\(number)").map { .blob($0) })
        }
        let long: [StoredValue] = [
            .integer(1_000_000_000_000_000), .real(.infinity), .real(-.infinity), .real(.nan),
            .real(1e15), .real(0.1234567), .text("1"), .null,
        ]
        for value in long { #expect(function.call([value]) == .null) }
    }
}

/// Numbers that a seed decides (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
