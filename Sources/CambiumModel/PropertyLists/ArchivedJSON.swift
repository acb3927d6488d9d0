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
        if shape == .anything { return text }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)),
            let fitting = shape.fitting(value)
        else { return nil }
        return fitting == value ? text : fitting.text
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
            var plain = Writer(list: list, objects: [])
            return plain.write(list.root, depth: 0) ? plain.text : nil
        }
        var writer = Writer(list: list, objects: objects)
        return writer.write(root, depth: 0) ? writer.text : nil
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

    /// Writes the objects of an archive.
    private struct Writer {
        let list: BinaryPropertyList
        let objects: [Int]
        var text = ""
        /// How many objects may still be written: one that refers to itself has no end.
        var budget = 1_000_000

        private typealias Value = BinaryPropertyList.Value

        mutating func write(_ value: BinaryPropertyList.Value, depth: Int) -> Bool {
            budget -= 1
            guard depth < 64, budget > 0, let value = target(value) else { return false }
            switch value {
            case .integer(let number): text += "\(number)"
            case .unsigned(let number): text += "\(number)"
            case .real(let number): return write(number)
            case .bool(let flag): text += "\(flag)"
            case .date(let seconds): return write(seconds)
            case .string("$null"): text += "null"
            case .string(let string): write(string)
            case .data(let data): write(data.base64EncodedString())
            case .array(let members):
                return write(members.map(list.value), depth: depth)
            case .dictionary: return writeObject(value, depth: depth)
            case .reference, .other: return false
            }
            return true
        }

        private func target(_ value: Value?) -> Value? {
            guard case .reference(let number)? = value else { return value }
            return objects.indices.contains(number) ? list.value(objects[number]) : nil
        }

        private mutating func write(_ string: String) {
            text += JSONValue.quoted(string)
        }

        private mutating func write(_ number: Double) -> Bool {
            guard number.isFinite else { return false }
            text +=
                number == number.rounded() && abs(number) < 1e15
                ? "\(Int64(number))" : "\(number)"
            return true
        }

        private mutating func write(_ members: [Value], depth: Int) -> Bool {
            text += "["
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                guard write(member, depth: depth + 1) else { return false }
            }
            text += "]"
            return true
        }

        /// A dictionary of a property list, or an archived object by its class.
        private mutating func writeObject(_ value: Value, depth: Int) -> Bool {
            guard let kind = target(list.member("$class", of: value)),
                case .string(let name)? = target(list.member("$classname", of: kind))
            else { return objects.isEmpty && writePairs(pairs(of: value), depth: depth) }
            switch name {
            case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet", "NSOrderedSet",
                "NSMutableOrderedSet":
                return write(archivedMembers("NS.objects", of: value), depth: depth)
            case "NSDictionary", "NSMutableDictionary":
                let keys = archivedMembers("NS.keys", of: value)
                let values = archivedMembers("NS.objects", of: value)
                guard keys.count == values.count else { return false }
                return writePairs(Array(zip(keys, values)), depth: depth)
            case "NSDate":
                guard case .real(let seconds)? = list.member("NS.time", of: value) else {
                    return false
                }
                return write(seconds)
            case "NSUUID":
                guard case .data(let bytes)? = list.member("NS.uuidbytes", of: value),
                    let uuid = UUID(bytes: bytes)
                else { return false }
                write(uuid.uuidString)
            case "NSURL":
                guard let address = address(value, depth: depth) else { return false }
                write(address)
            case "NSString", "NSMutableString":
                guard case .string(let string)? = target(list.member("NS.string", of: value))
                else { return false }
                write(string)
            case "NSData", "NSMutableData":
                guard case .data(let data)? = target(list.member("NS.data", of: value)) else {
                    return false
                }
                write(data.base64EncodedString())
            default: return false
            }
            return true
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

        /// Swift writes dictionaries whose keys are texts or whole numbers as objects.
        private mutating func writePairs(_ pairs: [(Value, Value)], depth: Int) -> Bool {
            var members: [(name: String, value: Value)] = []
            for (key, value) in pairs {
                switch target(key) {
                case .string(let name)?: members.append((name, value))
                case .integer(let number)?: members.append(("\(number)", value))
                default: return false
                }
            }
            text += "{"
            for (index, member) in members.sorted(by: { $0.name < $1.name }).enumerated() {
                if index > 0 { text += "," }
                write(member.name)
                text += ":"
                guard write(member.value, depth: depth + 1) else { return false }
            }
            text += "}"
            return true
        }
    }
}
