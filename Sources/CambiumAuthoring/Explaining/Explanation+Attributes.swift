import CambiumCompiler
import CambiumModel

// Codes 4xx: attributes and enumerations
extension Explanation {
    static let ofAttributes: [Explanation] = [
        Explanation(
            .unknownType, title: "Unknown type",
            meaning: """
                Types are \(AttributeType.plain.map(\.word).joined(separator: ", ")), and the \
                names of the model's own enumerations. Names of other languages (Boolean, Integer \
                16, text) are not types; the note suggests the type to use.
                """,
            remedy: "Write one of the types.",
            wrong: .product(#"<attribute name="isNew" type="Boolean" default="false"/>"#),
            right: .product(#"<attribute name="isNew" type="bool" default="false"/>"#)),
        Explanation(
            .wrongDefault, title: "The value does not fit the type",
            meaning: """
                A default, a limit or a raw value is not a value of its type. For example, 40000 \
                is too large for int16, a decimal has more places than its scale, or the \
                enumeration has no such case.
                """,
            remedy: """
                Write a value of the type: true or false, 42, 9.95, 2026-11-21, \
                2026-11-21T10:00:00Z, now (dates), new (UUIDs), the name of a case.
                """,
            wrong: .product(#"<attribute name="stock" type="int16" default="40000"/>"#),
            right: .product(#"<attribute name="stock" type="int32" default="40000"/>"#)),
        Explanation(
            .inapplicable, title: "This has no effect on the type",
            meaning: """
                Each limit belongs to some types: min and max to numbers and dates, minLength, \
                maxLength and pattern to strings, scale to decimals, merge="sum" to numbers. \
                Elsewhere it would have no effect.
                """,
            remedy: """
                Delete the XML attribute, or use one that the type has, such as minLength instead \
                of min for a string.
                """,
            wrong: .product(#"<attribute name="sku" type="string" min="1"/>"#),
            right: .product(#"<attribute name="sku" type="string" minLength="1"/>"#)),
        Explanation(
            .contradictoryLimits, title: "No value meets the limits",
            meaning: """
                The least value is greater than the greatest, so that no object could ever be saved.
                """,
            remedy: "Swap the two, or correct the wrong one.",
            wrong: .product(#"<attribute name="stock" type="int32" min="9" max="3"/>"#),
            right: .product(#"<attribute name="stock" type="int32" min="3" max="9"/>"#)),
        Explanation(
            .invalidPattern, title: "The pattern is not a regular expression",
            meaning: """
                A pattern is a regular expression that the whole string has to match. This one \
                cannot be read.
                """,
            remedy: """
                Close brackets and groups; write a backslash before a character with a special \
                meaning.
                """,
            wrong: .product(#"<attribute name="sku" type="string" pattern="[A-Z"/>"#),
            right: .product(#"<attribute name="sku" type="string" pattern="[A-Z]+"/>"#)),
        Explanation(
            .defaultBeyondLimits, title: "The value violates the attribute's own limits",
            meaning: """
                Every new object, or every migrated one, would start with a value that its own \
                validation rejects.
                """,
            remedy: "Choose a default or fill within the limits, or widen them.",
            wrong: .product(#"<attribute name="stock" type="int32" min="0" default="-1"/>"#),
            right: .product(#"<attribute name="stock" type="int32" min="0" default="0"/>"#)),
        Explanation(
            .optionalBool, title: "An optional bool has three values",
            meaning: """
                The values are true, false and nil. Every condition has to handle nil, and many \
                conditions do not. Three values are seldom intended.
                """,
            remedy: """
                Make the attribute required, with a default. If there are really three answers, \
                name them in an enumeration.
                """,
            wrong: .product(#"<attribute name="isNew" type="bool" optional="true"/>"#),
            right: .product(#"<attribute name="isNew" type="bool" default="false"/>"#)),
        Explanation(
            .emptyEnumeration, title: "The enumeration has no case",
            meaning: """
                An attribute of this type could not have any value. Swift does not allow an \
                enumeration with a raw type and without cases.
                """,
            remedy: "Add cases, or delete the enumeration.",
            wrong: """
                <enum name="Kind"/>
                <entity name="Product">
                  <attribute name="sku" type="string"/>
                </entity>
                """,
            right: """
                <enum name="Kind"><case name="book"/></enum>
                <entity name="Product">
                  <attribute name="kind" type="Kind"/>
                </entity>
                """),
        Explanation(
            .duplicateRawValue, title: "Two cases have the same raw value",
            meaning: """
                The store has the raw values of cases. If two cases had the same raw value, a \
                stored value could mean either case. A case without a value has its name as the \
                raw value, or the number after the previous case.
                """,
            remedy: "Give each case a value of its own.",
            wrong: """
                <enum name="Kind">
                  <case name="book"/>
                  <case name="volume" value="book"/>
                </enum>
                <entity name="Product">
                  <attribute name="kind" type="Kind"/>
                </entity>
                """,
            right: """
                <enum name="Kind">
                  <case name="book"/>
                  <case name="volume"/>
                </enum>
                <entity name="Product">
                  <attribute name="kind" type="Kind"/>
                </entity>
                """),
        Explanation(
            .codableWithoutDefault, title: "A required codable has no initial value",
            meaning: """
                A required property has a value from the first moment on. For a type of your \
                program, the compiler cannot choose this value.
                """,
            remedy: "Write the default as JSON, or make the attribute optional.",
            wrong: .product(#"<attribute name="labels" type="codable" class="[String]"/>"#),
            right: .product(
                #"<attribute name="labels" type="codable" class="[String]" default="[]"/>"#)),
        Explanation(
            .madeOptional, title: "A required property of Xcode is optional here",
            meaning: """
                Core Data lets a required transformable or derived attribute be nil until its \
                object is saved. In Swift a required property is never nil. This attribute has no \
                initial value, so it is optional in the generated class.
                """,
            remedy: """
                If an optional property is right, do nothing, or make the attribute optional in \
                the model. Otherwise give the attribute a default.
                """,
            wrong: .words(
                "A required transformable without a default, in a model of Xcode"),
            right: .words(
                "The same, optional")),
        Explanation(
            .invalidClass, title: "The class is not the name of a Swift type",
            meaning: """
                The class is written into Swift code unchanged, so it must be a type. Possible are \
                names with dots and generic arguments, [Element], [Key: Value], and a ? behind \
                each of these.
                """,
            remedy: "Write the type as Swift does, without a module or access level before it.",
            wrong: .product(
                #"<attribute name="labels" type="codable" class="[String" default="[]"/>"#),
            right: .product(
                #"<attribute name="labels" type="codable" class="[String]" default="[]"/>"#)),
        Explanation(
            .compositeCycle, title: "A composite contains itself",
            meaning: """
                A composite is stored as a column for each of its parts. If a composite contained \
                itself, directly or through other composites, the number of columns would be \
                infinite.
                """,
            remedy:
                "Use a relationship to an entity for nested things of the same kind.",
            wrong: """
                <composite name="Box">
                  <attribute name="inner" type="Box" optional="true"/>
                </composite>
                <entity name="Product">
                  <attribute name="box" type="Box"/>
                </entity>
                """,
            right: """
                <composite name="Box">
                  <attribute name="width" type="int32"/>
                </composite>
                <entity name="Product">
                  <attribute name="box" type="Box"/>
                </entity>
                """),
        Explanation(
            .fixedValue, title: "The limits leave a single value",
            meaning: """
                An attribute that can have only one value has no information, and takes space in every row.
                """,
            remedy: "Widen the limits, or leave the attribute out.",
            wrong: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="stock" type="int32" min="1" max="1"/>"#),
            right: .product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="stock" type="int32" min="0" max="1"/>"#)),
        Explanation(
            .unusedType, title: "The type is not used",
            meaning: """
                The model declares an enumeration or a composite, but no attribute is of this \
                type. Most often the attribute was forgotten, or still has another type.
                """,
            remedy: "Use the type, or remove it.",
            wrong: """
                <enum name="Kind"><case name="book"/><case name="toy"/></enum>
                <entity name="Product">
                  <attribute name="kind" type="string"/>
                </entity>
                """,
            right: """
                <enum name="Kind"><case name="book"/><case name="toy"/></enum>
                <entity name="Product">
                  <attribute name="kind" type="Kind"/>
                </entity>
                """),
        Explanation(
            .smallExternalData, title: "Small data is kept in files of its own",
            meaning: """
                A file for each value is worth its cost for large values. Small ones are read and \
                written faster in the row.
                """,
            remedy: #"Remove storage="external", or raise maxLength."#,
            wrong: .product(
                #"<attribute name="icon" type="data" maxLength="1000" storage="external"/>"#),
            right: .product(#"<attribute name="icon" type="data" maxLength="1000"/>"#)),
    ]
}
