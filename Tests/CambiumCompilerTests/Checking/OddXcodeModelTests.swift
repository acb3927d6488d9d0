import CompilerTestSupport
import Testing

@testable import CambiumAuthoring
@testable import CambiumCompiler

/// What Xcode compiles is no error, whatever is odd about it: a warning in the current version says
/// what becomes of it, and a note in a version that has shipped. It is the same in the converted
/// file, and comes back from there.
struct OddXcodeModelTests {
    /// A model with something odd in it.
    struct Odd: Sendable, CustomTestStringConvertible {
        let what: String
        let code: DiagnosticCode
        let outcome: String
        let content: String

        var testDescription: String { what }

        init(_ what: String, _ code: DiagnosticCode, _ outcome: String, _ content: String) {
            (self.what, self.code, self.outcome, self.content) = (what, code, outcome, content)
        }
    }

    private static let other = """
        <entity name="B"><attribute name="x" optional="YES" attributeType="String"/></entity>
        """

    private static func a(_ content: String, after: String = other) -> String {
        """
        <entity name="A"><attribute name="title" optional="YES" attributeType="String"/>\(content)\
        </entity>\(after)
        """
    }

    private static func attribute(_ words: String) -> String {
        a("<attribute name=\"n\" \(words)/>")
    }

    private static func relationship(_ words: String, after: String = other) -> String {
        a("<relationship name=\"r\" optional=\"YES\" \(words)/>", after: after)
    }

    private static func index(_ elements: String, _ properties: String = "") -> String {
        a("\(properties)<fetchIndex name=\"byAll\">\(elements)</fetchIndex>")
    }

    private static func by(_ property: String) -> String {
        "<fetchIndexElement property=\"\(property)\" type=\"Binary\" order=\"ascending\"/>"
    }

    private static func unique(_ names: String...) -> String {
        let constraints = names.map { names in
            let list = names.split(separator: " ").map { "<constraint value=\"\($0)\"/>" }
            return "<uniquenessConstraint>\(list.joined())</uniquenessConstraint>"
        }
        return a("<uniquenessConstraints>\(constraints.joined())</uniquenessConstraints>")
    }

    private static func request(_ words: String, _ name: String = "Found") -> String {
        a("", after: "\(other)<fetchRequest name=\"\(name)\" entity=\"A\" \(words)/>")
    }

    private static func derived(_ expression: String) -> String {
        attribute(
            "optional=\"YES\" attributeType=\"String\" derived=\"YES\" "
                + "derivationExpression=\"\(expression)\"")
    }

    private static func configuration(_ members: String..., name: String = "C") -> String {
        let list = members.map { "<memberEntity name=\"\($0)\"/>" }.joined()
        return a("", after: "\(other)<configuration name=\"\(name)\">\(list)</configuration>")
    }

