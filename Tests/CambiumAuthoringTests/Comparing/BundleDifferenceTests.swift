import CambiumSQL
import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What is compared with what, and what programs read of it.
struct BundleDifferenceTests {
    private static let sku = #"<attribute name="sku" type="string"/>"#
    private static let note = #"<attribute name="note" type="string" optional="true"/>"#

    /// Bodies of the one entity of a bundle's versions, by name.
    private func bundle(_ bodies: [String: String]) throws -> CheckedBundle {
        let folder = try BundleFolder(
            Dictionary(
                uniqueKeysWithValues: bodies.map { version, body in
                    (
                        "\(version).xml",
                        """
                        <model xmlns="urn:cambium:model:1" name="Shop" version="\(version)">
                        <entity name="Product">\(body)</entity></model>
                        """
                    )
                }))
        let (bundle, diagnostics) = CheckedBundle.read(folder.bundle.path)
        return try #require(bundle, "\(diagnostics.map(\.rendered))")
    }

    private struct Report: Decodable {
        struct Step: Decodable {
            struct Change: Decodable {
                let of: String
                let property: String?
                let change: String
                let summary: String
                let `class`: String
                let losesData: Bool
                let isUndecided: Bool
                let reason: String?
                let tables: [String]
            }
            struct Table: Decodable {
                let name: String
                let effect: String
                let causes: [String]
                let madeIndexes: [String]
                let droppedIndexes: [String]
            }
            struct Obstacle: Decodable {
                let message: String
                let fixes: [String]
            }
            struct Finding: Decodable {
                let code: String
                let path: String
                let line: Int
            }
            let from: String
            let to: String
            let `class`: String
            let losesData: Bool
            let hasShipped: Bool
            let changes: [Change]
            let tables: [Table]
            let obstacles: [Obstacle]
            let findings: [Finding]
        }
        let format: Int
        let model: String
        let steps: [Step]
    }

