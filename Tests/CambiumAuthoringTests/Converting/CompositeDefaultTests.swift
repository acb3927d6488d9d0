import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What the initializer of a composite value fills in, in a model that went to Xcode's format.
struct CompositeDefaultTests {
    private static let version = """
        <model xmlns="urn:cambium:model:1" name="Shop" version="1">
          <enum name="Kind"><case name="home"/><case name="work" value="W"/></enum>
          <composite name="Spot">
            <attribute name="latitude" type="double" default="1.5"/>
            <attribute name="isExact" type="bool" default="true"/>
          </composite>
          <composite name="Address">
            <attribute name="street" type="string" default="a &quot;b&quot;"/>
            <attribute name="city" type="string"/>
            <attribute name="number" type="int32" default="7"/>
            <attribute name="kind" type="Kind" default="work"/>
            <attribute name="note" type="string" optional="true"/>
            <attribute name="since" type="date" default="now"/>
            <attribute name="spot" type="Spot" optional="true"/>
          </composite>
          <entity name="Person"><attribute name="home" type="Address"/></entity>
        </model>
        """

    /// The structs of the composites, with one space for all white space.
    private func structs(of path: String) throws -> [String] {
        let bundle = try #require(ModelCompiler.compile(path).bundle)
        let text = bundle.swiftFiles().map(\.contents).joined()
        return text.matches(of: /struct (?:Spot|Address): (?:.|\n)*?\n\}/).map {
            $0.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
    }

    @Test func `the defaults of parts come back from Xcode's format`() throws {
        let folder = try BundleFolder(["1.xml": Self.version])
        let (parsed, _) = BundleReader.read(folder.bundle.path)
        for (path, contents) in ModelConverter.xcodeBundle(from: parsed) {
            let file = folder.url.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(contents.utf8).write(to: file)
        }
        let own = try structs(of: folder.bundle.path)
        #expect(own.count == 2)
        #expect(own.contains { $0.contains("latitude: Double = 1.5, isExact: Bool = true") })
        #expect(own.contains { $0.contains("number: Int32 = 7, kind: Kind = .work") })
        let xcode = folder.url.appendingPathComponent("Shop.xcdatamodeld").path
        #expect(try structs(of: xcode) == own)
    }
}
