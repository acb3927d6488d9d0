import CambiumCompiler

// Codes LQ1xx to LQ8xx: effects of a step on existing stores
extension Explanation {
    static let ofLint: [Explanation] = [
        Explanation(
            .droppedSimilar, title: "Dropped data comes back under a similar name",
            meaning: """
                The migration drops something with its data, and the new version has a similar \
                thing with a similar name, or an entity with the same attributes. This may be a \
                rename that was declared as a drop. The values are then lost.
                """,
            remedy: """
                Write renamedFrom instead of the drop. If it is something else, suppress the \
                finding with the difference as the reason.
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
                The relationship was ordered, and is no longer. The positions of its objects are \
                deleted without a declaration. A migrated store does not know the order any more.
                """,
            remedy: """
                Leave it ordered. If the order was never used, suppress the finding with this \
                reason.
                """,
            before: album(#" ordered="true""#), wrong: album(),
            right: album(#" ordered="true""#) + "\n" + product()),
        Explanation(
            .uniqueOnRows, title: "Existing rows may violate the new unique constraint",
            meaning: """
                A unique constraint is new, and the stores in use may have objects with equal \
                values. Or objects become equal because their related objects are merged. Such a \
                store is not migrated, and stays as it was.
                """,
            remedy: """
                Declare the remaining object in the migration: <deduplicate>, after those of the \
                related objects. Or add a distinguishing property to the constraint. If there can \
                be no such objects, write it in a suppression. The next version has no such \
                warning.
                """,
            before: product(),
            after: product(
                #"<attribute name="sku" type="string"/>"#,
                #"<unique by="sku"/>"#),
            right: migration(
                #"<deduplicate entity="Product" by="sku" reason="the same product, entered twice"/>"#
            )),
        Explanation(
            .limitsOnRows, title: "Existing values may violate the new limits",
            meaning: """
                Limits are tighter. A store with a value beyond them is not migrated, and stays as \
                it was. If only the program can check the limit, the object is read, and its next \
                save fails.
                """,
            remedy: """
                Loosen the limits, or correct the values. A fill that reads the attribute's own \
                value is computed for every row. Any other fill only gives a value to rows without \
                one. If there can be no such values, say so in a suppression.
                """,
            before: product(#"<attribute name="stock" type="int32"/>"#),
            after: product(
                #"<attribute name="stock" type="int32" min="0"/>"#,
                #"<attribute name="note" type="string" optional="true"/>"#),
            right: migration(
                #"<fill entity="Product" attribute="stock" with="TERNARY(stock &lt; 0, 0, stock)"/>"#
            )),
        Explanation(
            .ruleOnRows, title: "Existing objects may violate the new rule",
            meaning: """
                A rule is new, or asks more than before. A store with an object that violates it \
                is not migrated. If only a save can check the rule, the object is read, and cannot \
                be saved.
                """,
            remedy: """
                Fill the attributes of the rule from their old values. If there can be no such \
                objects, say so in a suppression.
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
            .narrowedType, title: "Existing values may not fit their new type",
            meaning: """
                The new type holds fewer values than the old one. No value is cut or rounded: a \
                store with a value that does not fit cannot be opened, and stays unchanged.
                """,
            remedy: """
                Correct the values in a separate version, before the type changes, with a fill \
                that uses the old value. If there can be no such values, suppress the finding with \
                that reason.
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
            .countsOnRows, title: "Existing relationships may violate the new number of objects",
            meaning: """
                A save checks the number of related objects. An object with more or fewer of them \
                than the new version allows is read, and cannot be saved.
                """,
            remedy:
                "Widen min and max. If there can be no such objects, suppress the finding with that reason.",
            before: album(),
            wrong: album(
                #" max="20""#, #"<attribute name="note" type="string" optional="true"/>"#),
            right: album("", #"<attribute name="note" type="string" optional="true"/>"#)),
        Explanation(
            .abstractOnRows, title: "An entity with objects becomes abstract",
            meaning: """
                An abstract entity has no objects of its own. A store that has some \
                cannot be opened, and stays unchanged.
                """,
            remedy: """
                Keep the entity concrete, or let the program turn its objects into others before \
                this version ships. If there can be none, suppress the finding with that reason.
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
            .presenceOnRows, title: "Existing values may lack a part that is now required",
            meaning: """
                A value with several parts has all parts that are required, or is not there. If a \
                value lacks a part that was optional before, the store is not migrated. A required \
                part that is new, and that nothing fills, is an error: no value has it.
                """,
            remedy: """
                Leave the part optional, or fill it. Existing values get the part, and nil stays \
                nil. If there can be no such values, say so in a suppression.
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
            .externalOnRows, title: "Existing values may be in files",
            meaning: """
                The attribute kept large values in files, and is to keep all of them in the row. A \
                value in a file cannot be moved back. A store with such a value is not migrated, \
                and stays as it was.
                """,
            remedy: """
                Keep the old storage. If no value was ever larger than 100 KB, suppress the \
                finding with that reason.
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
                The attribute is required. Its fill reads an attribute that may be nil, divides by \
                one that may be 0, or gives nil in a branch. A store with such an object is not \
                migrated, and stays as it was.
                """,
            remedy: """
                Say what such objects get: TERNARY(note == nil, 'none', note), TERNARY(count == 0, \
                0, sum / count). A lower limit above 0 excludes the division by 0. If there are no \
                such objects for another reason, write it in a suppression.
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
            .needlessRebuild, title: "A fill rewrites a table for its default",
            meaning: """
                A column with a default is added without a row being written: SQLite notes the \
                value once, and every row has it. A fill rewrites every row. This takes time, and \
                twice the disk space. A fill with the value of the default has no other effect.
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
                row. If maxLength allows large values (more than 16 KB), the migration takes the \
                time and the disk space of a copy.
                """,
            remedy: """
                Keep large data in files (storage="external") or in an entity of its own. Or avoid \
                the change that rebuilds the table: swift package cambium diff shows this change.
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
            .indexInUse, title: "An index of a request was removed",
            meaning: """
                A named request finds or sorts by the first property of the index, and no other \
                index has it. It gives the same result as before and goes through the whole table \
                for it.
                """,
            remedy: "Keep the index, or remove the request if it is not used.",
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
                back-references, look-ahead, atomic groups or \\X all possibilities have to be \
                tried, and some texts have too many. Matching then stops, and the save \
                or the fetch fails with an error that names the pattern.
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
            .floatingUnique, title: "A floating-point number is unique",
            meaning: """
                Such numbers are compared to the last bit. Two that look equal, such as 0.3 \
                and 0.1 + 0.2, are different to the store, and both are saved.
                """,
            remedy: "Make it a decimal or an integer, or leave it out of the constraint.",
            wrong: .product(
                #"<attribute name="weight" type="double"/>"#,
                #"<unique by="weight"/>"#),
            right: .product(
                #"<attribute name="weight" type="decimal" scale="3"/>"#,
                #"<unique by="weight"/>"#)),
        Explanation(
            .inventedMoment, title: "Existing objects get the time of the migration",
            meaning: """
                A default of now says when an object was made. Existing objects get it too, in the \
                migration. Afterwards the true dates cannot be distinguished.
                """,
            remedy: """
                Make the attribute optional without a default, or fill it with another attribute \
                or with a date that means 'unknown'.
                """,
            before: product(),
            after: product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="created" type="date" default="now"/>"#),
            right: migration(
                #"<fill entity="Product" attribute="created" with="CAST(0, 'NSDate')"/>"#)),
        Explanation(
            .sameHash, title: "An older program cannot recognize the new store",
            meaning: """
                A store knows its version by a hash of its tables. If the hash differs, a program \
                of the older version does not open the new store. Limits, rules and values are not \
                part of the hash. If a step changes nothing else, the older program (an extension \
                that is still running, an older device) opens the new store as its own. It removes \
                the new conditions, and writes values that the new version does not allow. When \
                the newer program opens the store again, the step runs again: a fill that uses the \
                old value changes it twice.
                """,
            remedy: """
                Write a hashModifier, another one than before, at the entity: the older program \
                then reports that it cannot open the store.
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
                are no part of it. If a step changes nothing else, a program of the older version \
                opens the new store as its own, and fails to read objects with the new case.
                """,
            remedy: """
                Write a hashModifier, another one than before, at the entity that has the \
                enumeration: the older program then reports that it cannot open the store.
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
            .unusedSuppression, title: "A suppression has no effect",
            meaning: """
                There is no finding with the code in the element that the suppression is in. It \
                was corrected, or belonged to an older step, and the suppression would hide the \
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
            remedy: "Write the code that follows the finding in brackets, and a reason.",
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
