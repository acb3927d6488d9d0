import Cambium
import CambiumModel
import Foundation
import Synchronization

/// What a program sees, line by line, in words that are the same for every store: an object is named by
/// the order in which it is met, not by its key.
///
/// Policies of the program's own write to it, too, which is why it is safe to share.
final class Transcript: Sendable {
    private struct State {
        var lines: [String] = []
        var names: [[UInt8]: Int] = [:]
    }

    private let state = Mutex(State())

    var lines: [String] { state.withLock(\.lines) }

    func add(_ line: String) {
        state.withLock { state in
            let line = Self.named(line, &state.names)
            state.lines.append(line)
        }
    }

    /// The line with the numbers of objects (`Thing/17`) in the order of their appearance.
    private static func named(_ line: String, _ names: inout [[UInt8]: Int]) -> String {
        let line = Array(line.utf8)
        var result: [UInt8] = []
        var index = 0
        while index < line.count {
            let byte = line[index]
            result.append(byte)
            index += 1
            guard byte == UInt8(ascii: "/"), isLetter(result.dropLast().last) else { continue }
            let digits = line[index...].prefix(while: isDigit)
            guard !digits.isEmpty else { continue }
            let start = result.dropLast().lastIndex { !isLetter($0) } ?? -1
            let name = Array(result[(start + 1)...] + digits)
            if names[name] == nil { names[name] = names.count + 1 }
            result += Array("\(names[name] ?? 0)".utf8)
            index += digits.count
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8?) -> Bool {
        byte.map { ($0 | 32) >= UInt8(ascii: "a") && ($0 | 32) <= UInt8(ascii: "z") } ?? false
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9")
    }

    // MARK: Words

    /// A version: the row of an object that is inserted again begins at what the clock says. Two of one
    /// save may have the same or not.
    static func words(version: Int64) -> String {
        version < 1 << 40 ? "\(version)" : "clock"
    }

    /// An error, without what the store says of its cause: where it keeps a large value.
    static func words(_ error: any Error) -> String {
        (error as? StoreError).map { "\($0.code), \($0.message)" } ?? "\(error)"
    }

    static func words(_ value: Value) -> String {
        switch value {
        case .double(let value): "\(value == 0 ? 0 : value)"
        case .date(let date): "\(date.timeIntervalSinceReferenceDate)"
        case .string(let text): "'\(text)'"
        case .data(let data): "\(data.count) bytes from \(data.first ?? 0)"
        default: "\(value)"
        }
    }

    static func words(_ values: [String: Value]) -> String {
        values.sorted { $0.key < $1.key }.map { "\($0)=\(words($1))" }.joined(separator: " ")
    }

    /// Values of an object, among them the keys of those that it references: other ones in each store.
    static func words(_ values: [String: Value], _ relationships: [Relationship]) -> String {
        let destinations = Dictionary(
            relationships.map { ($0.name, $0.destination) }, uniquingKeysWith: { one, _ in one })
        return values.sorted { $0.key < $1.key }.map { name, value in
            if let destination = destinations[name], case .int(let key) = value {
                return "\(name)=\(destination)/\(key)"
            }
            return "\(name)=\(words(value))"
        }.joined(separator: " ")
    }

    static func words(_ values: [String: PropertyValue]) -> String {
        values.sorted { $0.key < $1.key }.map { name, value in
            if case .value(let value) = value { return "\(name)=\(words(value))" }
            return "\(name)=\(value)"
        }.joined(separator: " ")
    }

    static func words(_ ids: some Sequence<ObjectID>) -> String {
        ids.sorted { ($0.entityName, $0.key) < ($1.entityName, $1.key) }.map(\.description)
            .joined(separator: " ")
    }

    static func words(_ ids: [ObjectID: Set<String>]) -> String {
        ids.sorted { ($0.key.entityName, $0.key.key) < ($1.key.entityName, $1.key.key) }
            .map { "\($0)\($1.sorted())" }.joined(separator: " ")
    }
}
