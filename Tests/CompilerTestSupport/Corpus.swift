import CambiumCompiler
import Foundation
import Testing

/// Real models from public repositories, if they are in a folder beside the package.
package enum Corpus {
    package static let folder = TestModels.package.deletingLastPathComponent()
        .appendingPathComponent("shared/corpus")

    package static let isPresent = FileManager.default.fileExists(atPath: folder.path)

    /// The comment of a test that is skipped because the models are missing.
    package static let absence: Comment = "../shared/corpus is not there: real models are left out"

    /// Whether tests use all models, which takes minutes. `Scripts/test-long.sh` requests this.
    package static let isWhole = ProcessInfo.processInfo.environment["CAMBIUM_WHOLE_CORPUS"] != nil

    /// The seed of this run's samples. Set `CAMBIUM_SEED` to repeat them.
    private static let seed: UInt64 = {
        let environment = ProcessInfo.processInfo.environment
        let text = environment["CAMBIUM_SEED"] ?? environment["CAMBIUM_SEED_BASE"]
        let seed = text.flatMap { UInt64($0) } ?? .random(in: 0 ... .max)
        print("samples: CAMBIUM_SEED=\(seed)")
        return seed
    }()

    /// Whether a run has full size. `Scripts/test-long.sh` sets `CAMBIUM_FULL_SIZE` for this.
    package static let isFull = ProcessInfo.processInfo.environment["CAMBIUM_FULL_SIZE"] != nil

    /// Returns every n-th element. Each run starts at another one. A run over all models returns
    /// all elements.
    ///
    /// - Parameter full: The interval in a run of full size.
    package static func sample<Element>(
        _ elements: [Element], oneIn count: Int, full: Int? = nil
    ) -> [Element] {
        let count = isWhole ? 1 : isFull ? full ?? count : count
        let first = Int(seed % UInt64(count))
        return stride(from: first, to: elements.count, by: count).map { elements[$0] }
    }

    /// The declarations for the migrations of a model. Some models have such a file.
    package static func history(of name: String) -> URL {
        TestModels.package.appendingPathComponent(
            "Tests/CambiumCompilerTests/Histories/\(name).history.xml")
    }

    /// The bundles, and the models without a bundle.
    package static let bundles: [String] = {
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

    /// The bundles without those with a hundred versions, which are slow in a debug build.
    package static let shorterBundles = bundles.filter { path in
        isWhole || !["WooCommerce", "zmessaging"].contains { path.contains($0) }
    }
}

/// The folders and models of the tests.
package enum TestModels {
    /// The package.
    package static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// The folders with an example of each diagnostic and a corrected one.
    package static let diagnosticCases = package.appendingPathComponent(
        "Tests/CambiumCompilerTests/Cases/Diagnostics")
}

/// A tree with XML's equality: the order of attributes and white space around text are ignored.
package struct XMLTree: Hashable, CustomStringConvertible {
    package let name: String
    package let attributes: [String: String]
    package let children: [XMLTree]
    package let text: String

    /// Creates a tree without the elements of some names.
    package init(_ element: ParsedElement, without names: Set<String> = []) {
        name = element.name
        attributes = Dictionary(
            element.attributes.filter { !$0.name.hasPrefix("xmlns") }.map { ($0.name, $0.value) },
            uniquingKeysWith: { first, _ in first })
        children = element.children.filter { !names.contains($0.name) }.map {
            XMLTree($0, without: names)
        }
        text = element.text.trimmed.value
    }

    package init(name: String, attributes: [String: String], children: [XMLTree], text: String) {
        self.name = name
        self.attributes = attributes
        self.children = children
        self.text = text
    }

    /// The same tree with the children grouped by their kind, in the order of the kinds' names: the
    /// order of children of different kinds is ignored.
    package var grouped: XMLTree {
        let sorted = children.map(\.grouped).enumerated().sorted {
            ($0.element.name, $0.offset) < ($1.element.name, $1.offset)
        }
        return XMLTree(
            name: name, attributes: attributes, children: sorted.map(\.element), text: text)
    }

    package var description: String {
        let words = attributes.sorted { $0.key < $1.key }.map { " \($0.key)=\"\($0.value)\"" }
        return "<\(name)\(words.joined())>\(text)"
    }

    /// Descriptions of the first few differences.
    package func differences(from other: XMLTree, at path: String = "") -> [String] {
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
