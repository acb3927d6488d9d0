import CambiumModel
import Testing

@testable import CambiumCompiler

/// The result of checking the text of version 1 of the model Shop.
func check(_ text: String) throws -> (model: CheckedModel?, diagnostics: [Diagnostic]) {
    let source = SourceText(path: "1.xml", bytes: Array(text.utf8))
    let parsed = ParsedModel(source: source, version: "1", root: try XMLReader.read(source))
    return ModelChecker.check(parsed, bundleName: "Shop", previousVersion: nil, previous: nil)
}

struct ModelCheckerTests {
    private func model(_ body: String) throws -> Model {
        let (model, diagnostics) = try check(
            "<model xmlns='urn:cambium:model:1' name='Shop' version='1'>\(body)</model>")
        let unexpected = diagnostics.filter { $0.code != .unusedType }
        #expect(unexpected.map(\.rendered) == [])
        return try #require(model).model
    }

    @Test func `an attribute is required and stored unless it says otherwise`() throws {
        let model = try model("<entity name='A'><attribute name='x' type='string'/></entity>")
        #expect(
            model.entities == [Entity(name: "A", attributes: [Attribute(name: "x", type: .string)])]
        )
    }

    @Test(arguments: AttributeType.words.keys.sorted() + ["codable"])
    func `no type of a model has the word of an attribute type`(_ word: String) throws {
        let (_, diagnostics) = try check(
            """
            <model xmlns='urn:cambium:model:1' name='Shop' version='1'>
            <enum name='\(word)'><case name='a'/></enum></model>
            """)
        #expect(diagnostics.map(\.code).contains(.reservedName))
    }

    @Test func `a quotient of durations by a constant is never nil`() throws {
        let model = try model(
            """
            <entity name='A'><attribute name='length' type='duration'/>
            <derived name='seconds' type='double' expression="length / 'PT1S'"/></entity>
            """)
        #expect(model.entities.first?.attributes.last?.isOptional == false)
    }

    @Test func `the bytes of strings do not decide a comparison with options`() throws {
        let (_, diagnostics) = try check(
            """
            <model xmlns='urn:cambium:model:1' name='Shop' version='1'>
            <entity name='A'><attribute name='x' type='string'/>
            <rule name='r'>'B' &lt;[c] 'b' OR x == 'c'</rule></entity></model>
            """)
        #expect(diagnostics.map(\.code) == [])
    }

    @Test func `everything of an attribute is kept`() throws {
        let model = try model(
            """
            <entity name='A'>
            <attribute name='x' type='decimal' scale='2' optional='true' default='1.5' min='0'
                max='9.99' merge='sum' renamedFrom='y' validate='custom'/>
            <attribute name='s' type='string' transient='true' minLength='1' maxLength='2'
                pattern='&lt;.*' default='&lt;'/>
            </entity>
            """)
        let decimal = { (text: String) in Value.decimal(Decimal(string: text) ?? .nan) }
        #expect(
            model.entities.first?.attributes == [
                Attribute(
                    name: "x", type: .decimal(scale: 2), isOptional: true,
                    defaultValue: .constant(decimal("1.5")),
                    limits: Limits(minimum: decimal("0"), maximum: decimal("9.99")), merge: .sum,
                    renamedFrom: "y", hasCustomValidation: true),
                Attribute(
                    name: "s", type: .string, isTransient: true,
                    defaultValue: .constant(.string("<")),
                    limits: Limits(minimumLength: 1, maximumLength: 2, pattern: "<.*")),
            ])
    }

    @Test func `raw values count on, and default to the name`() throws {
        let model = try model(
            """
            <enum name='S'><case name='a'/><case name='b' value='B'/></enum>
            <enum name='N' type='int16'><case name='a' value='-1'/><case name='b'/></enum>
            """)
        #expect(model.enumerations.map(\.rawType) == [.string, .int16])
        #expect(
            model.enumerations.map { $0.cases.map(\.rawValue) }
                == [[.string("a"), .string("B")], [.int(-1), .int(0)]])
    }

    @Test func `everything of an entity and its relationships is kept`() throws {
        let model = try model(
            """
            <entity name='A' abstract='true' codegen='base' validate='custom' renamedFrom='Z'>
            <relationship name='bs' to='B' inverse='a' many='true' min='1' max='3'
                onDelete='cascade' renamedFrom='zs'/></entity>
            <entity name='B' parent='A' codegen='none'>
            <relationship name='a' to='A' inverse='bs'/></entity>
            """)
        let bs = Relationship(
            name: "bs", destination: "B", inverse: "a", isToMany: true, minimumCount: 1,
            maximumCount: 3, deleteRule: .cascade, renamedFrom: "zs")
        let a = Relationship(name: "a", destination: "A", inverse: "bs", isOptional: false)
        #expect(
            model.entities == [
                Entity(
                    name: "A", isAbstract: true, renamedFrom: "Z", codeGeneration: .base,
                    hasCustomValidation: true, relationships: [bs]),
                Entity(name: "B", parent: "A", codeGeneration: .none, relationships: [a]),
            ])
    }

    @Test func `constraints, rules and requests are kept`() throws {
        let model = try model(
            """
            <entity name='A'><attribute name='x' type='int32'/>
            <unique by='x'/><index by='x descending' where='x &gt; 0'/>
            <rule name='r' message='No'>x != 7</rule>
            <fetch name='f' sort='x'><parameter name='p' type='int32'/>x == $p</fetch>
            <fetch name='all'/></entity>
            """)
        let entity = try #require(model.entities.first)
        #expect(entity.uniqueConstraints == [UniqueConstraint(properties: ["x"])])
        #expect(
            entity.indexes.map(\.elements) == [[IndexElement(property: "x", isDescending: true)]])
        #expect(entity.indexes.first?.condition != nil)
        #expect(entity.rules.map(\.message) == ["No"])
        #expect(entity.fetchTemplates.map(\.name) == ["f", "all"])
        #expect(entity.fetchTemplates[0].parameters == [FetchParameter(name: "p", type: .int32)])
        #expect(entity.fetchTemplates[1].condition == nil)
    }

    @Test func `a model cannot be called like the keys of an entity`() throws {
        let text = """
            <model xmlns='urn:cambium:model:1' name='ProductKeys' version='1'>
            <entity name='Product'><attribute name='x' type='string'/></entity></model>
            """
        let source = SourceText(path: "1.xml", bytes: Array(text.utf8))
        let parsed = ParsedModel(source: source, version: "1", root: try XMLReader.read(source))
        let (_, diagnostics) = ModelChecker.check(
            parsed, bundleName: "ProductKeys", previousVersion: nil, previous: nil)
        #expect(diagnostics.map(\.code) == [.reservedName])
        #expect(diagnostics.first?.notes.first == "The other is declared at 1:42")
    }

    @Test func `an entity with more attributes than SQLite has columns is told of at its place`()
        throws
    {
        func model(_ count: Int) -> String {
            "<model xmlns='urn:cambium:model:1' name='Shop' version='1'>\n <entity name='A'>"
                + (0..<count).map { "<attribute name='x\($0)' type='bool'/>" }.joined()
                + "</entity></model>"
        }
        #expect(try check(model(1998)).diagnostics.isEmpty)
        let found = try check(model(1999)).diagnostics
        #expect(found.map(\.code) == [.unprovenMigration])
        #expect(found.first?.position.line == 2)
        #expect(found.first?.message.contains("2001 columns") == true)
    }

    @Test func `cases of an enumeration may differ in case only`() throws {
        let model = try model("<enum name='S'><case name='a'/><case name='A'/></enum>")
        #expect(model.enumerations.first?.cases.map(\.name) == ["a", "A"])
    }

    @Test func `the access is the model's`() throws {
        for (text, access) in [("", AccessLevel.internal), ("access='public'", .public)] {
            let (model, _) = try check(
                "<model xmlns='urn:cambium:model:1' name='Shop' version='1' \(text)/>")
            #expect(model?.access == access)
        }
    }

    @Test func `a prefix for the namespace is not a model`() throws {
        let (model, diagnostics) = try check(
            "<c:model xmlns:c='urn:cambium:model:1' name='Shop' version='1'/>")
        #expect(model == nil)
        #expect(diagnostics.map(\.code) == [.wrongRoot])
    }

    @Test func `text of a model cannot forge a diagnostic of its own`() throws {
        let (_, diagnostics) = try check(
            "<model xmlns='urn:cambium:model:1' name='x&#10;/etc/passwd:1:1: error: y' version='1'/>"
        )
        #expect(diagnostics.count == 1)
        #expect(diagnostics.first?.rendered.split(separator: "\n").count == 2)
    }
}
