import CambiumCompiler
import CambiumModel
import Foundation

/// The expression of a mapping. Xcode stores it as an archive.
indirect enum ArchivedExpression: Hashable {
    /// A value, as our language writes it.
    case constant(String)
    /// A path from the object that is migrated.
    case sourcePath(String)
    /// A method of the migration policy, by its selector.
    case policy(selector: String, arguments: [ArchivedExpression])
    /// Another expression, as text.
    case other(String)

    /// Reads an archive in Base64; nil if it is not an archive.
    init?(base64: String) {
        let text = base64.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: text), let list = BinaryPropertyList([UInt8](data)),
            let archive = KeyedArchive(list)
        else { return nil }
        self = archive.expression(archive.root, depth: 0)
    }

    /// The expression as a person reads it.
    var text: String {
        switch self {
        case .constant(let literal): literal
        case .sourcePath(let path): path
        case .policy(let selector, let arguments):
            "\(selector) of the policy"
                + (arguments.isEmpty
                    ? "" : " with \(arguments.map(\.text).joined(separator: ", "))")
        case .other(let words): words
        }
    }
}

/// An archive of objects by their keys.
private struct KeyedArchive {
    let list: BinaryPropertyList
    let objects: [Int]
    let root: [String: BinaryPropertyList.Value]

    init?(_ list: BinaryPropertyList) {
        guard case .array(let objects)? = list.dictionary["$objects"],
            case .dictionary(let top)? = list.dictionary["$top"]
        else { return nil }
        self.list = list
        self.objects = objects
        var root: [String: BinaryPropertyList.Value]?
        for (key, value) in top {
            guard case .string("root") = list.value(key),
                case .reference(let number) = list.value(value), objects.indices.contains(number)
            else { continue }
            root = list.members(of: objects[number])
        }
        guard let root else { return nil }
        self.root = root
    }

    private typealias Members = [String: BinaryPropertyList.Value]

    /// The object that a value refers to.
    private func target(_ value: BinaryPropertyList.Value?) -> BinaryPropertyList.Value? {
        guard case .reference(let number)? = value else { return value }
        return objects.indices.contains(number) ? list.value(objects[number]) : nil
    }

    private func members(_ value: BinaryPropertyList.Value?) -> Members {
        guard case .reference(let number)? = value, objects.indices.contains(number) else {
            return [:]
        }
        return list.members(of: objects[number])
    }

    private func string(_ value: BinaryPropertyList.Value?) -> String? {
        guard case .string(let text)? = target(value) else { return nil }
        return text
    }

    func expression(_ object: [String: BinaryPropertyList.Value], depth: Int) -> ArchivedExpression
    {
        // An archive can refer to itself.
        guard depth < 16 else { return .other("an expression that is nested too deep") }
        let name = string(members(object["$class"])["$classname"]) ?? "an object without a class"
        switch name {
        case "NSConstantValueExpression":
            return constant(object["NSConstantValue"])
        case "NSVariableExpression":
            return .other("$" + (string(object["NSVariable"]) ?? "?"))
        case "NSKeyPathSpecifierExpression":
            return .other(string(object["NSKeyPath"]) ?? "?")
        case "NSKeyPathExpression", "NSFunctionExpression":
            return function(object, depth: depth)
        default:
            return .other("a value of the class \(name)")
        }
    }

    private func function(
        _ object: [String: BinaryPropertyList.Value], depth: Int
    ) -> ArchivedExpression {
        let selector = string(object["NSSelectorName"]) ?? "?"
        let operand = expression(members(object["NSOperand"]), depth: depth + 1).text
        var arguments: [ArchivedExpression] = []
        if case .array(let items)? = members(object["NSArguments"])["NS.objects"] {
            arguments = items.map {
                expression(members(list.value($0)), depth: depth + 1)
            }
        }
        if operand == "$source", selector == "valueForKeyPath:" || selector == "valueForKey:",
            let path = arguments.first
        {
            // The path is a constant if it was typed as a string.
            return .sourcePath(path.text.filter { $0 != "'" })
        }
        if operand == "$entityPolicy" { return .policy(selector: selector, arguments: arguments) }
        let words = [operand, "\"\(selector)\""] + arguments.map(\.text)
        return .other("FUNCTION(\(words.joined(separator: ", ")))")
    }

    private func constant(_ value: BinaryPropertyList.Value?) -> ArchivedExpression {
        switch target(value) {
        case .string("$null"), nil: return .constant("nil")
        case .string(let text):
            let escaped = text.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return .constant("'\(escaped)'")
        case .integer(let number): return .constant(String(number))
        case .real(let number): return .constant(String(number))
        case .bool(let flag): return .constant(flag ? "TRUE" : "FALSE")
        default: return .other("a constant")
        }
    }
}
