import CambiumCompiler

// Codes LQ1xx to LQ8xx: effects of a step on existing stores
extension Explanation {
    static let ofLint: [Explanation] = [
        Explanation(
            .droppedSimilar, title: "Dropped data comes back under a similar name",
            meaning: """
                The migration drops a property or an entity with its data. The new version has a \
                property with a similar name, or an entity with the same attributes. If it was \
                renamed, the drop loses the values.
                """,
            remedy: """
                Write renamedFrom instead of the drop. If the new property or entity has another \
                meaning, suppress the finding, with the difference as the reason.
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
                The relationship was ordered, and is not ordered any more. The migration deletes \
                the positions of its objects, and needs no declaration for this.
                """,
            remedy: """
                Leave the relationship ordered. If the order was never used, suppress the finding \
                with this reason.
                """,
            before: album(#" ordered="true""#), wrong: album(),
            right: album(#" ordered="true""#) + "\n" + product()),
        Explanation(
            .uniqueOnRows, title: "Existing rows may violate the new unique constraint",
            meaning: """
                A unique constraint is new, and existing stores may have objects with equal \
                values. Or objects become equal because the migration merges their related \
                objects. A store with such objects is not migrated, and stays as it was.
                """,
            remedy: """
                Write a <deduplicate> in the migration: one of the equal objects remains. If the \
                constraint names a relationship, the <deduplicate> of the related entity comes \
                first. Or add a distinguishing property to the constraint. If there can be no \
                equal objects, suppress the finding with that reason. The next version has no such \
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
                The limits of an attribute are tighter than before. A store with a value beyond \
                the limits is not migrated, and stays as it was. If only the program can check the \
                limit, the store is migrated, but an object with such a value cannot be saved.
                """,
            remedy: """
                Loosen the limits, or correct the values. A fill that reads the attribute's own \
                value is computed for every row. Any other fill only gives a value to rows without \
                one. If there can be no values beyond the limits, suppress the finding with that \
                reason.
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
                A rule is new, or rejects more than before. A store with an object that violates \
                the rule is not migrated. If only a save can check the rule, the store is \
                migrated, but such an object cannot be saved.
                """,
            remedy: """
                Correct the attributes of the rule with a <fill> that reads their old values. If \
                no object can violate the rule, suppress the finding with that reason.
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
                The migration does not check the number of related objects, but a save does. An \
                object with more or fewer related objects than the new version allows cannot be \
                saved.
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
                An abstract entity has no objects of its own. A store that has objects of this \
                entity cannot be opened, and stays unchanged.
                """,
            remedy: """
                Do not make the entity abstract, or let the program replace its objects before \
                this version ships. If there can be no such objects, suppress the finding with \
                that reason.
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
                A value of a composite has all required parts, or is nil. If a value lacks a part \
                that was optional before and is required now, the store is not migrated. A new \
                required part without a <fill> is an error, because no value has this part.
                """,
            remedy: """
                Leave the part optional, or give it a value with a <fill>. Composites that are nil \
                stay nil. If no value can lack the part, suppress the finding with that reason.
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
                The attribute kept large values in files, and keeps all values in the row from now \
                on. A migration cannot move a value from a file into the row. A store with a value \
                in a file is not migrated, and stays as it was.
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
                Give such objects a value: TERNARY(note == nil, 'none', note), TERNARY(count == 0, \
                0, sum / count). If the divisor has a lower limit above 0, it cannot be 0. If \
                there can be no such objects for another reason, suppress the finding with that \
                reason.
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
                If a new column has a default, SQLite stores the default once and writes no row. A \
                <fill> rewrites every row, which takes time and twice the disk space. A <fill> \
                with the value of the default has no other effect.
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
                A change in this step rebuilds the table: every row is written again, with all its \
                values. If maxLength allows large values (more than 16 KB), the migration takes \
                the time and the disk space of a copy.
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
                A named request finds or sorts by the first property of a removed index, and no \
                other index begins with this property. The request has the same result as before, \
                but now reads the whole table.
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
                back-references, look-ahead, atomic groups or \\X, all possibilities have to be \
                tried, and for some texts these are too many. Matching then stops, and the save or \
                the fetch fails with an error that names the pattern.
                """,
            remedy: """
                Write the pattern without these constructs, or split it into several rules. \
                Possessive repetitions of single characters, such as [a-z]++, are matched in \
                linear time too.
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
                Floating-point numbers are compared to the last bit. Two numbers that look equal, \
                such as 0.3 and 0.1 + 0.2, are different to the store, and both are saved.
                """,
            remedy: """
                Make the attribute a decimal or an integer, or leave it out of the constraint.
                """,
            wrong: .product(
                #"<attribute name="weight" type="double"/>"#,
                #"<unique by="weight"/>"#),
            right: .product(
                #"<attribute name="weight" type="decimal" scale="3"/>"#,
                #"<unique by="weight"/>"#)),
        Explanation(
            .inventedMoment, title: "Existing objects get the time of the migration",
            meaning: """
                An attribute with default="now" has the time at which its object was made. In the \
                migration, existing objects get the time of the migration. Afterwards true and \
                false dates cannot be distinguished.
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
                A store knows its version by a name, and by a hash of its tables. Limits, rules \
                and values are not part of the hash. If a step changes nothing else, an older \
                program that has the store open, such as an extension, continues to use it, and \
                does not know the new conditions. If the numbers in the names of the versions \
                ascend, such as 1 and 2, an older program does not open the new store. With other \
                names, such as spring and autumn, it opens the new store as its own. Then it \
                removes the new conditions from the store, and writes values that the new version \
                does not allow. When the newer program opens the store again, the step runs again. \
                A fill that uses the old value then changes this value twice.
                """,
            remedy: """
                Write a new hashModifier at the entity. The older program then reports that it \
                cannot open the store.
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
                A store knows its version by a name, and by a hash of its tables. The cases of an \
                enumeration are not part of the hash. If a step changes nothing else, an older \
                program that has the store open continues to use it. If the names of the versions \
                have no ascending numbers, an older program also opens the new store as its own. \
                Reading an object with the new case then fails.
                """,
            remedy: """
                Write a new hashModifier at the entity with the enumeration. The older program \
                then reports that it cannot open the store.
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
                The element of the suppression has no finding with this code. The finding was \
                corrected, or belonged to an older step. The suppression would hide the next \
                finding with this code.
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
                A suppression needs the code of a warning, and the reason why the warning does not \
                apply here. Errors, and findings about suppressions themselves, cannot be \
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
