import CambiumModel
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

struct MappingModelReaderTests {
    /// A mapping of one entity with these attributes, in XML.
    private func mapping(
        entity: String, attributes: String = "", ids: String = ""
    ) -> SourceText {
        let text = """
            <?xml version="1.0" standalone="yes"?>
            <!DOCTYPE database SYSTEM "file:///System/Library/DTDs/CoreData.dtd">

            <database>
                <object type="XDDEVMAPPINGMODEL" id="z1">
                    <attribute name="sourcemodelpath" type="string">Shop.xcdatamodeld/Shop 2.xcdatamodel</attribute>
                    <attribute name="sourcemodeldata" type="binary">\(String(repeating: "AAAA", count: 20_000))
            </attribute>
                    <relationship name="entitymappings" type="0/0" destination="XDDEVENTITYMAPPING" idrefs="z2"></relationship>
                </object>
                <object type="XDDEVENTITYMAPPING" id="z2">
                    \(entity)
                    <relationship name="attributemappings" idrefs="\(ids)"></relationship>
                </object>
                \(attributes)
            </database>
            """
        return SourceText(path: "xcmapping.xml", bytes: Array(text.utf8))
    }

    private func names(_ source: String?, _ destination: String?) -> String {
        [("sourcename", source), ("destinationname", destination)].compactMap { name, value in
            value.map { "<attribute name=\"\(name)\" type=\"string\">\($0)</attribute>" }
        }.joined()
    }

    @Test func `another name is a rename`() throws {
        let text = try MappingModelReader.migration(
            from: mapping(entity: names("Group", "Category")))
        #expect(
            text == """
                <migration from="Shop 2">
                  <rename entity="Category" from="Group"/>
                </migration>

                """)
    }

    @Test func `a policy is a step to write, and can end no comment`() throws {
        let policy = "<attribute name=\"migrationpolicyclassname\">A--B-</attribute>"
        let text = try MappingModelReader.migration(
            from: mapping(entity: names("Category", "Category") + policy))
        #expect(
            text == """
                <migration from="Shop 2">
                  <!-- Category is migrated by the class A- -B- 
                       <step name="migrateCategory"/> -->
                </migration>

                """)
        let source = SourceText(path: "1.xml", bytes: Array(text.utf8))
        #expect(try XMLReader.read(source).children.isEmpty)
    }

    @Test(arguments: ["<a/>", "<database/>", "", "bplist00"])
    func `what is no mapping model is refused`(text: String) {
        #expect(throws: Diagnostic.self) {
            try MappingModelReader.migration(
                from: SourceText(path: "xcmapping.xml", bytes: Array(text.utf8)))
        }
    }

    @Test func `damaged archives are no expression and no crash`() throws {
        var generator = Steps(state: 1)
        for _ in 0..<2000 {
            var bytes = Array("bplist00".utf8)
            for _ in 0..<Int.random(in: 40...200, using: &generator) {
                bytes.append(UInt8.random(in: 0...255, using: &generator))
            }
            let trailer: [UInt8] = [
                0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                0, 0, 0, UInt8(bytes.count),
            ]
            let archive = bytes + Array(8...15) + trailer
            _ = ArchivedExpression(base64: Data(archive).base64EncodedString())
            if let list = BinaryPropertyList(archive) {
                for index in 0..<8 { _ = list.value(index) }
            }
        }
        #expect(ArchivedExpression(base64: "AAAA") == nil)
    }
}

/// Always the same numbers.
private struct Steps: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
