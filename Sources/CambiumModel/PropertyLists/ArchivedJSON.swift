/// Converts the archive of a Core Data transformable attribute to the JSON of a `codable` one, as
/// Swift's encoder writes it. It supports the types that both have: strings, numbers, dates, data,
/// UUIDs, URLs, and arrays, sets and dictionaries of them.
package enum ArchivedJSON {
    /// Returns the JSON of a keyed archive, or of bytes that are JSON already, in the form that a
    /// Swift type decodes. If a value has another kind, such as 1 for a Boolean, it is replaced by
    /// an equal value of the right kind. The result is nil if there is none.
    ///
    /// - Parameter type: The type's name in Swift.
    package static func text(of bytes: Data, as type: String) -> String? {
        guard let text = text(of: bytes) else { return nil }
        let shape = CodableShape(type)
        if case .anything = shape { return text }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
            let fitting = shape.fitting(value)
        else { return nil }
        // An equal value keeps its original text.
        let other = fitting.text
        return other == value.text ? text : other
    }

    /// Returns the JSON of a keyed archive, or the text of bytes that are JSON already. The result
    /// is nil if the archive contains an object of another class, because only the program can
    /// decode it.
    package static func text(of bytes: Data) -> String? {
        var bytes = [UInt8](bytes)
        // A value that may be in a file of its own has a leading byte that says how it is stored.
        if bytes.first == ExternalForm.inline { bytes.removeFirst() }
        guard bytes.starts(with: Array("bplist00".utf8)) else { return json(bytes) }
        guard let list = BinaryPropertyList(bytes) else { return nil }
        guard case .array(let objects)? = list.dictionary["$objects"],
            let root = list.dictionary["$top"].flatMap({ top in
                if case .dictionary = top { list.member("root", of: top) } else { nil }
            })
        else {
            var plain = Reader(list: list, objects: [])
            return plain.json(list.root, depth: 0)?.text
        }
        var reader = Reader(list: list, objects: objects)
        return reader.json(root, depth: 0)?.text
    }

    /// A transformer of the program's own may have written JSON.
    private static func json(_ bytes: [UInt8]) -> String? {
        guard let first = bytes.first(where: { ![0x20, 0x0A, 0x0D, 0x09].contains($0) }),
            Array("[{\"-0123456789tfn".utf8).contains(first),
            let text = String(validating: bytes, as: UTF8.self), !text.utf8.contains(0),
            (try? JSONDecoder().decode(JSONValue.self, from: Data(bytes))) != nil
        else { return nil }
        return text
    }

    /// Reads the objects of an archive.
    private struct Reader {
        let list: BinaryPropertyList
        let objects: [Int]
        /// The number of objects that may still be read. The limit ends the reading of an object
        /// that references itself.
        var budget = 1_000_000

        private typealias Value = BinaryPropertyList.Value

        mutating func json(_ value: BinaryPropertyList.Value, depth: Int) -> JSONValue? {
            budget -= 1
            guard depth < 64, budget > 0, let value = target(value) else { return nil }
            return switch value {
            case .integer(let number): .integer(Int64(number))
            case .unsigned(let number): .large(number)
            case .real(let number), .date(let number): Self.json(number)
            case .bool(let flag): .bool(flag)
            case .string("$null"): .null
            case .string(let string): .string(string)
            case .data(let data): .string(data.base64EncodedString())
            case .array(let members): array(members.map(list.value), depth: depth)
            case .dictionary: object(value, depth: depth)
            case .reference, .other: nil
            }
        }

        private func target(_ value: Value?) -> Value? {
            guard case .reference(let number)? = value else { return value }
            return objects.indices.contains(number) ? list.value(objects[number]) : nil
        }

        private func target(_ name: String, of value: Value) -> Value? {
            target(list.member(name, of: value))
        }

        private static func json(_ number: Double) -> JSONValue? {
            guard number.isFinite else { return nil }
            return number == number.rounded() && abs(number) < 1e15
                ? .integer(Int64(number)) : .real(number)
        }

        private mutating func array(_ members: [Value], depth: Int) -> JSONValue? {
            var values: [JSONValue] = []
            for member in members {
                guard let value = json(member, depth: depth + 1) else { return nil }
                values.append(value)
            }
            return .list(values)
        }

        /// A dictionary of a property list, or an archived object by its class.
        private mutating func object(_ value: Value, depth: Int) -> JSONValue? {
            guard let kind = target("$class", of: value),
                let name = target("$classname", of: kind)?.string
            else { return objects.isEmpty ? dictionary(pairs(of: value), depth: depth) : nil }
            switch name.hasPrefix("NSMutable") ? "NS" + name.dropFirst(9) : name {
            case "NSArray", "NSSet", "NSOrderedSet":
                return array(archivedMembers("NS.objects", of: value), depth: depth)
            case "NSDictionary":
                let keys = archivedMembers("NS.keys", of: value)
                let values = archivedMembers("NS.objects", of: value)
                return keys.count == values.count
                    ? dictionary(Array(zip(keys, values)), depth: depth) : nil
            case "NSDate":
                if let seconds = list.member("NS.time", of: value)?.real {
                    return Self.json(seconds)
                }
            case "NSUUID":
                if let bytes = list.member("NS.uuidbytes", of: value)?.data,
                    let uuid = UUID(bytes: bytes)
                {
                    return .string(uuid.uuidString)
                }
            case "NSURL":
                if let address = address(value, depth: depth) { return .string(address) }
            case "NSString":
                if let text = target("NS.string", of: value)?.string { return .string(text) }
            case "NSData":
                if let data = target("NS.data", of: value)?.data {
                    return .string(data.base64EncodedString())
                }
            default: break
            }
            return nil
        }

        /// Returns the absolute address of a URL, which may be archived relative to another URL.
        private func address(_ value: Value, depth: Int) -> String? {
            guard depth < 64,
                let relative = target("NS.relative", of: value)?.string
            else { return nil }
            guard let base = target("NS.base", of: value), base.string != "$null" else {
                return relative
            }
            guard let start = address(base, depth: depth + 1) else { return nil }
            return URL(string: start).flatMap {
                URL(string: relative, relativeTo: $0)?.absoluteString
            }
        }

        private func archivedMembers(_ name: String, of value: Value) -> [Value] {
            guard case .array(let numbers)? = list.member(name, of: value) else { return [] }
            return numbers.map(list.value)
        }

        private func pairs(of value: Value) -> [(Value, Value)] {
            guard case .dictionary(let numbers) = value else { return [] }
            return numbers.ordered { $0.key < $1.key }
                .map { (list.value($0.key), list.value($0.value)) }
        }

        /// Converts a dictionary to an object, as Swift does for keys that are strings or integers.
        /// If several keys are equal in Swift, the first one counts, as for readers of such an
        /// object.
        private mutating func dictionary(_ pairs: [(Value, Value)], depth: Int) -> JSONValue? {
            var members: [String: JSONValue] = [:]
            for (key, value) in pairs {
                guard let value = json(value, depth: depth + 1) else { return nil }
                let name: String
                switch target(key) {
                case .string(let text)?: name = text
                case .integer(let number)?: name = "\(number)"
                default: return nil
                }
                if members[name] == nil { members[name] = value }
            }
            return .object(members)
        }
    }
}

