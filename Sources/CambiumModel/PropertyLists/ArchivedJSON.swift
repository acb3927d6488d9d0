/// Turns what Core Data archived of a transformable attribute into the JSON of a `codable` one, as
/// Swift's encoder writes the types that both know: texts, numbers, dates, data, UUIDs, URLs, and
/// arrays, sets and dictionaries of them.
package enum ArchivedJSON {
    /// The JSON of a keyed archive or of bytes that are JSON already, as a type of the program's takes
    /// it: where it is of another kind, such as 1 where a truth is meant, what is the same. Nil where
    /// there is none that is.
    ///
    /// - Parameter type: The type's name in Swift.
    package static func text(of bytes: Data, as type: String) -> String? {
        guard let text = text(of: bytes) else { return nil }
        let shape = CodableShape(type)
        if case .anything = shape { return text }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
            let fitting = shape.fitting(value)
        else { return nil }
        // The same value stays as it is written.
        let other = fitting.text
        return other == value.text ? text : other
    }

    /// The JSON of a keyed archive; of bytes that are JSON already, those. Nil where they hold an
    /// object of another class, whose meaning only the program knows.
    package static func text(of bytes: Data) -> String? {
        var bytes = [UInt8](bytes)
        // A value that may lie in a file of its own has a byte in front that says where it is.
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
        /// How many objects may still be read: one that refers to itself has no end.
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
            guard let kind = target(list.member("$class", of: value)),
                case .string(let name)? = target(list.member("$classname", of: kind))
            else { return objects.isEmpty ? dictionary(pairs(of: value), depth: depth) : nil }
            switch name {
            case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet",
                "NSMutableOrderedSet":
                return array(archivedMembers("NS.objects", of: value), depth: depth)
            case "NSDictionary", "NSMutableDictionary":
                let keys = archivedMembers("NS.keys", of: value)
                let values = archivedMembers("NS.objects", of: value)
                return keys.count == values.count
                    ? dictionary(Array(zip(keys, values)), depth: depth) : nil
            case "NSDate":
                guard case .real(let seconds)? = list.member("NS.time", of: value) else { break }
                return Self.json(seconds)
            case "NSUUID":
                guard case .data(let bytes)? = list.member("NS.uuidbytes", of: value) else { break }
                return UUID(bytes: bytes).map { .string($0.uuidString) }
            case "NSURL": return address(value, depth: depth).map(JSONValue.string)
            case "NSString", "NSMutableString":
                guard case .string(let string)? = target(list.member("NS.string", of: value))
                else { break }
                return .string(string)
            case "NSData", "NSMutableData":
                guard case .data(let data)? = target(list.member("NS.data", of: value)) else {
                    break
                }
                return .string(data.base64EncodedString())
            default: break
            }
            return nil
        }

        /// The whole address of a URL, which may be told as a part of another one.
        private func address(_ value: Value, depth: Int) -> String? {
            guard depth < 64,
                case .string(let relative)? = target(list.member("NS.relative", of: value))
            else { return nil }
            switch target(list.member("NS.base", of: value)) {
            case nil, .string("$null"): return relative
            case let base?:
                return address(base, depth: depth + 1).flatMap { URL(string: $0) }
                    .flatMap { URL(string: relative, relativeTo: $0)?.absoluteString }
            }
        }

        private func archivedMembers(_ name: String, of value: Value) -> [Value] {
            guard case .array(let numbers)? = list.member(name, of: value) else { return [] }
            return numbers.map(list.value)
        }

        private func pairs(of value: Value) -> [(Value, Value)] {
            guard case .dictionary(let numbers) = value else { return [] }
            return numbers.sorted { $0.key < $1.key }
                .map { (list.value($0.key), list.value($0.value)) }
        }

        /// Swift writes dictionaries whose keys are texts or whole numbers as objects. Of keys that
        /// are equal in Swift the first one counts, as for who reads such an object.
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
