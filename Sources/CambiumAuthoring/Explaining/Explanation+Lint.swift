import CambiumCompiler

// Codes LQ1xx to LQ8xx: effects of a step on existing stores
extension Explanation {
    static let ofLint: [Explanation] = [
        Explanation(
            .droppedTwin, title: "What is dropped comes back under nearly the same name",
            meaning: """
                The migration drops something with its data, and the new version has something \
                alike under a name that is nearly the same, or an entity with the same attributes. \
                That is what a rename looks like that was taken for a drop: the values are gone \
                for good.
                """,
            remedy: """
                Write renamedFrom instead of the drop. If it is another thing, suppress the \
                finding and say what the difference is.
                """,
            before: product(#"<attribute name="colour" type="string" optional="true"/>"#),
            wrong: """
                <entity name="Product">
                  <attribute name="color" type="string" optional="true"/>
                </entity>
                <migration from="1">
                  <drop entity="Product" property="colour" reason="misspelt"/>
                </migration>
                """,
            right: product(
                #"<attribute name="color" type="string" optional="true" renamedFrom="colour"/>"#)),
        Explanation(
            .lostOrder, title: "A list loses its order",
            meaning: """
                The relationship was ordered, and is no longer. The places of its objects are \
                dropped without a word from the author: a store that has been migrated cannot tell \
                what came first.
                """,
            remedy: """
                Leave it ordered. If nobody has ever given it an order that counts, suppress the \
                finding and say so.
                """,
            before: album(#" ordered="true""#), wrong: album(),
            right: album(#" ordered="true""#) + "\n" + product()),
        Explanation(
            .uniqueOnRows, title: "Rows that are there may not be unique",
            meaning: """
                A uniqueness constraint is new, and nothing says whether the stores in use have \
                objects that share the values. Or objects become equal as those that they lead to \
                become one. Such a store is refused when it is opened, and stays as it was.
                """,
            remedy: """
                Say in the migration which of several equal objects stays: <deduplicate>, after \
                those of the objects that they lead to. Or add to the constraint what tells them \
                apart. If there can be no such objects, say so in a suppression; the next version \
                does not warn of it any more.
                """,
            before: product(),
            after: product(
                #"<attribute name="sku" type="string"/>"#,
                #"<unique by="sku"/>"#),
            right: migration(
                #"<deduplicate entity="Product" by="sku" reason="the same product, entered twice"/>"#
            )),
        Explanation(
            .limitsOnRows, title: "Values that are there may be beyond the new limits",
            meaning: """
                Limits are tighter. A store with a value beyond them is refused when it is opened \
                and stays as it was; of what the store itself cannot check, the object is read, \
                and refused when it is saved next.
                """,
            remedy: """
                Loosen the limits, or put the values right: a fill that looks at the attribute's \
                own value is computed for every row; any other gives a value to rows without one, \
                and puts nothing right. If there can be no such values, say so in a suppression.
                """,
            before: product(#"<attribute name="stock" type="int32"/>"#),
            after: product(
                #"<attribute name="stock" type="int32" min="0"/>"#,
                #"<attribute name="note" type="string" optional="true"/>"#),
            right: migration(
                #"<fill entity="Product" attribute="stock" with="TERNARY(stock &lt; 0, 0, stock)"/>"#
            )),
        Explanation(
            .ruleOnRows, title: "Objects that are there may not meet the new rule",
            meaning: """
                A rule is new, or asks more than before. A store with an object that does not meet \
                it is refused when it is opened; where only a save can check the rule, the object \
                is read and cannot be saved.
                """,
            remedy: """
                Fill what the rule looks at, from its old value. If there can be no such objects, \
                say so in a suppression.
                """,
            before: product(#"<attribute name="price" type="int32"/>"#),
            after: product(
                #"<attribute name="price" type="int32"/>"#,
                #"<attribute name="note" type="string" optional="true"/>"#,
                #"<rule name="priced">price &gt; 0</rule>"#),
            right: migration(
                #"<fill entity="Product" attribute="price" with="TERNARY(price &gt; 0, price, 1)"/>"#
            )),
        Explanation(
            .narrowedType, title: "Values that are there may not fit their new type",
            meaning: """
                The new type holds fewer values than the old one. No value is cut or rounded: a \
                store with one that does not fit is refused, and stays as it was.
                """,
            remedy: """
                Put the values right in a version of their own, before the type changes, with a \
                fill that looks at the old value. If there can be no such values, say so in a \
                suppression.
                """,
            before: product(#"<attribute name="stock" type="int64"/>"#),
            wrong: product(#"<attribute name="stock" type="int16"/>"#),
            right: """
                <entity name="Product">
                  <attribute name="stock" type="int64"/>
                  <attribute name="note" type="string" optional="true"/>
                </entity>
                <migration from="1">
                  <fill entity="Product" attribute="stock" with="TERNARY(stock &gt; 30000, 30000, stock)"/>
                </migration>
                """),
        Explanation(
            .countsOnRows, title: "A relationship may have more or fewer objects than it may now",
            meaning: """
                How many objects a relationship leads to is checked when an object is saved. One \
                that leads to more than the new version allows, or to fewer, is read and cannot be \
                saved.
                """,
            remedy: "Widen min and max. If there can be no such objects, say so in a suppression.",
            before: album(),
            wrong: album(
                #" max="20""#, #"<attribute name="note" type="string" optional="true"/>"#),
            right: album("", #"<attribute name="note" type="string" optional="true"/>"#)),
        Explanation(
            .abstractOnRows, title: "An entity that may have objects becomes abstract",
            meaning: """
                An abstract entity has no objects of its own. A store that has some is refused \
                when it is opened, and stays as it was.
                """,
            remedy: """
                Leave the entity as it was, or let the program turn its objects into others before \
                this version ships. If there can be none, say so in a suppression.
                """,
            before: """
                <entity name="Product">
                  <attribute name="sku" type="string"/>
                </entity>
                <entity name="Book" parent="Product"/>
                """,
            wrong: """
                <entity name="Product" abstract="true">
                  <attribute name="sku" type="string"/>
                  <attribute name="note" type="string" optional="true"/>
                </entity>
                <entity name="Book" parent="Product"/>
                """,
            right: """
                <entity name="Product">
                  <attribute name="sku" type="string"/>
                  <attribute name="note" type="string" optional="true"/>
                </entity>
                <entity name="Book" parent="Product"/>
                """),
        Explanation(
            .presenceOnRows, title: "Values that are there may lack a part that is required now",
            meaning: """
                A value with several parts has all parts that are required, or is not there. One \
                that lacks a part which was optional before makes the store refused when it is \
                opened. A required part that is new, and that nothing fills, is an error: no value \
                has it.
                """,
            remedy: """
                Leave the part optional, or fill it: the values that are there get it, and where \
                there is no value, there is none afterwards. If there can be no such values, say \
                so in a suppression.
                """,
            before: """
                <composite name="Address">
                  <attribute name="city" type="string"/>
                  <attribute name="street" type="string" optional="true"/>
                </composite>
                <entity name="Product">
                  <attribute name="origin" type="Address" optional="true"/>
                </entity>
                """,
            wrong: """
                <composite name="Address">
                  <attribute name="city" type="string"/>
                  <attribute name="street" type="string"/>
                </composite>
                <entity name="Product">
                  <attribute name="origin" type="Address" optional="true"/>
                  <attribute name="note" type="string" optional="true"/>
                </entity>
                """,
            right: """
                <composite name="Address">
                  <attribute name="city" type="string"/>
                  <attribute name="street" type="string" optional="true"/>
                </composite>
                <entity name="Product">
                  <attribute name="origin" type="Address" optional="true"/>
                  <attribute name="note" type="string" optional="true"/>
                </entity>
                """),
        Explanation(
            .externalOnRows, title: "Values that are there may lie in files",
            meaning: """
                The attribute kept large values in files, and is to keep all of them in the row. \
                What lies in a file cannot come back: a store with such a value is refused when it \
                is opened, and stays as it was.
                """,
            remedy: """
                Leave storage as it was. If no value was ever larger than 100 KB, say so in a \
                suppression.
                """,
            before: product(
                #"<attribute name="photo" type="data" optional="true" storage="external"/>"#),
            wrong: product(#"<attribute name="photo" type="data" optional="true"/>"#),
            right: product(
                #"<attribute name="photo" type="data" optional="true" storage="external"/>"#,
                #"<attribute name="note" type="string" optional="true"/>"#)),
        Explanation(
            .emptyFill, title: "A fill has no value for some objects",
            meaning: """
                The attribute is required, and its fill looks at one that may be nil, divides by \
                one that may be 0, or says nil in a branch. A store with an object where that is \
                so has no value to put there: it is refused when it is opened, and stays as it \
                was.
                """,
            remedy: """
                Say what such objects get: TERNARY(note == nil, 'none', note), TERNARY(count == 0, \
                0, sum / count). A lower limit of more than 0 says that there is none to divide \
                by; else, if there can be no such object, say so in a suppression.
                """,
            before: product(#"<attribute name="note" type="string" optional="true"/>"#),
            after: product(
                #"<attribute name="note" type="string" optional="true"/>"#,
                #"<attribute name="label" type="string"/>"#),
            wrong: migration(#"<fill entity="Product" attribute="label" with="note"/>"#),
            right: """
                <migration from="1">
                  <fill entity="Product" attribute="label" with="TERNARY(note == nil, 'none', note)"/>
                </migration>
                """),
        Explanation(
            .needlessRebuild, title: "A table is rebuilt for what its default says",
            meaning: """
                A column with a default is added without a row being written: SQLite notes the \
                value once, and every row has it. A fill writes every row again, which takes time \
                and twice the room; one that says the same as the default does so for nothing.
                """,
            remedy: "Remove the fill.",
            before: product(),
            after: product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="stock" type="int32" default="0"/>"#),
            wrong: migration(#"<fill entity="Product" attribute="stock" with="0"/>"#)),
        Explanation(
            .rebuiltData, title: "A table with large data is rebuilt",
            meaning: """
                Some changes need every row to be written again, and with it everything in the \
                row. Where maxLength says that this may be a lot (more than 16 KB), the migration \
                takes as long as copying it, and as much room again.
                """,
            remedy: """
                Keep such data in files (storage="external") or in an entity of its own, or do \
                without the change. swift package cambium diff says what makes it necessary.
                """,
            wrong: .versions(
                """
                <entity name="Photo">
                  <attribute name="image" type="data" maxLength="5000000"/>
                  <attribute name="caption" type="string" optional="true"/>
                </entity>
                """,
                """
                <entity name="Photo">
                  <attribute name="image" type="data" maxLength="5000000"/>
                </entity>
                <migration from="1">
                  <drop entity="Photo" property="caption" reason="never shown"/>
                </migration>
                """),
            right: .versions(
                """
                <entity name="Photo">
                  <attribute name="image" type="data" maxLength="5000000" storage="external"/>
                  <attribute name="caption" type="string" optional="true"/>
                </entity>
                """,
                """
                <entity name="Photo">
                  <attribute name="image" type="data" maxLength="5000000" storage="external"/>
                </entity>
                <migration from="1">
                  <drop entity="Photo" property="caption" reason="never shown"/>
                </migration>
                """)),
        Explanation(
            .indexInUse, title: "An index that a request uses is gone",
            meaning: """
                A named request finds, or sorts, by what the index began with, and no other index \
                does. It gives the same result as before and goes through the whole table for it.
                """,
            remedy: "Keep the index, or remove the request if nobody uses it.",
            before: """
                <entity name="Product">
                  <attribute name="title" type="string"/>
                  <attribute name="price" type="int32"/>
                  <index by="price"/>
                  <fetch name="cheap" sort="title"><parameter name="limit"/>price &lt; $limit</fetch>
                </entity>
                """,
            wrong: """
                <entity name="Product">
                  <attribute name="title" type="string"/>
                  <attribute name="price" type="int32"/>
                  <fetch name="cheap" sort="title"><parameter name="limit"/>price &lt; $limit</fetch>
                </entity>
                """,
            right: """
                <entity name="Product">
                  <attribute name="title" type="string"/>
                  <attribute name="price" type="int32"/>
                  <index by="price, title"/>
                  <fetch name="cheap" sort="title"><parameter name="limit"/>price &lt; $limit</fetch>
                </entity>
                """),
        Explanation(
            .costlyPattern, title: "A pattern cannot be matched in linear time",
            meaning: """
                Most patterns are matched in time that grows with the length of the text. With \
                back-references, look-ahead, atomic groups or \\X ways have to be tried one after \
                the other, and a text can be made for which there are too many. The match is given \
                up then, and the save or the fetch fails with an error that names the pattern.
                """,
            remedy: """
                Write the pattern without them, or split it into several rules. Possessive \
                repetitions of single characters, such as [a-z]++, are matched in linear time too.
                """,
            wrong: """
                <entity name="User">
                  <attribute name="password" type="string" pattern="(?=.*[0-9]).{8,}"/>
                </entity>
                """,
            right: """
                <entity name="User">
                  <attribute name="password" type="string" minLength="8" pattern=".*[0-9].*"/>
                </entity>
                """),
        Explanation(
            .floatingUnique, title: "A floating-point number is to be unique",
            meaning: """
                Such numbers are compared to the last bit. Two that a person takes for equal, such \
                as 0.3 and 0.1 + 0.2, are two to the store, and both are saved.
                """,
            remedy: "Make it a decimal or a whole number, or leave it out of the constraint.",
            wrong: .product(
                #"<attribute name="weight" type="double"/>"#,
                #"<unique by="weight"/>"#),
            right: .product(
                #"<attribute name="weight" type="decimal" scale="3"/>"#,
                #"<unique by="weight"/>"#)),
        Explanation(
            .inventedMoment, title: "Objects get the moment of the migration as their own",
            meaning: """
                A default of now says when an object was made. Objects that are there get it too, \
                when the store is migrated, and nobody can tell afterwards which of these dates \
                are true.
                """,
            remedy: """
                Make the attribute optional without a default, or fill it with another attribute \
                or with a date that says that it is not known.
                """,
            before: product(),
            after: product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="created" type="date" default="now"/>"#),
            right: migration(
                #"<fill entity="Product" attribute="created" with="CAST(0, 'NSDate')"/>"#)),
        Explanation(
            .sameHash, title: "A store looks the same to the older program",
            meaning: """
                A store knows its version by a hash of its tables. Limits, rules and values are no \
                part of it: where a step changes nothing else, a program of the older version (an \
                extension that is still running, an older device) opens the new store as its own, \
                takes the conditions out, and writes what the new version does not allow. When the \
                newer program comes back, the step runs again: a fill that looks at the old value \
                changes it twice.
                """,
            remedy: """
                Write a hashModifier, another one than before, at the entity: the older program \
                then says that it cannot open the store.
                """,
            before: product(#"<attribute name="price" type="double"/>"#),
            wrong: """
                <entity name="Product">
                  <attribute name="price" type="double"/>
                </entity>
                <migration from="1">
                  <fill entity="Product" attribute="price" with="price * 1.19"/>
                </migration>
                """,
            right: """
                <entity name="Product" hashModifier="2">
                  <attribute name="price" type="double"/>
                </entity>
                <migration from="1">
                  <fill entity="Product" attribute="price" with="price * 1.19"/>
                </migration>
                """),
        Explanation(
            .unknownCase, title: "The older program cannot read a new case",
            meaning: """
                A store knows its version by a hash of its tables, and the cases of an enumeration \
                are no part of it. Where a step changes nothing else, a program of the older \
                version opens the new store as its own, and fails to read objects with the new \
                case.
                """,
            remedy: """
                Write a hashModifier, another one than before, at the entity that has the \
                enumeration: the older program then says that it cannot open the store.
                """,
            before: """
                <enum name="Kind"><case name="book"/></enum>
                <entity name="Product">
                  <attribute name="kind" type="Kind"/>
                </entity>
                """,
            after: """
                <enum name="Kind"><case name="book"/><case name="toy"/></enum>
                """,
            wrong: product(#"<attribute name="kind" type="Kind"/>"#),
            right: """
                <entity name="Product" hashModifier="2">
                  <attribute name="kind" type="Kind"/>
                </entity>
                """),
        Explanation(
            .unusedSuppression, title: "A suppression suppresses nothing",
            meaning: """
                There is no finding with the code in the element that the suppression is in. It \
                was put right, or belonged to an older step, and the suppression would hide the \
                next one.
                """,
            remedy: "Remove the suppression.",
            wrong: """
                <entity name="Product">
                  <attribute name="isOpen" type="bool">
                    <suppress code="CM407" reason="not asked yet"/>
                  </attribute>
                </entity>
                """,
            right: """
                <entity name="Product">
                  <attribute name="isOpen" type="bool" optional="true">
                    <suppress code="CM407" reason="not asked yet"/>
                  </attribute>
                </entity>
                """),
        Explanation(
            .invalidSuppression, title: "A suppression is not complete",
            meaning: """
                A suppression names the code of a warning and the reason why the warning is right \
                to be ignored here. Errors, and findings about suppressions themselves, cannot be \
                suppressed.
                """,
            remedy: "Write the code that stands in brackets after the finding, and a reason.",
            wrong: """
                <entity name="Product">
                  <attribute name="isOpen" type="bool" optional="true">
                    <suppress code="CM407" reason=" "/>
                  </attribute>
                </entity>
                """,
            right: """
                <entity name="Product">
                  <attribute name="isOpen" type="bool" optional="true">
                    <suppress code="CM407" reason="not asked yet"/>
                  </attribute>
                </entity>
                """),
    ]
}