/// The shape of the JSON of a `codable` type, as far as the type's name determines it. The
/// program's own types may have any shape.
indirect enum CodableShape: Sendable {
    case anything
    case bool
    case integer(ClosedRange<Int64>)
    case number
    case string
    case uuid, url, data
    case list(CodableShape)
    case object(CodableShape)
    case optional(CodableShape)

    /// The shape of a type by its name in Swift, such as `[String: Int]?`.
    init(_ name: String) {
        self = Self.shape(name.filter { $0 != " " }[...])
    }

    private static func shape(_ name: Substring) -> CodableShape {
        for module in ["Swift.", "Foundation."] where name.hasPrefix(module) {
            return shape(name.dropFirst(module.count))
        }
        if name.hasSuffix("?") { return .optional(shape(name.dropLast())) }
        if name.hasPrefix("["), name.hasSuffix("]") {
            let parts = parts(of: name.dropFirst().dropLast(), at: ":")
            return parts.count == 2
                ? dictionary(parts[0], parts[1])
                : parts.count == 1 ? .list(shape(parts[0])) : .anything
        }
        if name.hasSuffix(">"), let start = name.firstIndex(of: "<") {
            let parts = parts(of: name[name.index(after: start)...].dropLast(), at: ",")
            switch (name[..<start], parts.count) {
            case ("Array", 1), ("Set", 1): return .list(shape(parts[0]))
            case ("Optional", 1): return .optional(shape(parts[0]))
            case ("Dictionary", 2): return dictionary(parts[0], parts[1])
            default: return .anything
            }
        }
        return plain[String(name)] ?? .anything
    }

    /// Dictionaries with other keys than texts and numbers are lists to Swift's encoder.
    private static func dictionary(_ key: Substring, _ value: Substring) -> CodableShape {
        if case .string = shape(key) { .object(shape(value)) } else { .anything }
    }

    /// The parts of a list at a separator that is in no brackets.
    private static func parts(of text: Substring, at separator: Character) -> [Substring] {
        var parts: [Substring] = []
        var (start, depth) = (text.startIndex, 0)
        for index in text.indices {
            switch text[index] {
            case "[", "<", "(": depth += 1
            case "]", ">", ")": depth -= 1
            case separator where depth == 0:
                parts.append(text[start..<index])
                start = text.index(after: index)
            default: break
            }
        }
        return parts + [text[start...]]
    }

    private static func range<Number: FixedWidthInteger>(_: Number.Type) -> CodableShape {
        .integer(Int64(clamping: Number.min)...Int64(clamping: Number.max))
    }

    private static let plain: [String: CodableShape] = [
        "Bool": .bool, "String": .string, "UUID": .uuid, "URL": .url, "Data": .data,
        "Double": .number, "Float": .number, "Decimal": .number, "Date": .number,
        "TimeInterval": .number, "Int": range(Int.self), "Int8": range(Int8.self),
        "Int16": range(Int16.self), "Int32": range(Int32.self), "Int64": range(Int64.self),
        "UInt": .number, "UInt8": range(UInt8.self), "UInt16": range(UInt16.self),
        "UInt32": range(UInt32.self), "UInt64": .number,
    ]

    /// Returns a value in the form that the type's decoder takes; nil if no equal value has that
    /// form. Core Data keeps Booleans, integers and other numbers as one kind of number.
    func fitting(_ value: JSONValue) -> JSONValue? {
        let isFit: Bool
        switch self {
        case .anything: isFit = true
        case .optional(let shape):
            if case .null = value { return value }
            return shape.fitting(value)
        case .list(let shape):
            guard case .list(let members) = value else { return nil }
            let fitting = members.compactMap(shape.fitting)
            return fitting.count == members.count ? .list(fitting) : nil
        case .object(let shape):
            guard case .object(let members) = value else { return nil }
            let fitting = members.compactMapValues(shape.fitting)
            return fitting.count == members.count ? .object(fitting) : nil
        case .bool:
            if case .integer(let number) = value, number == 0 || number == 1 {
                return .bool(number == 1)
            }
            if case .bool = value { isFit = true } else { isFit = false }
        case .integer(let range):
            switch value {
            case .integer(let number): isFit = range.contains(number)
            case .bool(let flag): return range.contains(flag ? 1 : 0) ? .integer(flag ? 1 : 0) : nil
            case .real(let number): return Int64(exactly: number).flatMap { fitting(.integer($0)) }
            default: isFit = false
            }
        case .number:
            switch value {
            case .bool(let flag): return .integer(flag ? 1 : 0)
            case .integer, .large, .real: isFit = true
            default: isFit = false
            }
        case .string, .uuid, .url, .data:
            guard case .string(let text) = value else { return nil }
            isFit = isForm(of: text)
        }
        return isFit ? value : nil
    }

    /// Whether a text is one of this shape.
    private func isForm(of text: String) -> Bool {
        switch self {
        case .uuid: UUID(uuidString: text) != nil
        case .url: URL(string: text) != nil
        case .data: Data(base64Encoded: text) != nil
        default: true
        }
    }
}

