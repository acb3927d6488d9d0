import CambiumModel
import Foundation

/// Values in a model: defaults, limits, raw values.
enum Literal {
    /// The reason that a string is not a value of a type.
    struct Problem: Error {
        let message: String
        var notes: [String] = []
    }

    /// The value that a string represents.
    static func parse(
        _ text: String, as type: AttributeType, enumerations: [String: Enumeration] = [:],
        wording: Wording = Wording(.cambium)
    ) -> Result<Value, Problem> {
        switch type {
        case .bool:
            text == "true" || text == "false"
                ? .success(.bool(text == "true"))
                : wrong(text, wording.type("bool"), wording.boolHint)
        case .int16, .int32, .int64:
            integer(text, type, wording)
        case .float, .double:
            floating(text, type, wording)
        case .decimal(let scale):
            decimal(text, scale: scale, wording)
        case .anyDecimal:
            anyDecimal(text)
        case .string:
            .success(.string(text))
        case .codable(let name):
            json(text, of: name)
        case .date:
            DateText.date(text).map { .success(.date($0)) }
                ?? wrong(text, "date", wording.dateHint)
        case .uri:
            text.isEmpty
                ? wrong(text, "URI")
                : URL(string: text).map { .success(.uri($0)) } ?? wrong(text, "URI")
        case .data:
            Data(base64Encoded: text).map { .success(.data($0)) }
                ?? wrong(text, "data", "Write the bytes in Base64")
        case .enumeration(let name):
            enumerationCase(text, of: enumerations[name])
        default:
            Value(spelled: text, as: type).map { .success($0) }
                ?? wrong(text, type.descriptor.noun, "Write it like \(type.descriptor.example)")
        }
    }

    /// Whether an integer fits into a type.
    static func fits(_ number: Int64, _ type: AttributeType) -> Bool {
        type.descriptor.integers?.contains(number) ?? true
    }

    @inline(never)
    private static func wrong(
        _ text: String, _ type: String, _ note: String? = nil
    ) -> Result<Value, Problem> {
        .failure(
            Problem(message: "'\(text)' is not \(type.withArticle)", notes: note.map { [$0] } ?? [])
        )
    }

    private static func integer(
        _ text: String, _ type: AttributeType, _ wording: Wording
    ) -> Result<Value, Problem> {
        guard let number = Int64(text), !text.hasPrefix("+") else {
            return wrong(text, "integer")
        }
        guard fits(number, type) else {
            return .failure(
                Problem(message: "'\(text)' does not fit into \(wording.type(type.word))"))
        }
        return .success(.int(number))
    }

    private static func floating(
        _ text: String, _ type: AttributeType, _ wording: Wording
    ) -> Result<Value, Problem> {
        // Swift reads hexadecimal numbers and "nan" too; a model does not.
        guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }),
            let number = Double(text), number.isFinite
        else { return wrong(text, "number") }
        if type == .float, !Float(number).isFinite {
            return .failure(
                Problem(message: "'\(text)' does not fit into \(wording.type("float"))"))
        }
        return .success(.double(number))
    }

    private static func decimal(
        _ text: String, scale: Int, _ wording: Wording
    ) -> Result<Value, Problem> {
        anyDecimal(text).flatMap { value in
            guard case .decimal(let number) = value,
                DecimalStorage.units(of: number, scale: scale) == nil
            else { return .success(value) }
            return .failure(
                Problem(
                    message: "'\(text)' does not fit into a decimal with \(scale) places",
                    notes: [wording.scaleHint]))
        }
    }

    private static func anyDecimal(_ text: String) -> Result<Value, Problem> {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        let isNumber =
            (1...2).contains(parts.count)
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
        // Decimal keeps 38 digits and would round the others away.
        guard isNumber, digits.utf8.count <= 38, let number = Decimal(string: text) else {
            return wrong(text, "decimal number")
        }
        return .success(.decimal(number))
    }

    private static func enumerationCase(
        _ text: String, of enumeration: Enumeration?
    ) -> Result<Value, Problem> {
        let cases = enumeration?.cases ?? []
        if let item = cases.first(where: { $0.name == text }) { return .success(item.rawValue) }
        let names = cases.map { $0.name }
        let hint =
            nearestName(to: text, among: names).map { "Did you mean '\($0)'?" }
            ?? (names.isEmpty ? nil : "Possible values: \(names.joined(separator: ", "))")
        return wrong(text, "case of \(enumeration?.name ?? "the enumeration")", hint)
    }

    // MARK: JSON

    /// A JSON text that may be an encoded value of a type. The program's own types are unknown
    /// here. For known types, only the outermost form is compared.
    private static func json(_ text: String, of name: String) -> Result<Value, Problem> {
        let isText = text.unicodeScalars.allSatisfy { $0 != "\0" }
        guard isText,
            let value = try? JSONSerialization.jsonObject(
                with: Data(text.utf8), options: .fragmentsAllowed)
        else {
            return wrong(
                text, "JSON", "A default of codable is written in JSON: [], {}, 0, \"text\"")
        }
        guard ClassName(name).map({ fits(value, $0.shape) }) ?? true else {
            return wrong(text, "JSON of \(name)")
        }
        return .success(.string(text))
    }

    private static func fits(_ json: Any, _ shape: ClassName.Shape) -> Bool {
        switch shape {
        case .array: json is [Any]
        case .object: json is [String: Any]
        case .string: json is String
        case .bool: isBool(json)
        case .number: json is NSNumber && !isBool(json)
        case .optional(let wrapped): json is NSNull || fits(json, wrapped)
        case .unknown: true
        }
    }

    /// `true` and `1` are both numbers to Foundation; only their encodings differ.
    private static func isBool(_ json: Any) -> Bool {
        guard let number = json as? NSNumber else { return false }
        return String(cString: number.objCType) == "c"
    }
}