    static let attributes: [Odd] = [
        Odd(
            "a default that is not a UUID", .wrongDefault, "it is ignored",
            attribute(#"optional="YES" attributeType="UUID" defaultValueString="empy""#)),
        Odd(
            "a default that is not a number", .wrongDefault, "it is ignored",
            attribute(#"attributeType="Integer 16" defaultValueString="some""#)),
        Odd(
            "a default that does not fit", .wrongDefault, "it is ignored",
            attribute(#"attributeType="Integer 16" defaultValueString="70000""#)),
        Odd(
            "a default that is not a Boolean", .wrongDefault, "it is ignored",
            attribute(#"attributeType="Boolean" defaultValueString="maybe""#)),
        Odd(
            "a default that is not a date", .wrongDefault, "it is ignored",
            attribute(#"attributeType="Date" defaultDateTimeInterval="nan""#)),
        Odd(
            "a limit that is not a number", .wrongDefault, "it is ignored",
            attribute(#"attributeType="Integer 32" minValueString="low""#)),
        Odd(
            "a limit that is not a date", .wrongDefault, "it is ignored",
            attribute(#"attributeType="Date" minDateTimeInterval="early""#)),
        Odd(
            "a length that is not a number", .invalidWord, "it is ignored",
            attribute(#"attributeType="String" maxValueString="-1""#)),
        Odd(
            "limits that no value meets", .contradictoryLimits, "neither is checked",
            attribute(#"attributeType="Double" minValueString="9" maxValueString="1""#)),
        Odd(
            "lengths that no value has", .contradictoryLimits, "neither is checked",
            attribute(#"attributeType="String" minValueString="9" maxValueString="1""#)),
        Odd(
            "a default below the minimum", .defaultBeyondLimits, "cannot be saved",
            attribute(#"attributeType="Double" minValueString="1" defaultValueString="0""#)),
        Odd(
            "a default that does not match", .defaultBeyondLimits, "cannot be saved",
            attribute(
                #"attributeType="String" regularExpressionString="[a-z]+" defaultValueString="""#)
        ),
        Odd(
            "a pattern that does not compile", .invalidPattern, "it is not checked",
            attribute(#"attributeType="String" regularExpressionString="(a""#)),
        Odd(
            "an optional class", .invalidClass, "it is '[Int]' here",
            attribute(
                #"optional="YES" attributeType="Transformable" customClassName="[Int]?""#)),
        Odd(
            "a transient that is preserved", .inapplicable, "it is ignored",
            attribute(
                #"optional="YES" transient="YES" attributeType="String" "#
                    + #"preserveAfterDeletion="YES""#)),
        Odd(
            "a transient in a file", .inapplicable, "it is ignored",
            attribute(
                #"optional="YES" transient="YES" attributeType="Binary" "#
                    + #"allowsExternalBinaryDataStorage="YES""#)),
        Odd(
            "a composite with what its parts have", .inapplicable, "it is ignored",
            a(
                #"<attribute name="n" optional="YES" attributeType="Composite" composite="P" "#
                    + #"preserveAfterDeletion="YES"/>"#,
                after: #"<composite name="P"><attribute name="x" optional="YES" "#
                    + #"attributeType="String"/></composite>"#)),
        Odd(
            "a derivation that does not parse", .invalidExpression, "'n' is not computed here",
            derived("canonical:(")),
        Odd(
            "a derivation of what is gone", .invalidExpression, "'n' is not computed here",
            derived("canonical:(name)")),
        Odd(
            "a derivation of itself", .invalidExpression, "it is not computed here",
            derived("canonical:(n)")),
        Odd(
            "a derived transformable", .xcodeMeaning, "'n' is not computed here",
            attribute(
                #"optional="YES" attributeType="Transformable" derived="YES" "#
                    + #"derivationExpression="title""#)),
        Odd(
            "user info that is there twice", .duplicateName, "the last one is used",
            a(
                #"<userInfo><entry key="k" value="1"/><entry key="k" value="2"/></userInfo>"#)
        ),
        Odd(
            "an element that is not known", .unknownXcodeName, "is not known",
            a(#"<novelty name="n"><part value="1"/></novelty>"#)),
    ]

    static let relationships: [Odd] = [
        Odd(
            "an ordered to-one", .inapplicable, "it is ignored",
            relationship(#"maxCount="1" ordered="YES" destinationEntity="B""#)),
        Odd(
            "a destination that is gone", .unknownEntity, "'r' is left out",
            relationship(#"maxCount="1" destinationEntity="Gone""#)),
        Odd(
            "no destination", .missingXMLAttribute, "it is left out",
            relationship(#"maxCount="1""#)),
        Odd(
            "an inverse that is gone", .unknownInverse, "'r' has no inverse here",
            relationship(#"toMany="YES" destinationEntity="B" inverseName="gone""#)),
        Odd(
            "an inverse of another one", .inverseNotMutual, "'r' has no inverse here",
            relationship(
                #"toMany="YES" destinationEntity="B" inverseName="b" inverseEntity="B""#,
                after: #"<entity name="B"><relationship name="b" optional="YES" maxCount="1" "#
                    + #"destinationEntity="B" inverseName="b" inverseEntity="B"/></entity>"#)),
        Odd(
            "an inverse of a parent", .inverseNotMutual, "'r' has no inverse here",
            relationship(
                #"toMany="YES" destinationEntity="B" inverseName="a" inverseEntity="B""#,
                after: #"<entity name="P"><relationship name="a" optional="YES" maxCount="1" "#
                    + #"destinationEntity="A" inverseName="r" inverseEntity="A"/></entity>"#
                    + #"<entity name="B" parentEntity="P"/>"#)),
        Odd(
            "a transient end", .transientInverse, "both are without inverse here",
            relationship(
                #"toMany="YES" transient="YES" destinationEntity="B" inverseName="a""#,
                after: #"<entity name="B"><relationship name="a" optional="YES" maxCount="1" "#
                    + #"destinationEntity="A" inverseName="r" inverseEntity="A"/></entity>"#)),
        Odd(
            "counts that no set has", .contradictoryLimits, "neither is checked",
            relationship(#"toMany="YES" minCount="5" maxCount="2" destinationEntity="B""#)),
        Odd(
            "a count that is not a number", .invalidWord, "it is ignored",
            relationship(#"toMany="YES" maxCount="many" destinationEntity="B""#)),
        Odd(
            "a delete rule that is none", .invalidWord, "it is nullify here",
            relationship(#"maxCount="1" deletionRule="Explode" destinationEntity="B""#)),
    ]

    static let entities: [Odd] = [
        Odd(
            "a parent that is gone", .unknownEntity, "'C' has no parent here",
            a("", after: #"<entity name="C" parentEntity="Gone"/>"#)),
        Odd(
            "an inherited property declared again", .shadowedProperty,
            "the declaration of 'A' is used",
            a(
                "",
                after: #"<entity name="C" parentEntity="A"><attribute name="title" "#
                    + #"optional="YES" attributeType="String"/></entity>"#)),
        Odd(
            "a to-many in an index", .unsuitableProperty, "the index 'byAll' does without it",
            index(
                by("title") + by("bs"),
                #"<relationship name="bs" optional="YES" toMany="YES" destinationEntity="B"/>"#)),
        Odd(
            "a transient in an index", .unsuitableProperty, "the index 'byAll' does without it",
            index(
                by("title") + by("t"),
                #"<attribute name="t" optional="YES" transient="YES" attributeType="String"/>"#)),
        Odd(
            "what is gone in an index", .unknownProperty, "the index 'byAll' does without it",
            index(by("gone"))),
        Odd(
            "what is gone in an old index", .unknownProperty, "the index does without it",
            a(
                #"<compoundIndexes><compoundIndex><index value="title"/><index value="gone"/>"#
                    + "</compoundIndex></compoundIndexes>")),
        Odd(
            "an old index of nothing", .unknownProperty, "the index does without it",
            a("<compoundIndexes><compoundIndex/></compoundIndexes>")),
        Odd("an index of nothing", .missingXMLAttribute, "'byAll' is left out", index("")),
        Odd(
            "an index element of nothing", .missingXMLAttribute, "'byAll' does without it",
            index(#"<fetchIndexElement type="Binary" order="ascending"/>"#)),
        Odd(
            "an index element of two kinds", .inapplicable, "the expression is ignored",
            index(
                #"<fetchIndexElement property="title" expression="title" type="Binary"/>"#)),
        Odd(
            "a property twice in an index", .duplicateName, "the second one is ignored",
            index(by("title") + by("title"))),
        Odd(
            "two indexes of one name", .duplicateName, "it is left out",
            index(
                by("title"),
                #"<fetchIndex name="byall"><fetchIndexElement property="title" "#
                    + #"type="Binary" order="descending"/></fetchIndex>"#)),
        Odd(
            "what is gone in a constraint", .unknownProperty, "the constraint is left out",
            unique("title gone")),
        Odd("a constraint of nothing", .unknownProperty, "is left out", unique("")),
        Odd("a property twice in a constraint", .duplicateName, "ignored", unique("title title")),
        Odd(
            "one constraint in two ways", .duplicateName, "it is created once",
            unique("title", "title title")),
    ]

    static let requests: [Odd] = [
        Odd(
            "a request for what is gone", .unknownEntity, "the request 'Found' is left out",
            a("", after: #"\#(other)<fetchRequest name="Found" entity="Gone"/>"#)),
        Odd(
            "a predicate that does not parse", .invalidExpression, "the request is left out",
            request(#"predicateString="title == == 3""#)),
        Odd(
            "a predicate about what is gone", .invalidExpression, "the request is left out",
            request(#"predicateString="gone == 3""#)),
        Odd(
            "a variable that is not a name", .notAnIdentifier, "the request is left out",
            request(#"predicateString="title == $1st""#)),
        Odd(
            "a request with the name of a property", .duplicateName, "the request is left out",
            request("", "title")),
        Odd(
            "a limit below none", .invalidWord, "it is ignored",
            request(#"fetchLimit="-5" predicateString="title == nil""#)),
        Odd(
            "a result that is none", .invalidWord, "it gives objects",
            request(#"resultType="9" predicateString="title == nil""#)),
        Odd(
            "a flag that is none", .invalidWord, "it is ignored",
            request(#"includeSubentities="maybe" predicateString="title == nil""#)),
        Odd(
            "a fetched property that does not parse", .invalidExpression, "'f' is left out",
            a(
                #"<fetchedProperty name="f" optional="YES"><fetchRequest entity="B" "#
                    + #"name="fetchedPropertyFetchRequest" predicateString="x ==="/>"#
                    + "</fetchedProperty>")),
        Odd(
            "a fetched property of what is gone", .unknownEntity, "'f' is left out",
            a(
                #"<fetchedProperty name="f" optional="YES"><fetchRequest entity="Gone" "#
                    + #"name="fetchedPropertyFetchRequest"/></fetchedProperty>"#)),
        Odd(
            "a fetched property without request", .missingXMLAttribute, "it is left out",
            a(#"<fetchedProperty name="f" optional="YES"/>"#)),
        Odd(
            "a configuration with what is gone", .unknownEntity, "it is left out",
            configuration("A", "Gone", "B")),
        Odd(
            "an entity twice in a configuration", .duplicateName, "the second one is ignored",
            configuration("A", "A", "B")),
        Odd(
            "a configuration without name", .notAnIdentifier, "it is left out",
            configuration("A", "B", name: " ")),
    ]

    @Test(arguments: attributes + relationships + entities + requests)
    func `what is odd is a warning that says what becomes of it`(odd: Odd) throws {
        let folder = try XcodeBundleFolder([odd.content])
        let compilation = ModelCompiler.compile(folder.path)
        let found = compilation.diagnostics
        #expect(compilation.bundle != nil, "\(found.map(\.rendered))")
        let meant = found.filter { $0.code == odd.code && $0.message.contains(odd.outcome) }
        #expect(!meant.isEmpty, "\(found.map(\.rendered))")
        #expect(meant.allSatisfy { $0.severity == .warning && $0.position.line == 1 })
        #expect(meant.allSatisfy { $0.position.column > 1 })
    }

    @Test(
        arguments: Corpus.sample(
            attributes + relationships + entities + requests, oneIn: 3, full: 1))
    func `in a version that has shipped it is a note`(odd: Odd) throws {
        let folder = try XcodeBundleFolder([odd.content, odd.content])
        let compilation = ModelCompiler.compile(folder.path)
        #expect(compilation.bundle != nil)
        let early = compilation.diagnostics.filter { $0.position.path.contains("Shop 1") }
        #expect(early.isEmpty, "\(early.map(\.rendered))")
        let notes = compilation.notes.filter { $0.code == odd.code }
        #expect(!notes.isEmpty)
        #expect(compilation.notes.allSatisfy { $0.severity == .note })
    }

    @Test(
        arguments: Corpus.sample(
            attributes + relationships + entities + requests, oneIn: 3, full: 1))
    func `it is the same in the converted file, and comes back`(odd: Odd) throws {
        let folder = try XcodeBundleFolder([odd.content])
        let own = try folder.convert()
        let found = ModelCompiler.compile(own).diagnostics
        #expect(!found.hasErrors, "\(found.map(\.rendered))")
        // What has no word in Cambium's language is only kept there.
        let isKept =
            [.unknownXcodeName, .xcodeMeaning].contains(odd.code)
            || odd.what.contains("request for")
        #expect(isKept || found.contains { $0.code == odd.code && $0.severity == .warning })
        let written = BundleReader.read(folder.path).bundle.versions
        let back = ModelConverter.xcodeBundle(from: BundleReader.read(own).bundle)
        let text = try #require(back.first { $0.path.hasSuffix("contents") }).contents
        let restored = try XMLReader.read(SourceText(path: "", bytes: Array(text.utf8)))
        let original = try XMLReader.read(try #require(written.first).source)
        let lost = XMLTree(restored).differences(from: XMLTree(original))
        #expect(lost.isEmpty, "\(lost)")
    }

    @Test func `names that Core Data tells apart are told apart`() throws {
        let folder = try XcodeBundleFolder([
            Self.a(
                #"<attribute name="Title" optional="YES" attributeType="String"/>"#
                    + #"<attribute name="_id" optional="YES" attributeType="String"/>"#,
                after: """
                    <entity name="C" parentEntity="A"><attribute name="senderUid" optional="YES"
                      attributeType="Binary"/></entity>
                    <entity name="D" parentEntity="A"><attribute name="senderUID" optional="YES"
                      attributeType="Binary"/></entity>
                    """)
        ])
        for path in [folder.path, try folder.convert()] {
            // The columns have other names, and who looks into the store has to know.
            let diagnostics = ModelCompiler.compile(path).diagnostics
            #expect(diagnostics.map(\.code) == [.xcodeMeaning, .xcodeMeaning])
            #expect(
                diagnostics.last?.message
                    == "'D.senderUID' and 'C.senderUid' differ in case only: their columns are "
                    + "'D_senderUID' and 'C_senderUid'")
        }
    }

    @Test func `entities whose names differ in case only stay an error`() throws {
        let folder = try XcodeBundleFolder([
            ["UrlItem", "URLItem"].map { name in
                #"<entity name="\(name)" representedClassName="\(name)">"#
                    .replacing(#"\(name)"#, with: name)
                    + #"<attribute name="x" optional="YES" attributeType="String"/></entity>"#
            }.joined()
        ])
        let found = ModelCompiler.compile(folder.path).diagnostics
        #expect(found.filter(\.isError).map(\.code) == [.duplicateName])
    }

    @Test func `an unknown type and another type than inherited stay errors`() throws {
        for (content, code) in [
            (Self.attribute(#"attributeType="Integer 128""#), DiagnosticCode.unknownType),
            (
                Self.a(
                    "",
                    after: #"<entity name="C" parentEntity="A"><attribute name="title" "#
                        + #"optional="YES" attributeType="Date"/></entity>"#), .shadowedProperty
            ),
        ] {
            let folder = try XcodeBundleFolder([content])
            let found = ModelCompiler.compile(folder.path).diagnostics
            #expect(found.filter(\.isError).map(\.code) == [code])
        }
    }

    @Test func `a request is not made without its condition`() throws {
        let content = Self.a(
            #"<fetchedProperty name="f" optional="YES"><fetchRequest entity="B" "#
                + #"name="fetchedPropertyFetchRequest" predicateString="gone == 1"/>"#
                + "</fetchedProperty>",
            after: #"\#(Self.other)<fetchRequest name="Found" entity="A" "#
                + #"predicateString="gone == 3"/>"#)
        let folder = try XcodeBundleFolder([content])
        let bundle = try #require(ModelCompiler.compile(folder.path).bundle)
        let entity = try #require(bundle.versions[0].model.entity(named: "A"))
        #expect(entity.fetchTemplates == [])
        #expect(entity.fetchedProperties == [])
    }

    @Test func `what is said of a request stands there, though one before it is left out`() throws {
        let content = Self.a(
            "",
            after: #"""
                \#(Self.other)<fetchRequest name="Lost" entity="A" predicateString="gone == 3"/>
                <fetchRequest name="Found" entity="A" predicateString="title MATCHES '(.)\\1'"/>
                """#)
        let folder = try XcodeBundleFolder([content])
        let found = ModelCompiler.compile(folder.path).diagnostics
        #expect(found.first { $0.code == .costlyPattern }?.position.line == 2)
    }

    @Test func `a constraint is not made of fewer properties`() throws {
        let folder = try XcodeBundleFolder([Self.unique("title gone")])
        let bundle = try #require(ModelCompiler.compile(folder.path).bundle)
        #expect(bundle.versions[0].model.entity(named: "A")?.uniqueConstraints == [])
    }

    @Test func `an index is made of the others`() throws {
        let content = try #require(Self.entities.first { $0.what == "a to-many in an index" })
        let folder = try XcodeBundleFolder([content.content])
        let bundle = try #require(ModelCompiler.compile(folder.path).bundle)
        let index = try #require(bundle.versions[0].model.entity(named: "A")?.indexes.first)
        #expect(index.elements.map(\.property) == ["title"])
    }

    @Test func `a property that two descendants declare again is the first ancestor's`() throws {
        let title = #"<attribute name="title" optional="YES" attributeType="String"/>"#
        let content = Self.a(
            "",
            after: #"<entity name="C" parentEntity="A">\#(title)</entity>"#
                + #"<entity name="D" parentEntity="C">\#(title)</entity>"#)
        let folder = try XcodeBundleFolder([content])
        let compilation = ModelCompiler.compile(folder.path)
        let model = try #require(compilation.bundle).versions[0].model
        #expect(model.entity(named: "A")?.attributes.map(\.name) == ["title"])
        #expect(model.entity(named: "C")?.attributes == [])
        #expect(model.entity(named: "D")?.attributes == [])
        #expect(
            compilation.diagnostics.map(\.rendered).filter { $0.contains("is used") }.count == 2)
    }

    @Test func `it can be suppressed`() throws {
        let content = """
            <entity name="A"><attribute name="n" attributeType="Integer 16"
              defaultValueString="some"><userInfo>
              <entry key="cambium.suppress.CM402" value="As in Core Data"/></userInfo></attribute>
            </entity>
            """
        let folder = try XcodeBundleFolder([content])
        #expect(ModelCompiler.compile(folder.path).diagnostics.map(\.rendered) == [])
    }

    @Test func `a required attribute whose default breaks its limit can be added`() throws {
        let old = Self.a("")
        let new = Self.attribute(
            #"attributeType="Integer 16" minValueString="1" defaultValueString="0""#)
        let folder = try XcodeBundleFolder([old, new, new])
        let compilation = ModelCompiler.compile(folder.path)
        #expect(compilation.bundle?.migrations.count == 2)
        #expect(!compilation.diagnostics.contains { $0.code == .brokenChain })
    }
}
