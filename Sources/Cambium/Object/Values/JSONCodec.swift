/// Turns values of codable attributes into JSON and back. Each context has one, made when it is
/// first needed: making a coder costs as much as coding a small value.
///
/// Keys are sorted, so that equal values have equal texts. Infinities and NaN are written as texts.
final class JSONCodec {
    private let encoder = JSONEncoder()
    private let decoder = JSONDecoder()

    init() {
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    }

    func json(of value: some Encodable) throws -> Data {
        try encoder.encode(value)
    }

    func value<Value: Decodable>(of json: UnsafeRawBufferPointer) throws -> Value {
        try decoder.decode(Value.self, from: Data(json))
    }
}
