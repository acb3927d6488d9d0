import Foundation
import Testing

@testable import CambiumCompiler

/// What Xcode's words become in Cambium's language.
struct XcodeTranslatorTests {
    private func translate(
        _ content: String, after previous: String? = nil
    ) throws -> (root: ParsedElement, diagnostics: [Diagnostic]) {
        func parsed(_ content: String) throws -> (SourceText, ParsedElement) {
            let source = SourceText(
                path: "contents", bytes: Array("<model>\(content)</model>".utf8))
            return (source, try XMLReader.read(source))
        }
        let (source, root) = try parsed(content)
        let old = try previous.map { IdentityTable(xcode: try parsed($0).1) }
        return XcodeTranslator.translate(
            root, of: source, name: "Shop", version: "2", previous: old)
    }

    /// The own attributes of the only thing in the only entity, `name` and what is kept apart.
    private func property(
        _ content: String, _ kind: String = "attribute"
    ) throws -> [String: String] {
        let (root, _) = try translate("<entity name=\"A\">\(content)</entity>")
        let element = try #require(root.children(named: "entity").first)
        return words(try #require(element.children(named: kind).first))
    }

    private func words(_ element: ParsedElement) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: element.attributes
                .filter { $0.name != "name" && !$0.name.contains(":") }.map { ($0.name, $0.value) })
    }

    @Test(arguments: [
        (#"attributeType="Integer 32" defaultValueString="NO""#, "int32", "0"),
        (#"attributeType="Integer 64" defaultValueString="0.0""#, "int64", "0"),
        (#"attributeType="Integer 16" defaultValueString="-1""#, "int16", "-1"),
        (
            #"attributeType="Integer 64" defaultValueString="-9223372036854775809""#, "int64",
            "-9223372036854775809"
        ),
        (#"attributeType="Boolean" defaultValueString="0""#, "bool", "false"),
        (#"attributeType="Boolean" defaultValueString="YES""#, "bool", "true"),
        (#"attributeType="Double" defaultValueString="0.0""#, "double", "0.0"),
        (#"attributeType="Float" defaultValueString="YES""#, "float", "1"),
        (#"attributeType="String" defaultValueString="""#, "string", ""),
        (#"attributeType="String" defaultValueString="&quot;&quot;""#, "string", "\"\""),
        (#"attributeType="Integer 32" defaultValueString="""#, "int32", nil),
        (#"attributeType="Integer 32" defaultValueString="many""#, "int32", "many"),
        (#"attributeType="Date" defaultDateTimeInterval="0""#, "date", "2001-01-01T00:00:00Z"),
        (#"attributeType="Date" defaultDateTimeInterval="-1""#, "date", "2000-12-31T23:59:59Z"),
        (
            #"attributeType="Date" defaultDateTimeInterval="1e9""#, "date",
            "2032-09-09T01:46:40Z"
        ),
        (
            #"attributeType="URI" defaultValueString="https://example.org""#, "uri",
            "https://example.org"
        ),
    ])
    func `a default has the spelling of its type`(
        written: String, type: String, value: String?
    ) throws {
        let words = try property("<attribute name=\"a\" \(written)/>")
        #expect(words["type"] == type)
        #expect(words["default"] == value)
    }

    @Test func `the days of four centuries come back`() {
        for day in stride(from: -73_000, through: 73_000, by: 31) {
            let text = XcodeValues.date(Double(day) * 86_400 + 86_399)
            let date = text.flatMap(DateText.date)
            guard date?.timeIntervalSinceReferenceDate == Double(day) * 86_400 + 86_399 else {
                Issue.record("day \(day): \(text ?? "nothing")")
                return
            }
        }
    }

    @Test func `limits of strings are lengths, those of dates are moments`() throws {
        #expect(
            try property(
                #"<attribute name="a" attributeType="String" minValueString="2" maxValueString="4" regularExpressionString="[a-z]+"/>"#
            ) == [
                "type": "string", "minLength": "2", "maxLength": "4", "pattern": "[a-z]+",
            ])
        #expect(
            try property(
                #"<attribute name="a" attributeType="Date" minDateTimeInterval="86400" maxDateTimeInterval="172800"/>"#
            ) == [
                "type": "date", "min": "2001-01-02T00:00:00Z", "max": "2001-01-03T00:00:00Z",
            ])
        #expect(
            try property(
                #"<attribute name="a" attributeType="Decimal" minValueString="0" maxValueString="9.5"/>"#
            ) == ["type": "decimal", "scale": "any", "min": "0", "max": "9.5"])
    }

    @Test(arguments: [
        "[Int64]", "[String]", "[String: Int]", "Set<UUID>", "[String: [Date?]]", "Data",
        "Dictionary<String, Array<URL>>", "[ Decimal ]?",
    ])
    func `a transformable of a known class is codable, and optional`(name: String) throws {
        let written = name.replacingOccurrences(of: "<", with: "&lt;")
        let attribute =
            "<attribute name=\"a\" attributeType=\"Transformable\" customClassName=\"\(written)\"/>"
        #expect(
            try property(attribute) == ["type": "codable", "class": name, "optional": "true"])
    }

    @Test(arguments: ["[String: Any]", "UIColor", "NSArray", "[Int64", "Set<Int, Int>", "", "[]"])
    func `a transformable of another class is data`(name: String) throws {
        let written = name.replacingOccurrences(of: "<", with: "&lt;")
        let (root, diagnostics) = try translate(
            """
            <entity name="A"><attribute name="a" optional="YES" attributeType="Transformable" \
            valueTransformerName="" customClassName="\(written)"/></entity>
            """)
        #expect(words(root.children[0].children[0]) == ["type": "data", "optional": "true"])
        #expect(diagnostics.map(\.code) == [.xcodeMeaning])
    }

    @Test func `user info names the class of a codable and its default`() throws {
        let info = """
            <userInfo><entry key="cambium.class" value="Colour"/>\
            <entry key="cambium.default" value="{}"/><entry key="mine" value="1"/></userInfo>
            """
        let words = try property(
            "<attribute name=\"a\" attributeType=\"Transformable\">\(info)</attribute>")
        #expect(words == ["type": "codable", "class": "Colour", "default": "{}"])
    }

    @Test func `user info makes an integer a duration, whose values are nanoseconds`() throws {
        let info = #"<userInfo><entry key="cambium.type" value="duration"/></userInfo>"#
        let words = try property(
            """
            <attribute name="a" attributeType="Integer 64" minValueString="0" \
            defaultValueString="90000000000">\(info)</attribute>
            """)
        #expect(words == ["type": "duration", "default": "PT1M30S", "min": "PT0S"])
    }

    @Test func `user info says what Xcode cannot`() throws {
        let (root, diagnostics) = try translate(
            """
            <entity name="A"><attribute name="kind" attributeType="String" defaultValueString="TOY">
            <userInfo><entry key="cambium.enum" value="Kind: book, toy=TOY"/></userInfo></attribute>
            <attribute name="n" attributeType="Integer 16">
            <userInfo><entry key="cambium.min" value="3"/><entry key="cambium.merge" value="sum"/>
            </userInfo></attribute>
            <userInfo><entry key="cambium.codegen" value="base"/>
            <entry key="cambium.rule.r" value="n &gt; 3"/>
            <entry key="cambium.rule.r.message" value="More"/></userInfo></entity>
            """)
        #expect(diagnostics.isEmpty)
        let enumeration = root.children(named: "enum").first
        #expect(enumeration?.children.map { $0["value"]?.value } == [nil, "TOY"])
        let entity = try #require(root.children(named: "entity").first)
        #expect(entity["codegen"]?.value == "base")
        #expect(words(entity.children[0]) == ["type": "Kind", "default": "toy"])
        #expect(words(entity.children[1]) == ["type": "int16", "min": "3", "merge": "sum"])
        let rule = try #require(entity.children(named: "rule").first)
        #expect(rule.text.value == "n > 3")
        #expect(rule["message"]?.value == "More")
    }

    @Test(arguments: [
        (".Product", nil), ("Shop.Product", nil), ("Product", nil), (nil, nil),
        ("NSManagedObject", nil), ("Shop.CDProduct", "CDProduct"), (".CDProduct", "CDProduct"),
        ("Shared", nil),
    ])
    func `a class is named where it is not the entity's`(
        written: String?, name: String?
    ) throws {
        let attribute = written.map { " representedClassName=\"\($0)\"" } ?? ""
        let (root, _) = try translate(
            """
            <entity name="Product"\(attribute)/><entity name="B" representedClassName="Shared"/>\
            <entity name="C" representedClassName="Shared"/>
            """)
        #expect(root.children[0]["class"]?.value == name)
    }

    @Test func `relationships of all shapes`() throws {
        func words(_ attributes: String) throws -> [String: String] {
            try property(
                "<relationship name=\"r\" destinationEntity=\"B\" \(attributes)/>", "relationship")
        }
        #expect(
            try words(#"optional="YES" maxCount="1" deletionRule="Nullify" inverseName="i""#)
                == ["to": "B", "optional": "true", "inverse": "i"])
        #expect(
            try words(#"optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES""#)
                == ["to": "B", "many": "true", "onDelete": "cascade", "ordered": "true"])
        #expect(
            try words(#"toMany="YES" minCount="1" maxCount="20" deletionRule="Deny""#)
                == ["to": "B", "many": "true", "min": "1", "max": "20", "onDelete": "deny"])
        #expect(
            try words(#"maxCount="1" minCount="1" deletionRule="No Action" transient="YES""#)
                == ["to": "B", "transient": "true"])
    }

    @Test func `an elementID is a new name where the version before had another`() throws {
        let old = """
            <entity name="Group"><attribute name="label" attributeType="String"/>\
            <attribute name="size" elementID="extent" attributeType="String"/>\
            <attribute name="same" attributeType="String"/></entity>
            """
        let (root, _) = try translate(
            """
            <entity name="Category" elementID="Group">\
            <attribute name="title" elementID="label" attributeType="String"/>\
            <attribute name="width" elementID="extent" attributeType="String"/>\
            <attribute name="same" elementID="same" attributeType="String"/>\
            <attribute name="new" elementID="nowhere" attributeType="String"/></entity>
            """, after: old)
        let entity = root.children[0]
        #expect(entity["renamedFrom"]?.value == "Group")
        #expect(
            entity.children.map { $0["renamedFrom"]?.value } == ["label", "size", nil, nil])
        #expect(
            entity.children.map { $0["xcode:elementID"]?.value } == [nil, nil, "same", "nowhere"])
    }

    @Test func `old and new indexes, each once`() throws {
        let (root, _) = try translate(
            """
            <entity name="A"><attribute name="a" attributeType="String" indexed="YES"/>\
            <attribute name="b" attributeType="String" indexed="YES"/>\
            <attribute name="c" attributeType="String" transient="YES" indexed="YES"/>\
            <fetchIndex name="byA"><fetchIndexElement property="a" type="Binary" order="ascending"/>\
            </fetchIndex><fetchIndex name="byBA"><fetchIndexElement property="b" type="Binary" \
            order="descending"/><fetchIndexElement property="a" type="Binary" order="ascending"/>\
            </fetchIndex><fetchIndex name="e"><fetchIndexElement expression="a.length" \
            expressionType="String" type="Binary" order="ascending"/></fetchIndex>\
            <compoundIndexes><compoundIndex><index value="a"/></compoundIndex>\
            <compoundIndex><index value="a"/><index value="b"/></compoundIndex></compoundIndexes>\
            <uniquenessConstraints><uniquenessConstraint><constraint value="a"/>\
            <constraint value="b"/></uniquenessConstraint></uniquenessConstraints></entity>
            """)
        let entity = root.children[0]
        let indexes = entity.children(named: "index")
        #expect(
            indexes.map { $0["by"]?.value } == ["a", "b descending, a", nil, "a, b", "b"])
        #expect(indexes[2].children.first?["expression"]?.value == "a.length")
        #expect(entity.children(named: "unique").map { $0["by"]?.value } == ["a, b"])
        #expect(entity.children(named: "xcode:index").map { $0["by"]?.value } == ["a"])
    }

    @Test func `a place in a list of properties is that of the property`() throws {
        let content = """
            <entity name="A"><uniquenessConstraints><uniquenessConstraint>
            <constraint value="first"/>
              <constraint value="second"/></uniquenessConstraint></uniquenessConstraints></entity>
            """
        let source = SourceText(path: "c", bytes: Array("<model>\(content)</model>".utf8))
        let (root, _) = try translate(content)
        let by = try #require(root.children[0].children[0]["by"])
        #expect(by.value == "first, second")
        let position = source.position(at: by.text.sourceOffset(of: 7, in: source))
        #expect(position.line == 3)
        #expect(position.column == 22)
    }

    @Test func `fetch requests go to their entity, with their variables`() throws {
        let (root, diagnostics) = try translate(
            #"""
            <entity name="A"/><entity name="B"><fetchedProperty name="f" optional="YES">
            <fetchRequest name="fetchedPropertyFetchRequest" entity="A" fetchLimit="3"
            predicateString="x == $FETCH_SOURCE.x"/></fetchedProperty></entity>
            <fetchRequest name="r" entity="B" resultType="2" returnDistinctResults="YES"
              predicateString="a == $UUID AND SUBQUERY(b, $x, $x.c == $MAX).@count &gt; 0 OR d == '$no'"/>
            <fetchRequest name="s" entity="A"/>
            """#)
        #expect(diagnostics.isEmpty)
        let entities = root.children(named: "entity")
        let request = try #require(entities[1].children(named: "fetch").first)
        #expect(words(request) == ["result": "dictionaries", "distinct": "true"])
        #expect(request.text.value.hasPrefix("a == $UUID"))
        #expect(request.children.map { $0["name"]?.value } == ["UUID", "MAX"])
        #expect(entities[0].children(named: "fetch").map { $0["name"]?.value } == ["s"])
        #expect(
            words(entities[1].children(named: "fetched")[0])
                == ["to": "A", "where": "x == $FETCH_SOURCE.x", "limit": "3"])
    }

    @Test func `a fetch request of an unknown entity is an error`() throws {
        let (_, diagnostics) = try translate(#"<fetchRequest name="r" entity="B"/>"#)
        #expect(diagnostics.map(\.code) == [.unknownEntity])
    }

    @Test func `derived, composite, configuration and external data`() throws {
        #expect(
            try property(
                #"<attribute name="d" optional="YES" attributeType="Date" derived="YES" derivationExpression="now()"/>"#,
                "derived") == ["type": "date", "optional": "true", "expression": "now()"])
        #expect(
            try property(
                #"<attribute name="c" optional="YES" attributeType="Composite" composite="Address"/>"#
            ) == ["type": "Address", "optional": "true"])
        #expect(
            try property(
                #"<attribute name="c" attributeType="Binary" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"/>"#
            ) == ["type": "data", "storage": "external", "preserved": "true"])
        #expect(
            try property(#"<attribute name="c" optional="YES" transient="YES"/>"#)
                == ["type": "data", "optional": "true", "transient": "true"])
        let (root, _) = try translate(
            """
            <entity name="A"/><entity name="B"/><configuration name="C"><memberEntity name="A"/>\
            <memberEntity name="B"/></configuration><composite name="Empty"/>
            """)
        #expect(root.children(named: "configuration").map { $0["entities"]?.value } == ["A B"])
        #expect(root.children(named: "composite").map { $0["name"]?.value } == ["Empty"])
    }
}
