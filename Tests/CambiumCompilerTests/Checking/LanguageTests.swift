import CambiumModel
import Testing

@testable import CambiumCompiler

/// What each element of the language becomes in the model.
struct LanguageTests {
    private func model(_ body: String, warnings: [DiagnosticCode] = []) throws -> Model {
        let (model, diagnostics) = try check(
            "<model xmlns='urn:cambium:model:1' name='Shop' version='1'>\(body)</model>")
        #expect(
            diagnostics.filter { !warnings.contains($0.code) }.map(\.rendered) == [])
        return try #require(model).model
    }

    private func codes(_ body: String) throws -> [DiagnosticCode] {
        try check("<model xmlns='urn:cambium:model:1' name='Shop' version='1'>\(body)</model>")
            .diagnostics.map(\.code)
    }

    @Test func `a composite attribute becomes its leaves, level by level`() throws {
        let model = try model(
            """
            <composite name='Point'><attribute name='x' type='double' default='1' max='9'/>
            </composite>
            <composite name='Address'><attribute name='street' type='string' optional='true'/>
            <attribute name='geo' type='Point'/><info key='k' value='v'/></composite>
            <entity name='A'>
            <attribute name='home' type='Address' renamedFrom='house' hashModifier='m'/>
            <attribute name='work' type='Address' optional='true' transient='true'/>
            <unique by='home.street'/><index by='home.geo.x descending'/></entity>
            """)
        let entity = try #require(model.entity(named: "A"))
        #expect(
            entity.attributes.map(\.name) == [
                "home.street", "home.geo.x", "work.street", "work.geo.x",
            ])
        #expect(entity.attributes.map(\.isOptional) == [true, false, true, true])
        #expect(entity.attributes.map(\.isTransient) == [false, false, true, true])
        #expect(
            entity.attributes.map(\.renamedFrom) == ["house.street", "house.geo.x", nil, nil])
        #expect(entity.attributes.map(\.hashModifier) == ["m", "m", nil, nil])
        #expect(entity.attributes[1].limits == Limits(maximum: .double(9)))
        #expect(entity.attributes[1].defaultValue == .constant(.double(1)))
        #expect(
            entity.compositeAttributes == [
                CompositeAttribute(name: "home", composite: "Address", renamedFrom: "house"),
                CompositeAttribute(
                    name: "home.geo", composite: "Point", renamedFrom: "house.geo"),
                CompositeAttribute(
                    name: "work", composite: "Address", isOptional: true, isTransient: true),
                CompositeAttribute(name: "work.geo", composite: "Point", isTransient: true),
            ])
        #expect(model.composites.map(\.name) == ["Point", "Address"])
        #expect(model.composite(named: "Address")?.attributes.map(\.name) == ["street", "geo.x"])
        #expect(model.composite(named: "Address")?.userInfo == ["k": "v"])
        #expect(entity.uniqueConstraints == [UniqueConstraint(properties: ["home.street"])])
    }

    @Test func `codables keep their type and a default in JSON`() throws {
        let model = try model(
            """
            <entity name='A'>
            <attribute name='tags' type='codable' class='[String:Int ]' default='{"a": 1}'/>
            <attribute name='set' type='codable' class='Set&lt;UUID&gt;' default='[]'
                merge='union'/>
            <attribute name='own' type='codable' class='Shop.Colour' optional='true'/></entity>
            """)
        #expect(
            model.entities.first?.attributes == [
                Attribute(
                    name: "tags", type: .codable("[String: Int]"),
                    defaultValue: .constant(.string("{\"a\": 1}"))),
                Attribute(
                    name: "set", type: .codable("Set<UUID>"),
                    defaultValue: .constant(.string("[]")), merge: .union),
                Attribute(name: "own", type: .codable("Shop.Colour"), isOptional: true),
            ])
    }

    @Test func `a codable that cannot be is refused`() throws {
        let attribute = { (rest: String) in
            "<entity name='A'><attribute name='x' type='codable' \(rest)/></entity>"
        }
        #expect(try codes(attribute("class='[Int]'")) == [.codableWithoutDefault])
        #expect(try codes(attribute("optional='true'")) == [.missingXMLAttribute])
        let names = [
            "[Int", "a b", "Any", "class", "A;B", "A<", "[A:B:C]", "()->Void", "A//", "", "Int?",
            "Optional<Int>", "[Int]??",
        ]
        for name in names {
            let xml = name.replacing("<", with: "&lt;")
            #expect(
                try codes(attribute("optional='true' class='\(xml)'")) == [.invalidClass],
                "\(name)")
        }
        #expect(try codes(attribute("class='[Int]' default='{}'")) == [.wrongDefault])
        #expect(try codes(attribute("class='Bool' default='1'")) == [.wrongDefault])
        #expect(try codes(attribute("class='Int' default='[1'")) == [.wrongDefault])
        #expect(
            try codes(attribute("class='Int' default='1' merge='union'")) == [.inapplicable])
    }

    @Test func `everything else of an attribute is kept`() throws {
        let model = try model(
            """
            <entity name='A' class='Item' hashModifier='2'><info key='k' value=''/>
            <attribute name='photo' type='data' storage='external' preserved='true'
                hashModifier='3'><info key='a' value='b'/></attribute>
            <attribute name='exact' type='decimal' scale='any' default='1.25' min='0'/></entity>
            """)
        let entity = try #require(model.entities.first)
        #expect(entity.className == "Item")
        #expect(entity.hashModifier == "2")
        #expect(entity.userInfo == ["k": ""])
        #expect(
            entity.attributes == [
                Attribute(
                    name: "photo", type: .data, isExternal: true, isPreservedAfterDeletion: true,
                    hashModifier: "3", userInfo: ["a": "b"]),
                Attribute(
                    name: "exact", type: .anyDecimal,
                    defaultValue: .constant(.decimal(Decimal(string: "1.25") ?? 0)),
                    limits: Limits(minimum: .decimal(0))),
            ])
    }

    @Test func `a derived attribute has its expression's tree`() throws {
        let model = try model(
            """
            <entity name='A'><attribute name='n' type='int32'/>
            <derived name='twice' type='int64' expression='n * 2' hashModifier='1'
                renamedFrom='double'/>
            <derived name='parts' type='int64' expression='bs.@count'/>
            <relationship name='bs' to='B' inverse='a' many='true'/></entity>
            <entity name='B'><relationship name='a' to='A' inverse='bs' optional='true'/>
            <derived name='of' type='int32' optional='true' expression='a.n'/></entity>
            """)
        let a = try #require(model.entity(named: "A"))
        let n = ModelExpression.keyPath(root: .subject, names: ["n"])
        #expect(
            a.attributes[1].derivation == .arithmetic(n, .multiply, .literal(.int(2))))
        #expect(a.attributes[1].renamedFrom == "double")
        #expect(a.attributes[1].hashModifier == "1")
        #expect(
            a.attributes[2].derivation
                == .aggregate(.count, .keyPath(root: .subject, names: ["bs"])))
        #expect(
            model.entity(named: "B")?.attributes.first?.derivation
                == .keyPath(root: .subject, names: ["a", "n"]))
    }

    @Test func `a required derived attribute cannot be nil`() throws {
        #expect(
            try codes(
                """
                <entity name='A'><attribute name='n' type='int32' optional='true'/>
                <derived name='m' type='int32' expression='n'/></entity>
                """) == [.derivedMayBeNil])
    }

    @Test func `a fetched property has its condition and options`() throws {
        let model = try model(
            """
            <entity name='A'><attribute name='n' type='int32'/>
            <fetched name='others' to='B' where='m == $source.n AND m &lt; $FETCH_SOURCE.n'
                sort='m descending' limit='5' offset='1' batchSize='2' distinct='true'
                result='objects' includesSubentities='false' includesPendingChanges='false'
                includesPropertyValues='false' returnsFaults='false' hashModifier='x'>
                <info key='k' value='v'/></fetched></entity>
            <entity name='B'><attribute name='m' type='int32'/></entity>
            """, warnings: [.inertOption])
        let fetched = try #require(model.entities.first?.fetchedProperties.first)
        let m = ModelExpression.keyPath(root: .subject, names: ["m"])
        let n = ModelExpression.keyPath(root: .variable("source"), names: ["n"])
        #expect(
            fetched.condition
                == .and([.comparison(m, .equal, n, []), .comparison(m, .less, n, [])]))
        #expect(fetched.sort == [IndexElement(property: "m", isDescending: true)])
        #expect(
            fetched.options
                == RequestOptions(
                    limit: 5, offset: 1, batchSize: 2, isDistinct: true,
                    includesSubentities: false, includesPendingChanges: false,
                    includesPropertyValues: false, returnsObjectsAsFaults: false))
        #expect(fetched.userInfo == ["k": "v"])
        #expect(fetched.hashModifier == "x")
    }

    @Test func `a request infers parameters, sorts by paths and prefetches`() throws {
        let model = try model(
            """
            <entity name='A'><attribute name='n' type='int32'/>
            <relationship name='b' to='B' inverse='as' optional='true'/>
            <fetch name='some' sort='b.name, b.place.city descending, n' prefetch='b b.as'
                limit='3'><parameter name='most'/><parameter name='names'/><parameter name='least'
                type='int64'/>n &lt; $most AND b.name IN $names AND n &gt; $least</fetch></entity>
            <composite name='Place'><attribute name='city' type='string'/></composite>
            <entity name='B'><attribute name='name' type='string'/>
            <attribute name='place' type='Place'/>
            <relationship name='as' to='A' inverse='b' many='true'/></entity>
            """)
        let template = try #require(model.entities.first?.fetchTemplates.first)
        #expect(
            template.parameters == [
                FetchParameter(name: "most", type: .int32),
                FetchParameter(name: "names", type: .string, isList: true),
                FetchParameter(name: "least", type: .int64),
            ])
        #expect(template.sort.map(\.property) == ["b.name", "b.place.city", "n"])
        let entity = try #require(model.entities.first)
        #expect(model.path("b.place.city", of: entity) == ["b", "place.city"])
        #expect(template.options == RequestOptions(limit: 3, prefetched: ["b", "b.as"]))
    }

    @Test func `a request of an entity has the options of a fetched property`() throws {
        let model = try model(
            """
            <entity name='A'><attribute name='n' type='int32'/>
            <fetch name='some' sort='n' offset='2' batchSize='3' distinct='true'
                includesSubentities='false' includesPendingChanges='false'
                includesPropertyValues='false' returnsFaults='false'>n &gt; 0</fetch>
            <fetch name='plain' batchSize='0' distinct='false' includesPropertyValues='true'
                returnsFaults='true'>n &lt; 0</fetch></entity>
            """, warnings: [.inertOption])
        let templates = try #require(model.entities.first?.fetchTemplates)
        #expect(
            templates.map(\.options) == [
                RequestOptions(
                    offset: 2, batchSize: 3, isDistinct: true, includesSubentities: false,
                    includesPendingChanges: false, includesPropertyValues: false,
                    returnsObjectsAsFaults: false),
                RequestOptions(),
            ])
    }

    @Test func `the parts of a composite and derived attributes have limits and scales`() throws {
        let model = try model(
            """
            <composite name='Label'>
            <attribute name='code' type='string' maxLength='4' pattern='[A-Z]+'/>
            <attribute name='weight' type='decimal' scale='2'/>
            <attribute name='tags' type='codable' class='[String]' default='[]'/></composite>
            <entity name='A'><attribute name='label' type='Label'/>
            <derived name='twice' type='decimal' scale='3' expression='label.weight * 2'/></entity>
            """)
        let attributes = try #require(model.entities.first?.attributes)
        #expect(attributes[0].limits == Limits(maximumLength: 4, pattern: "[A-Z]+"))
        #expect(
            attributes.map(\.type) == [
                .string, .decimal(scale: 2), .codable("[String]"), .decimal(scale: 3),
            ])
    }

    @Test func `relationships can be ordered and transient`() throws {
        let model = try model(
            """
            <entity name='A'>
            <relationship name='bs' to='B' inverse='a' many='true' ordered='true'
                hashModifier='1'><info key='k' value='v'/></relationship>
            <relationship name='near' to='B' many='true' transient='true'/></entity>
            <entity name='B'><relationship name='a' to='A' inverse='bs' optional='true'/></entity>
            """, warnings: [.missingInverse])
        #expect(
            model.entities.first?.relationships == [
                Relationship(
                    name: "bs", destination: "B", inverse: "a", isToMany: true, isOrdered: true,
                    hashModifier: "1", userInfo: ["k": "v"]),
                Relationship(
                    name: "near", destination: "B", isToMany: true, isTransient: true),
            ])
    }

    @Test func `an index has a name, a kind and expressions`() throws {
        let model = try model(
            """
            <entity name='A'><attribute name='s' type='string'/><attribute name='x' type='double'/>
            <index name='byText' where='x &gt; 0'><by expression='length:(s)' descending='true'/>
            <by property='x'/></index><index name='area' by='x' type='rtree'/></entity>
            """, warnings: [.rtreeKeptBinary])
        let indexes = try #require(model.entities.first?.indexes)
        #expect(indexes.map(\.name) == ["byText", "area"])
        #expect(indexes.map(\.kind) == [.binary, .rtree])
        #expect(
            indexes.first?.elements == [
                IndexElement(
                    property: "", isDescending: true,
                    expression: .function(.length, [.keyPath(root: .subject, names: ["s"])])),
                IndexElement(property: "x"),
            ])
    }

    @Test func `configurations hold what belongs together`() throws {
        let entities = """
            <entity name='A'><attribute name='n' type='int32'/>
            <relationship name='b' to='B' inverse='as' optional='true'/></entity>
            <entity name='B'><attribute name='n' type='int32'/>
            <relationship name='as' to='A' inverse='b' many='true'/></entity>
            <entity name='C'><attribute name='n' type='int32'/></entity>
            """
        let model = try model(
            entities + """
                <configuration name='One' entities='A B'><info key='k' value='v'/></configuration>
                <configuration name='Two' entities='C'/>
                """)
        #expect(
            model.configurations == [
                Configuration(name: "One", entities: ["A", "B"], userInfo: ["k": "v"]),
                Configuration(name: "Two", entities: ["C"]),
            ])
        let parts = "<configuration name='One' entities='A C'/>"
        #expect(try codes(entities + parts) == [.separatedEntities])
        let all = parts + "<configuration name='All' entities='A B C'/>"
        #expect(try codes(entities + all) == [])
    }

    @Test func `what other namespaces say is left alone`() throws {
        let model = try model(
            """
            <x:note xmlns:x='urn:x'><x:entity/></x:note>
            <entity name='A' xmlns:y='urn:y' y:colour='red' xml:lang='en'>
            <entity xmlns='urn:z' name='B'/><attribute name='n' type='int32'/></entity>
            """)
        #expect(
            model.entities == [Entity(name: "A", attributes: [Attribute(name: "n", type: .int32)])]
        )
    }

    @Test func `a model has an identifier and user info`() throws {
        let (checked, diagnostics) = try check(
            """
            <model xmlns='urn:cambium:model:1' name='Shop' version='1' identifier='one'>
            <info key='k' value='v'/><entity name='A'><attribute name='n' type='int32'/></entity>
            </model>
            """)
        #expect(diagnostics == [])
        #expect(checked?.model.identifier == "one")
        #expect(checked?.model.userInfo == ["k": "v"])
    }

    @Test func `a hierarchy that is too deep is refused once, in time that grows with its size`()
        throws
    {
        let entities = (0..<2000).map { number in
            let parent = number == 0 ? "" : " parent='E\(number - 1)'"
            return "<entity name='E\(number)'\(parent)><attribute name='a\(number)' type='bool'/>"
                + "</entity>"
        }
        #expect(try codes(entities.joined()) == [.limitExceeded])
        #expect(try codes(entities.prefix(101).joined()) == [])
    }

    @Test func `only those on a circle inherit from themselves`() throws {
        let body = """
            <entity name='A' parent='B'><attribute name='x' type='int16'/></entity>
            <entity name='B' parent='A'><attribute name='y' type='int16'/></entity>
            <entity name='C' parent='A'><attribute name='z' type='int16'/></entity>
            """
        #expect(try codes(body) == [.inheritanceCycle, .inheritanceCycle])
    }

    @Test func `each declaration of a migration is checked, locked and written`() throws {
        let kinds = DeclarationKind.all
        let names = MigrationDeclaration.kinds.map { $0.element }
        #expect(kinds.map { $0.item.element }.sorted() == names.sorted())
        #expect((names + ["rename"]).sorted() == Vocabulary.declarations.sorted())
        for kind in kinds {
            let rule = try #require(Vocabulary.rules[kind.item.element])
            #expect(Set(kind.item.subject).isSubset(of: rule.attributes), "\(kind.item)")
        }
    }
}
