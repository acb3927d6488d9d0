import Foundation
import Testing

@testable import CambiumCompiler

@Suite("Names that the runtime has are reserved")
struct ReservedNamesTests {
    /// The sources that declare what every object has.
    private static var sources: [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let objects = root.appendingPathComponent("Sources/Cambium/Object")
        let files = FileManager.default.enumerator(atPath: objects.path)?.compactMap {
            $0 as? String
        }
        let paths =
            (files ?? []).filter { $0.hasSuffix(".swift") }.map {
                objects.appendingPathComponent($0)
            }
            + [root.appendingPathComponent("Sources/Cambium/Fetching/FetchRequest.swift")]
        return paths.compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }

    /// The lines of what a source declares about every object.
    private static func lines(of source: String) -> [Substring] {
        var isOfObjects = false
        return source.split(separator: "\n").filter { line in
            if !line.hasPrefix(" "), line.contains("{") {
                isOfObjects = line.contains(
                    /(?:class|extension) ManagedObject\b|extension EntityKeys/)
            }
            return isOfObjects
        }
    }

    /// Properties, and functions without arguments: what a property of that name would collide
    /// with. (Methods with arguments are told apart by them.)
    private static func members(of source: String) -> [String] {
        lines(of: source).compactMap { line in
            var words = line.split(separator: " ").map(String.init)[...]
            guard line.hasPrefix("    "), !line.hasPrefix("     ") else { return nil }
            guard words.first == "public" || words.first == "open" else { return nil }
            while let word = words.first, !["var", "let", "func"].contains(word) {
                guard ["public", "open", "final", "class", "static"].contains(word) else {
                    return nil
                }
                words.removeFirst()
            }
            let isFunction = words.first == "func"
            guard let declaration = words.dropFirst().first else { return nil }
            let name = declaration.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
            if isFunction, !declaration.hasPrefix("\(name)()") { return nil }
            return name.hasPrefix("_") || name.isEmpty ? nil : String(name)
        }
    }

    @Test("Each member that a property could collide with is on the list")
    func members() {
        let members = Set(Self.sources.flatMap(Self.members))
        #expect(members.count > 15, "The sources are read")
        // A property may hide the method of a protocol's extension.
        let missing = members.subtracting(ReservedNames.properties).subtracting(["snapshot"])
            .sorted()
        #expect(missing == [], "Add them to ReservedNames.members")
    }

    @Test("Each type that every object has as a member is on the list")
    func memberTypes() {
        let types = Self.sources.flatMap(Self.lines).compactMap { line in
            line.firstMatch(of: /^    public (?:typealias|struct|enum|class) (\w+)/).map {
                String($0.1)
            }
        }
        #expect(types.sorted() == ["ID", "Snapshot"])
        #expect(Set(types).isSubset(of: GeneratedNames.hiddenTypes))
    }

    @Test("Names that real models have are free")
    func free() {
        let names = [
            "type", "id", "version", "model", "order", "group", "to", "index", "values", "key",
            "text", "default", "class", "value", "record", "flags", "state", "page", "store",
            "name", "title", "tags", "date", "data", "user", "status", "count", "isActive",
        ]
        #expect(names.filter(ReservedNames.members.contains) == [])
    }
}
