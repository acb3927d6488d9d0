import Foundation
import Testing

@testable import CambiumCompiler

/// Real models from public repositories, where they lie beside the package.
enum Corpus {
    static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("shared/corpus")

    static let isPresent = FileManager.default.fileExists(atPath: folder.path)

    /// What a test that needs them says where they are not.
    static let absence: Comment = "../shared/corpus is not there: real models are left out"

    /// Whether all of it is gone through, in minutes, which `Scripts/test-long.sh` asks for.
    static let isWhole = ProcessInfo.processInfo.environment["CAMBIUM_WHOLE_CORPUS"] != nil

    /// What the samples of this run begin with; `CAMBIUM_SEED` repeats them.
    private static let seed: UInt64 = {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("samples: CAMBIUM_SEED=\(seed)")
        return seed
    }()

    /// One in so many, others in each run; a run over the whole corpus takes all.
    static func sample<Element>(_ elements: [Element], oneIn count: Int) -> [Element] {
        guard !isWhole else { return elements }
        let first = Int(seed % UInt64(count))
        return stride(from: first, to: elements.count, by: count).map { elements[$0] }
    }

    /// The bundles and the models that are in none.
    static let bundles: [String] = {
        let root = folder.appendingPathComponent("models").path
        guard let walk = FileManager.default.enumerator(atPath: root) else { return [] }
        var found: [String] = []
        while let path = walk.nextObject() as? String {
            guard path.hasSuffix(".xcdatamodeld") || path.hasSuffix(".xcdatamodel") else {
                continue
            }
            walk.skipDescendants()
            found.append(root + "/" + path)
        }
        return found.sorted()
    }()
}

/// A tree that compares as XML does: the order of attributes means nothing, nor does white space
/// around text.
struct XMLTree: Hashable, CustomStringConvertible {
    let name: String
    let attributes: [String: String]
    let children: [XMLTree]
    let text: String

    /// Takes all but elements of some names.
    init(_ element: ParsedElement, without names: Set<String> = []) {
        name = element.name
        attributes = Dictionary(
            element.attributes.filter { !$0.name.hasPrefix("xmlns") }.map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first })
        children = element.children.filter { !names.contains($0.name) }.map {
            XMLTree($0, without: names)
        }
        text = element.text.trimmed.value
    }

    init(name: String, attributes: [String: String], children: [XMLTree], text: String) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// With children of one kind together, in the order of the kinds' names: what kinds are mixed
    /// in which way means nothing.
    var grouped: XMLTree {
        let sorted = children.map(\.grouped).enumerated().sorted {
            ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
        }
        return XMLTree(
            name: name, attributes: attributes, children: sorted.map(\.element), text: text)
    }

    var description: String {
        let words = attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\"\($0.value)\"" }
        return "<\(name)\(words.joined())>\(text)"
    }

    /// What is not equal, as far as the first few.
    func differences(from other: XMLTree, at path: String = "") -> [String] {
        guard self != other else { return [] }
        let place = "\(path)/\(name)"
        guard name == other.name, attributes == other.attributes, text == other.text else {
            return ["\(path): \(self) is not \(other)"]
        }
        guard children.count == other.children.count else {
            return [
                "\(place) \(attributes["name"] ?? ""): \(children.map(\.description))"
                    + " are not \(other.children.map(\.description))"
            ]
        }
        return zip(children, other.children).flatMap { $0.differences(from: $1, at: place) }
    }
}
