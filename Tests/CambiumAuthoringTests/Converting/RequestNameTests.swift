import CompilerTestSupport
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// Requests of Xcode's have names that no function of Swift can have.
struct RequestNameTests {
    /// A model of Xcode's with a request of that name.
    private func files(_ name: String) -> [(path: String, contents: String)] {
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" \
            lastSavedToolsVersion="1" systemVersion="1" minimumToolsVersion="Automatic" \
            sourceLanguage="Swift" userDefinedModelVersionIdentifier="">
                <entity name="A" representedClassName="A" syncable="YES" codeGenerationType="class">
                    <attribute name="x" attributeType="String"/>
                    <userInfo>
                        <entry key="cambium.fetch.\(name).sort" value="x"/>
                    </userInfo>
                </entity>
                <fetchRequest name="\(name)" entity="A" predicateString="x == $X"/>
            </model>
            """
        return [("Shop.xcdatamodeld/Shop.xcdatamodel/contents", text)]
    }

    @Test(arguments: [
        ("New this week", "New_this_week"), ("2024", "fetch2024"), ("a-b.c", "a_b_c"),
        ("_x", "fetch_x"), ("Größe 2", "Größe_2"), ("!", "fetch_"),
        ("(1); exit(0)", "fetch_1___exit_0_"),
    ])
    func `a name that is no identifier becomes one, with a warning that has both`(
        name: String, legal: String
    ) throws {
        let (bundle, diagnostics) = try readBack(files(name))
        #expect(diagnostics.map(\.code) == [.renamedInSwift])
        #expect(
            diagnostics.first?.message
                == "'\(name)' is not an identifier; in Swift it is '\(legal)'")
        let (model, errors) = ModelChecker.check(
            try #require(bundle.versions.first), bundleName: "Shop", previousVersion: nil,
            previous: nil)
        #expect(!errors.hasErrors, "\(errors.map(\.rendered))")
        let template = try #require(model?.model.entities.first?.fetchTemplates.first)
        #expect(template.name == legal)
        #expect(template.sort.count == 1)
    }

    @Test(arguments: ["New this week", "2024", "byName"])
    func `the name comes back from Cambium's own XML`(name: String) throws {
        let (bundle, _) = try readBack(files(name))
        let (own, diagnostics) = try readBack(ModelConverter.ownBundle(from: bundle))
        #expect(diagnostics.isEmpty)
        let (back, _) = try readBack(ModelConverter.xcodeBundle(from: own))
        let written = XMLTree(try XMLReader.read(try #require(bundle.versions.first).source))
        let restored = XMLTree(try XMLReader.read(try #require(back.versions.first).source))
        #expect(restored.differences(from: written).isEmpty)
    }
}
