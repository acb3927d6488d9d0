import CompilerTestSupport
import Testing

@testable import CambiumCompiler

/// What is a warning in Xcode's file is none the worse in the file that it becomes.
struct ConvertedFindingsTests {
    private static let other = """
        <entity name="Cat" representedClassName="Cat">
          <attribute name="name" optional="YES" attributeType="String"/>
          <relationship name="products" optional="YES" toMany="YES" destinationEntity="Product"
              inverseName="cat" inverseEntity="Product"/></entity>
        """

    private static func product(_ properties: String = "", after: String = "") -> String {
        """
        <entity name="Product" representedClassName="Product">
          <attribute name="title" optional="YES" attributeType="String"/>\(properties)
          <relationship name="cat" optional="YES" maxCount="1" destinationEntity="Cat"
              inverseName="products" inverseEntity="Cat"/></entity>\(other)\(after)
        """
    }

    @Test(arguments: [
        (
            "a configuration cuts a link", DiagnosticCode.separatedInXcode,
            product(after: #"<configuration name="C"><memberEntity name="Cat"/></configuration>"#)
        ),
        (
            "a fetched property counts", .inertOption,
            product(
                #"<fetchedProperty name="all" optional="YES"><fetchRequest "#
                    + #"name="fetchedPropertyFetchRequest" entity="Product" resultType="4"/>"#
                    + "</fetchedProperty>")
        ),
        (
            "a name of the runtime", .renamedInSwift,
            product(#"<attribute name="objectID" optional="YES" attributeType="String"/>"#)
        ),
        (
            "a derived value that can be nil", .madeOptional,
            product(
                #"<attribute name="d" attributeType="String" derived="YES" "#
                    + #"derivationExpression="cat.name"/>"#)
        ),
        (
            "a class name that is taken", .renamedInSwift,
            product(after: #"<entity name="Old" representedClassName="ManagedObject"/>"#)
        ),
    ])
    func `the converted file has the same findings`(
        what: String, code: DiagnosticCode, content: String
    ) throws {
        let folder = try XcodeBundleFolder([content])
        let before = ModelCompiler.compile(folder.path).diagnostics
        #expect(before.map(\.code).contains(code), "\(before.map(\.rendered))")
        #expect(!before.hasErrors)
        let after = ModelCompiler.compile(try folder.convert()).diagnostics
        #expect(after.map(\.code).contains(code), "\(after.map(\.rendered))")
        #expect(!after.hasErrors, "\(after.map(\.rendered))")
    }

    @Test func `a file that was written here has them as errors`() throws {
        let folder = try BundleFolder([
            "1.xml": """
            <model xmlns="urn:cambium:model:1" name="Shop" version="1">
              <entity name="A"><attribute name="objectID" type="string"/></entity>
            </model>
            """
        ])
        #expect(
            ModelCompiler.compile(folder.bundle.path).diagnostics.map(\.code) == [.reservedName])
    }
}
