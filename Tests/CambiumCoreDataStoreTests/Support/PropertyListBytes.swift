import CambiumModel

/// Writes the binary form of a property list.
indirect enum PropertyListBytes {
    case string(String)
    case integer(Int)
    case unsigned(UInt64)
    case real(Double)
    case bool(Bool)
    case data([UInt8])
    case array([PropertyListBytes])
    case dictionary([(String, PropertyListBytes)])
    case reference(Int)

    /// The whole list.
    var bytes: Data {
        var writer = Writer()
        let root = writer.add(self)
        return writer.finish(root)
    }

    private struct Writer {
        var objects: [[UInt8]] = []

        mutating func add(_ value: PropertyListBytes) -> Int {
            let index = objects.count
            objects.append([])
            switch value {
            case .string(let text):
                objects[index] =
                    text.utf8.allSatisfy { $0 < 0x80 }
                    ? counted(0x5, text.utf8.count) + Array(text.utf8)
                    : counted(0x6, text.utf16.count)
                        + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            case .integer(let number): objects[index] = [0x13] + big(number, 8)
            case .unsigned(let number):
                objects[index] = [0x14] + big(0, 8) + big(Int(truncatingIfNeeded: number), 8)
            case .real(let number):
                objects[index] = [0x23] + big(Int(bitPattern: UInt(number.bitPattern)), 8)
            case .bool(let flag): objects[index] = [flag ? 9 : 8]
            case .data(let bytes): objects[index] = counted(0x4, bytes.count) + bytes
            case .array(let members):
                let numbers = members.map { add($0) }
                objects[index] = counted(0xA, members.count) + numbers.flatMap { big($0, 2) }
            case .dictionary(let pairs):
                let keys = pairs.map { add(.string($0.0)) }
                let values = pairs.map { add($0.1) }
                objects[index] =
                    counted(0xD, pairs.count) + (keys + values).flatMap { big($0, 2) }
            case .reference(let number): objects[index] = [0x81] + big(number, 2)
            }
            return index
        }

        func finish(_ root: Int) -> Data {
            var bytes = Array("bplist00".utf8)
            var offsets: [Int] = []
            for object in objects {
                offsets.append(bytes.count)
                bytes += object
            }
            let table = bytes.count
            bytes += offsets.flatMap { big($0, 4) }
            bytes += [0, 0, 0, 0, 0, 0, 4, 2] + big(objects.count, 8) + big(root, 8)
            return Data(bytes + big(table, 8))
        }

        private func counted(_ kind: UInt8, _ count: Int) -> [UInt8] {
            count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x12] + big(count, 4)
        }

        private func big(_ number: Int, _ size: Int) -> [UInt8] {
            (0..<size).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        }
    }
}

extension PropertyListBytes {
    /// A keyed archive of objects; the first is the root.
    static func archive(_ objects: [PropertyListBytes]) -> Data {
        PropertyListBytes.dictionary([
            ("$archiver", .string("NSKeyedArchiver")),
            ("$top", .dictionary([("root", .reference(1))])),
            ("$objects", .array([.string("$null")] + objects)),
        ]).bytes
    }

    /// The class of an archived object.
    static func archivedClass(_ name: String) -> PropertyListBytes {
        .dictionary([("$classname", .string(name)), ("$classes", .array([.string(name)]))])
    }
}