/// A value of JSON. Integers are separate from other numbers.
enum JSONValue {
    case null
    case bool(Bool)
    case integer(Int64)
    /// An integer beyond the range of `Int64`.
    case large(UInt64)
    case real(Double)
    case string(String)
    case list([JSONValue])
    case object([String: JSONValue])

    /// The text. Members are sorted by name.
    var text: String {
        switch self {
        case .null: "null"
        case .bool(let flag): "\(flag)"
        case .integer(let number): "\(number)"
        case .large(let number): "\(number)"
        case .real(let number): "\(number)"
        case .string(let string): Self.quoted(string)
        case .list(let members): "[" + members.map { $0.text }.joined(separator: ",") + "]"
        case .object(let members):
            "{"
                + members.ordered { $0.key < $1.key }
                .map { "\(Self.quoted($0.key)):\($0.value.text)" }.joined(separator: ",") + "}"
        }
    }

    static func quoted(_ string: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        // A text can always be encoded.
        return (try? encoder.encode(string)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
    }
}

extension JSONValue: Decodable {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if var list = try? decoder.unkeyedContainer() {
            var members: [JSONValue] = []
            while !list.isAtEnd { members.append(try list.decode(JSONValue.self)) }
            self = .list(members)
        } else if let object = try? decoder.container(keyedBy: Name.self) {
            var members: [String: JSONValue] = [:]
            for name in object.allKeys {
                members[name.stringValue] = try object.decode(JSONValue.self, forKey: name)
            }
            self = .object(members)
        } else {
            let value = try decoder.singleValueContainer()
            if value.decodeNil() {
                self = .null
            } else if let flag = try? value.decode(Bool.self) {
                self = .bool(flag)
            } else if let number = try? value.decode(Int64.self) {
                self = .integer(number)
            } else if let number = try? value.decode(UInt64.self) {
                self = .large(number)
            } else if let number = try? value.decode(Double.self) {
                self = .real(number)
            } else {
                self = .string(try value.decode(String.self))
            }
        }
    }
}
