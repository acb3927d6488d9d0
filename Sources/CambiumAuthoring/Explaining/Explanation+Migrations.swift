import CambiumCompiler

// Codes 7xx: migrations
extension Explanation {
    static let ofMigrations: [Explanation] = [
        Explanation(
            .wrongStartVersion, title: "The migration starts from another version",
            meaning: """
                A <migration> belongs to the step from the previous version. This one names \
                another version, most often because the file was copied from an older version.
                """,
            remedy: """
                If the <migration> belongs to an older step, delete it from this version. \
                Otherwise write the name of the previous version into from.
                """,
            before: product(),
            after: product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="stock" type="int32"/>"#),
            wrong: """
                <migration from="0">
                  <fill entity="Product" attribute="stock" with="0"/>
                </migration>
                """,
            right: migration(#"<fill entity="Product" attribute="stock" with="0"/>"#)),
        Explanation(
            .unknownMigrationSubject, title: "The migration names something unknown",
            meaning: """
                A declaration in a <migration> names an entity, a property or a case that its \
                version does not have. A <drop>, and the case of a <replace>, have names of the \
                old version. The from of a <rename> is an old name. The entity, property or \
                relationship of any other declaration has its name in the new version. The same \
                applies to declarations in the history file beside a bundle. There the versions \
                must exist, too.
                """,
            remedy: "Correct the name, or delete the line.",
            before: product(),
            after: product(
                #"<attribute name="sku" type="string"/>"#,
                #"<attribute name="stock" type="int32"/>"#),
            wrong: migration(#"<fill entity="Product" attribute="stok" with="0"/>"#),
            right: migration(#"<fill entity="Product" attribute="stock" with="0"/>"#)),
        Explanation(
            .undecidedMigration, title: "The migration cannot be inferred",
            meaning: """
                The new version lacks something that the old one has, or requires something new. \
                The build cannot know whether the old part was renamed or dropped, or which value \
                existing objects get. A guess could lose data, so the model has to declare the \
                answer. The same applies to a removed case of an enumeration, because objects may \
                have this case.
                """,
            remedy: """
                Copy one of the lines that the notes propose. If something was renamed, write \
                renamedFrom="…" at the new name. If its data may be deleted, write a <drop> with \
                the reason. Give a new required attribute a default or a <fill>, and a new \
                required relationship a <link>. If you know that every object has a value already, \
                write a <require>. If a case was removed, give its raw value to another case, or \
                write a <replace> with the reason.
                """,
            before: product(),
            wrong: product(#"<attribute name="number" type="string"/>"#),
            right: product(#"<attribute name="number" type="string" renamedFrom="sku"/>"#)),
        Explanation(
            .unprovenMigration, title: "The SQL fails on SQLite",
            meaning: """
                The build runs every schema and every migration on an SQLite in memory, with rows. \
                This one fails there. A table has more than the 2000 columns that SQLite allows, \
                the SQLite of this machine is older than 3.40, or the compiler has a bug.
                """,
            remedy: """
                If a table has too many columns, move attributes to an entity of their own. If \
                SQLite is older than 3.40, update it. Otherwise please report the model and the \
                message.
                """,
            wrong: .words(
                "A build on a machine with SQLite 3.34"),
            right: .words(
                "The same with SQLite 3.40 or later")),
        Explanation(
            .frozenVersionChanged, title: "A shipped version was changed",
            meaning: """
                The lock has the content of the frozen version. Stores of this version are in use. \
                If the file of the version changes, these stores cannot be opened any more, or the \
                next migration assumes tables that these stores do not have. The notes show the \
                old and the new state. Layout, spelling, order, comments, code generation, \
                messages, named requests, merge and delete rules may change.
                """,
            remedy: """
                Undo the change. Make a new version (swift package cambium version new), and \
                change that version. If the version has never left your machines: swift package \
                cambium freeze --again VERSION.
                """,
            wrong: .words("2.xml, which is frozen, with another attribute"),
            right: .words("2.xml as it shipped, and 3.xml with the other attribute")),
        Explanation(
            .frozenVersionMissing, title: "A shipped version is missing",
            meaning: """
                The lock names a version that is no longer in the bundle. Stores of this version \
                are in use, and without its file they cannot be migrated.
                """,
            remedy: """
                Take the file of the version from version control. If no store of the version is \
                in use any more, delete the version's lines from cambium.lock, and count one less \
                in the last line.
                """,
            wrong: .words("cambium.lock names 1 and 2, and there is only 2.xml"),
            right: .words("cambium.lock names 1 and 2, and there are 1.xml and 2.xml")),
        Explanation(
            .impliedDrop, title: "A shipped step loses data",
            meaning: """
                If a new version lacks something, Core Data deletes its data without asking. The \
                step between two shipped versions does the same, and the message names the deleted \
                data.
                """,
            remedy: """
                Run swift package cambium freeze --history once. It declares the deleted data in \
                Name.history.xml beside the bundle, each with a reason, and the warning \
                disappears. If something was renamed, give the new entity or property the renaming \
                identifier of the old one.
                """,
            wrong: .words("Version 2 of 3 has no attribute title, which version 1 has"),
            right: .words("Version 2 has the attribute name with the renaming identifier title")),
        Explanation(
            .emptyProof, title: "The migration was proven without rows",
            meaning: """
                The build tests a migration with generated rows, at least two of every entity that \
                the migration changes. The new version's conditions or types rejected all rows of \
                an entity, or all but one. A user's rows could be rejected in the same way. For \
                example, a fill gives the same value to all objects of a unique property. Or a \
                <drop> with a condition deleted the rows, so the remaining objects were not \
                tested.
                """,
            remedy: """
                Loosen the conditions, or correct the values with a <fill>. A fill that reads the \
                old value is computed for every row, and uuid() is different in each row. If your \
                rows meet the conditions, test the migration with a real store (swift package \
                cambium migrate rehearse). To delete all objects, write a <drop> with \
                where="TRUEPREDICATE".
                """,
            wrong: .words("A new rule total == 7 over rows with any total"),
            right: .words("The rule, and for total the fill TERNARY(total == 7, total, 7)")),
        Explanation(
            .brokenChain, title: "Old stores cannot be migrated",
            meaning: """
                A step between two shipped versions of a bundle of Xcode cannot be inferred. Most \
                often it had a mapping model with code. Stores of the older version, and of \
                versions before it, cannot be opened. Newer stores can be opened.
                """,
            remedy: """
                Run swift package cambium freeze --history. It declares the variant with the least \
                loss, in Name.history.xml beside the bundle. Then correct the values in this file, \
                as your mapping model did. If the note says that the step needs code, write the \
                shown migration into that file. Your program then contains the step.
                """,
            wrong: .words("A required attribute without a default, new in version 2 of 3"),
            right: .words("The same attribute with a default")),
        Explanation(
            .idleFill, title: "A fill changes nothing",
            meaning: """
                The attribute was required before, so every object has a value. A <fill> applies \
                only to objects without a value, unless it reads the old value.
                """,
            remedy: """
                Compute the new value from the old one. Or write a <drop> of the attribute, so \
                that all objects get the new value. Or remove the <fill>.
                """,
            before: product(#"<attribute name="price" type="double"/>"#),
            wrong: """
                <entity name="Product">
                  <attribute name="price" type="double"/>
                </entity>
                <migration from="1">
                  <fill entity="Product" attribute="price" with="9.5"/>
                </migration>
                """,
            right: """
                <entity name="Product">
                  <attribute name="price" type="double" hashModifier="2"/>
                </entity>
                <migration from="1">
                  <fill entity="Product" attribute="price" with="price * 1.19"/>
                </migration>
                """),
    ]
}
