import Testing

/// A place of a model that takes a name, as the elements of a model in which `{n}` stands for the
/// name and `{i}` for the number of the model's part.
struct NamePosition: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let elements: String

    private init(_ description: String, _ elements: String) {
        testDescription = description
        self.elements = elements
    }

    /// The elements for a name.
    func elements(_ name: String, number: Int) -> String {
        elements.replacing("{n}", with: name).replacing("{i}", with: "\(number)x")
            .replacing("\n", with: " ")
    }

    /// What the other elements mention.
    static let common = """
        <enum name="Kindz"><case name="q"/></enum><composite name="Spotz">\
        <attribute name="xx" type="double"/><attribute name="yy" type="double" optional="true"/>\
        </composite>
        """

    /// Names within a class, a struct or a function: any number of them fit into one model.
    static let members: [NamePosition] = [
        .init(
            "an attribute",
            """
            <entity name="A{i}Q"><attribute name="{n}" type="string" optional="true" maxLength="5"/>
            <fetch name="ff"><parameter name="zp" type="A{i}Q"/>SELF == $zp</fetch></entity>
            """),
        .init(
            "an attribute of a superclass",
            """
            <entity name="B{i}Q"><attribute name="{n}" type="Kindz"/></entity>
            <entity name="C{i}Q" parent="B{i}Q">
            <attribute name="zz" type="int32" max="5" default="1"/></entity>
            """),
        .init(
            "a codable attribute",
            """
            <entity name="D{i}Q"><attribute name="{n}" type="codable" class="[String]" default="[]"/>
            <attribute name="z1" type="date" default="2001-01-01T00:00:05Z" optional="true"/>
            <attribute name="z2" type="decimal" scale="18" optional="true"
            default="1.234567890123456789"/></entity>
            """),
        .init(
            "a derived attribute",
            """
            <entity name="E{i}Q"><attribute name="zzz" type="string"/>
            <derived name="{n}" type="int64" expression="length:(zzz)"/></entity>
            """),
        .init(
            "a composite attribute",
            """
            <entity name="F{i}Q"><attribute name="{n}" type="Spotz" optional="true"/></entity>
            """),
        .init(
            "relationships",
            """
            <entity name="G{i}Q"><relationship name="{n}" to="G{i}Q" optional="true" inverse="zq"/>
            <relationship name="zq" to="G{i}Q" inverse="{n}" many="true"/></entity>
            <entity name="H{i}Q"><relationship name="{n}" to="G{i}Q" many="true" max="7"/></entity>
            """),
        .init(
            "a fetched property",
            """
            <entity name="I{i}Q"><fetched name="{n}" to="I{i}Q" where="TRUEPREDICATE"/></entity>
            """),
        .init(
            "a part of a composite value",
            """
            <composite name="J{i}Q"><attribute name="{n}" type="string" default="x"/></composite>
            <composite name="K{i}Q"><attribute name="{n}" type="J{i}Q" optional="true"/>
            <attribute name="zz" type="date" default="now"/></composite>
            <entity name="L{i}Q"><attribute name="zz" type="J{i}Q" optional="true"/>
            <attribute name="zy" type="K{i}Q"/></entity>
            """),
        .init(
            "a case",
            """
            <enum name="M{i}Q"><case name="{n}"/></enum><enum name="N{i}Q" type="int16">
            <case name="{n}" value="3"/></enum>
            <entity name="O{i}Q"><attribute name="z1" type="M{i}Q" default="{n}"/>
            <attribute name="z2" type="N{i}Q" optional="true" default="{n}"/></entity>
            """),
        .init(
            "a request",
            """
            <entity name="P{i}Q"><attribute name="zz" type="string"/>
            <fetch name="{n}" sort="zz"/></entity>
            """),
        .init(
            "a parameter",
            """
            <entity name="R{i}Q"><attribute name="zz" type="int32"/>
            <attribute name="zf" type="float"/><relationship name="zr" to="R{i}Q" optional="true"/>
            <fetch name="f1"><parameter name="{n}" type="int32"/>zz == ${n}</fetch>
            <fetch name="f2"><parameter name="{n}"/>zz IN ${n}</fetch>
            <fetch name="f3"><parameter name="{n}" type="R{i}Q"/>zr == ${n}</fetch>
            <fetch name="f4" result="count"><parameter name="{n}" type="float"/>zf == ${n}</fetch>
            </entity>
            """),
        .init(
            "a rule, an index, a note and a configuration",
            """
            <entity name="S{i}Q"><attribute name="zz" type="int32"><info key="{n}" value="{n}"/>
            </attribute><rule name="{n}">zz &gt; 0</rule><index name="{n}" by="zz"/></entity>
            <configuration name="{n}{i}" entities="S{i}Q"/>
            """),
    ]

    /// Names of types, each of which is a model's only one.
    static let types: [NamePosition] = [
        .init(
            "an entity",
            """
            <entity name="{n}"><attribute name="zz" type="string" maxLength="4" optional="true"/>
            <relationship name="rr" to="{n}" many="true"/>
            <relationship name="ss" to="{n}" optional="true"/>
            <fetch name="ff"><parameter name="zp" type="{n}"/>ss == $zp</fetch></entity>
            <entity name="A{i}Q" parent="{n}"/>
            """),
        .init(
            "an enumeration",
            """
            <enum name="{n}"><case name="none"/></enum>
            <composite name="A{i}Q"><attribute name="zz" type="{n}" optional="true" default="none"/>
            </composite><entity name="B{i}Q"><attribute name="zz" type="A{i}Q"/>
            <attribute name="z1" type="{n}" optional="true" default="none"/>
            <attribute name="z2" type="{n}"/>
            <fetch name="ff"><parameter name="zp"/>z1 == $zp</fetch></entity>
            """),
        .init(
            "a composite type",
            """
            <composite name="{n}"><attribute name="zz" type="date" optional="true" default="now"/>
            </composite>
            <composite name="A{i}Q"><attribute name="zz" type="{n}" optional="true"/></composite>
            <entity name="B{i}Q"><attribute name="z1" type="{n}" optional="true"/>
            <attribute name="z2" type="{n}"/><attribute name="z3" type="A{i}Q"/></entity>
            """),
        .init(
            "a class",
            """
            <entity name="A{i}Q" class="{n}">
            <attribute name="zz" type="decimal" scale="2" max="4.5" optional="true" default="3"/>
            </entity>
            """),
        .init(
            "an entity, its attribute and what is in its request",
            """
            <entity name="{n}"><attribute name="{n}" type="Kindz" optional="true"/>
            <fetch name="ff"><parameter name="{n}" type="Kindz"/>#{n} == ${n}</fetch></entity>
            """),
        .init(
            "an entity, its request and the parameter of that",
            """
            <entity name="{n}"><relationship name="zz" to="{n}" optional="true"/>
            <fetch name="{n}"><parameter name="{n}" type="{n}"/>zz == ${n}</fetch></entity>
            """),
        .init(
            "an entity and its relationship",
            """
            <entity name="{n}"><relationship name="{n}" to="{n}" optional="true"/></entity>
            """),
        .init(
            "an enumeration, its case and an attribute of it",
            """
            <enum name="{n}" type="int32"><case name="{n}"/></enum>
            <entity name="A{i}Q"><attribute name="{n}" type="{n}" default="{n}"/></entity>
            """),
        .init(
            "a composite type, its part and an attribute of it",
            """
            <composite name="{n}"><attribute name="{n}" type="string" optional="true"/></composite>
            <entity name="A{i}Q"><attribute name="{n}" type="{n}"/></entity>
            """),
    ]
}