    private func report(_ difference: BundleDifference) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(difference.rendered(as: .json).utf8))
    }

    @Test func `a program reads of the JSON what there is to know`() throws {
        let path = BundleDifferenceGoldenTests.folder.path + "/Shop.cambium"
        let bundle = try #require(CheckedBundle.read(path).bundle)
        let report = try report(try bundle.difference(from: "1"))
        #expect(report.format == 1)
        #expect(report.model == "Shop")
        #expect(report.steps.map(\.from) == ["1", "2"])
        let first = try #require(report.steps.first)
        #expect(first.class == "needsData" && first.losesData && !first.hasShipped)
        let dropped = try #require(first.changes.first { $0.change == "attributeDropped" })
        #expect(dropped.reason == "a | never <shown> & *unused* note")
        #expect(dropped.class == "lossy" && dropped.tables == ["Product"])
        let product = try #require(first.tables.first { $0.name == "Product" })
        #expect(
            product.effect == "rebuild" && product.causes == ["Product.title", "Product.legacy"])
        #expect(first.tables.first { $0.name == "Note" }?.effect == "dropped")
        // What the author says is meant is not there.
        #expect(first.findings.map(\.code) == ["LQ202", "LQ303"])
        let last = try #require(report.steps.last)
        #expect(last.obstacles.count == 2 && last.obstacles.allSatisfy { !$0.fixes.isEmpty })
        #expect(last.changes.contains { $0.property == "number" && $0.isUndecided })
    }

    @Test func `a step to a version that is frozen has shipped`() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.appending(path: "cambium-\(UUID().uuidString)")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? files.removeItem(at: folder) }
        let path = folder.appending(path: "Shop.cambium").path()
        try files.copyItem(
            atPath: BundleDifferenceGoldenTests.folder.path + "/Shop.cambium", toPath: path)
        let hash = String(repeating: "0", count: 64)
        try "cambium-lock 2 sha256\n\(hash) \(hash) 2\n".write(
            toFile: path + "/cambium.lock", atomically: true, encoding: .utf8)
        let bundle = try #require(CheckedBundle.read(path).bundle)
        let report = try report(try bundle.difference(from: "1"))
        #expect(report.steps.map(\.hasShipped) == [true, false])
    }

    @Test func `without versions it is the step to the current one`() throws {
        let bundle = try bundle([
            "1": Self.sku, "2": Self.sku + Self.note, "3": Self.sku + Self.note,
        ])
        let steps = try bundle.difference().steps
        #expect(steps.map(\.from) == ["2"] && steps.map(\.to) == ["3"])
        #expect(try bundle.difference(from: "1").steps.count == 2)
        #expect(try bundle.difference(from: "1", to: "2").steps.map(\.to) == ["2"])
        #expect(try bundle.difference().rendered(as: .text).contains("nothing changed"))
        #expect(
            try bundle.difference(from: "2", to: "2").rendered(as: .text)
                == "Shop: the same version\n")
    }

    @Test func `versions that are not there, and the wrong order, are told`() throws {
        let bundle = try bundle(["1": Self.sku, "2": Self.sku])
        func message(_ body: () throws -> BundleDifference) -> String? {
            do {
                _ = try body()
                return nil
            } catch { return (error as? CheckedBundle.Failure)?.message }
        }
        #expect(
            message { try bundle.difference(from: "7") }
                == "There is no version '7'. There are: 1, 2.")
        #expect(
            message { try bundle.difference(from: "2", to: "1") }?.contains("comes first") == true)
        let single = try self.bundle(["1": Self.sku])
        #expect(message { try single.difference() }?.contains("only one version") == true)
    }

    @Test func `versions of two bundles are compared in one step`() throws {
        let old = try bundle(["1": Self.sku])
        let new = try bundle(
            [
                "1": Self.sku, "2": Self.sku + Self.note,
                "3": Self.sku + Self.note + #"<attribute name="size" type="int32" default="0"/>"#,
            ])
        let steps = try new.difference(from: old).steps
        #expect(steps.map(\.from) == ["1"] && steps.map(\.to) == ["3"])
        #expect(steps.first?.changes.map(\.word) == ["attributeAdded", "attributeAdded"])
        #expect(steps.first?.blockers.isEmpty == true)
        #expect(try old.difference(from: new, "2", to: "1").steps.first?.blockers.count == 1)
    }

    @Test func `what is declared about another step is none of this one`() throws {
        let old = try bundle(["1": Self.sku + Self.note])
        let folder = try BundleFolder([
            "2.xml": """
            <model xmlns="urn:cambium:model:1" name="Shop" version="2">
            <entity name="Product">\(Self.sku)\(Self.note)</entity></model>
            """,
            "3.xml": """
            <model xmlns="urn:cambium:model:1" name="Shop" version="3">
            <entity name="Product">\(Self.sku)</entity>
            <migration from="2"><drop entity="Product" property="note" reason="unused"/></migration>
            </model>
            """,
        ])
        let new = try #require(CheckedBundle.read(folder.bundle.path).bundle)
        #expect(try new.difference().steps.first?.blockers.isEmpty == true)
        let blockers = try #require(try new.difference(from: old).steps.first?.blockers)
        #expect(blockers.count == 1)
        #expect(blockers.first?.message.contains("Product.note of version 1 is missing") == true)
    }

    @Test func `what the author gave as the reason is there, whatever it is a reason for`() throws {
        let folder = try BundleFolder([
            "1.xml": """
            <model xmlns="urn:cambium:model:1" name="Shop" version="1">
            <entity name="Item">\(Self.sku)\(Self.note)
            <attribute name="size" type="int32" optional="true"/></entity></model>
            """,
            "2.xml": """
            <model xmlns="urn:cambium:model:1" name="Shop" version="2">
            <entity name="Product" renamedFrom="Item">\(Self.sku)
            <attribute name="size" type="int32"/><unique by="sku"/></entity>
            <migration from="1"><drop entity="Item" property="note" reason="unused"/>
            <drop entity="Item" where="sku == 'x'" reason="tried out"/>
            <require entity="Product" property="size" reason="always there"/>
            <deduplicate entity="Product" by="sku" reason="entered twice"/></migration></model>
            """,
        ])
        let bundle = try #require(CheckedBundle.read(folder.bundle.path).bundle)
        let step = try #require(try bundle.difference().steps.first)
        #expect(step.blockers.map(\.message) == [])
        let reasons = step.changes.compactMap { change in change.reason.map { (change.word, $0) } }
        #expect(
            Dictionary(uniqueKeysWithValues: reasons) == [
                "attributeDropped": "unused", "objectsDropped": "tried out",
                "attributeBecameRequired": "always there", "duplicatesDropped": "entered twice",
            ])
    }

    @Test func `changes that only the program sees have no class`() throws {
        let bundle = try bundle(["1": Self.sku, "2": Self.sku + #"<fetch name="all"/>"#])
        let difference = try bundle.difference()
        let change = try #require(try report(difference).steps.first?.changes.first)
        #expect(change.class == "program" && change.change == "requestAdded")
        #expect(change.property == "all")
        #expect(difference.rendered(as: .text).contains("program only  Add the request all"))
    }
}
