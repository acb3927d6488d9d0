import Foundation

/// Names that mean something in Swift, in the library or in generated code.
enum NameList {
    /// One of each kind that was troublesome: for every run.
    static let few: [String] =
        """
        Self let inout in none protocol String Int64 Date ID Snapshot Key EntityReference \
        FetchRequest CodingKeys RawValue Cambium id hash value description customMirror missing \
        model schema classes validateAQProperties _x é
        """.split(separator: " ").map(String.init)

    /// More that were troublesome.
    private static let usual: [String] =
        """
        Any Self Type Protocol self init let var inout in is none some nil default class where \
        protocol throws any actor open package repeat String Int Int64 Double Float Array Optional \
        Date UUID Data URL Decimal Sendable Codable Error Result Set Bool Never KeyPath Hashable \
        ID Snapshot Key ToOneKey EntityReference FetchRequest Model Entity Migration Root \
        Condition CodingKeys RawValue ManagedObject Cambium Swift id hash hashValue value entity \
        description customMirror awake missing rawValue context model schema classes migrations \
        currentModel earlierEntities newValue validator object key path storage request validateSubProperties \
        _ _x 1a a-b é 日本 ñame
        """.split(separator: " ").map(String.init) + [String(repeating: "long", count: 100)]

    /// All: those, Swift's keywords, the words of accepted generated code, and what the library's
    /// sources declare.
    static var all: [String] {
        let keywords =
            """
            actor as assignment associatedtype associativity async autoclosure available await \
            borrowing break case catch consume consuming continue convenience copy defer deinit \
            didSet discard distributed do dynamic each else enum escaping extension extern \
            fallthrough false file fileprivate final for func function get guard if import indirect \
            infix internal isolated lazy left line macro module mutating nonisolated nonmutating \
            objc of operator optional override postfix precedence precedencegroup preconcurrency \
            prefix private public read rethrows return right sending set static struct subscript \
            super switch then throw true try typealias unowned unsafe using weak while willSet yield
            """.split(separator: " ").map(String.init)
        let others =
            """
            Int8 Int16 Int32 UInt8 UInt Dictionary Void Character Substring Equatable Comparable \
            Encodable Decodable Encoder Decoder Hasher Mirror RawRepresentable CaseIterable \
            Identifiable Collection Sequence AllCases CodingKey Foundation Destination Keys \
            Regex Range Duration Task MainActor Actor AnyObject type print min max abs zip
            """.split(separator: " ").map(String.init)
        let members = words.filter { $0.contains(/^[a-z][A-Za-z]*$/) && $0.utf8.count < 25 }
        let names = Set(few + usual + keywords + others + members).union(libraryTypes)
            .union(declared(in: "Sources/Cambium/Object"))
        return names.filter { $0.utf8.count < 1000 }.sorted()
    }

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Those, and the types that generated code uses: what a model's own name could hide. A model's
    /// name is that of a file.
    static var types: [String] {
        Set(few + usual + words.filter { $0.contains(/^[A-Z]/) && libraryTypes.contains($0) })
            .filter { $0.utf8.count < 200 }.sorted()
    }

    /// The words of the accepted Swift of the fixtures.
    private static let words = Set(
        texts(in: "Tests/CambiumCompilerTests/Cases/Emitting/Models").flatMap { text in
            ((try? SwiftTokenizer.tokens(of: text)) ?? []).compactMap { token in
                if case .word(let word) = token { word } else { nil }
            }
        })

    private static func declared(in folder: String) -> [String] {
        let declaration = /\b(?:var|let|func|struct|class|enum|protocol|typealias)\s+([A-Za-z]\w*)/
        return texts(in: folder).flatMap { text in
            text.matches(of: declaration).map { String($0.1) }
        }
    }

    private static let libraryTypes = Set(
        ["Sources/Cambium", "Sources/CambiumModel", "Sources/CambiumMigration"].flatMap(declared)
            .filter { $0.first?.isUppercase == true })

    private static func texts(in folder: String) -> [String] {
        let folder = root.appendingPathComponent(folder)
        let files = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        return (files ?? []).filter { $0.hasSuffix(".swift") }.sorted().compactMap {
            try? String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8)
        }
    }
}
