import CambiumCompiler

// Codes 7xx: migrations
extension Explanation {
    static let ofMigrations: [Explanation] = [
        Explanation(
            .wrongStartVersion, title: "The migration starts from another version",
            meaning: """
                A migration belongs to the step from the version just before. This one names \
                another, most often because the file was copied from an older version.
                """,
            remedy: """
                Delete the migration, if it belongs to an older step: what was done once is not \
                done again. Else write the version before into from.
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
            .unknownMigrationSubject, title: "The migration names something that does not exist",
            meaning: """
                A fill, a link, a requirement and a de-duplication name entities and properties as \
                the new version calls them, a drop as the old one did, a rename both. One of the \
                names does not exist in its version. The same applies to the declarations beside a \
                bundle, in its history; there the versions have to exist, too.
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
                Something was removed or is newly required, and a guess could lose data: \
                was it renamed or dropped? What do existing objects get? You decide. The \
                same applies to a case of an enumeration.
                """,
            remedy: """
                Write one of the lines that the notes propose: renamedFrom="…" on the new name, a \
                <drop> with the reason, a default, a <fill>, a <link>, or a <require> if you \
                know that every object has it. For a case: another one with its raw value, or a \
                <replace> with the reason.
                """,
            before: product(),
            wrong: product(#"<attribute name="number" type="string"/>"#),
            right: product(#"<attribute name="number" type="string" renamedFrom="sku"/>"#)),
        Explanation(
            .unprovenMigration, title: "The SQL fails on SQLite",
            meaning: """
                Every schema and every migration is run on an SQLite in memory, with rows, before \
                it is let into a program. This one fails there: a table has more columns than the \
                2000 that SQLite allows, the SQLite of this machine is older than 3.40, or the \
                compiler has a mistake.
                """,
            remedy: """
                Move attributes to an entity of their own. Otherwise update SQLite; if it is 3.40 \
                or later, please report the model and the message.
                """,
            wrong: .words(
                "A build on a machine with SQLite 3.34"),
            right: .words(
                "The same with SQLite 3.40 or later")),
        Explanation(
            .frozenVersionChanged, title: "A version that has shipped was changed",
            meaning: """
                The lock describes the version at the time when it was frozen. Stores that were \
                made by it are in use and stay as they are, so the file must not change: they \
                could no longer be opened, or the next migration would misinterpret them. The \
                notes show the former and the current content. How a file is laid out and spelled, \
                the order in it, comments, code generation, messages, named requests, merge and \
                delete rules may change.
                """,
            remedy: """
                Undo the change, make a new version (swift package cambium version new) and change \
                that. If the version has never left your machines: swift package cambium freeze \
                --again VERSION.
                """,
            wrong: .words("2.xml, which is frozen, with another attribute"),
            right: .words("2.xml as it shipped, and 3.xml with the other attribute")),
        Explanation(
            .frozenVersionMissing, title: "A version that has shipped is missing",
            meaning: """
                The lock names a version that is no longer in the bundle. Stores of it are in use, \
                and without the version there is no migration from them.
                """,
            remedy: """
                Take its file from version control. If no store of it is in use any more, delete \
                its lines from cambium.lock, and count one less in the last line.
                """,
            wrong: .words("cambium.lock names 1 and 2, and there is only 2.xml"),
            right: .words("cambium.lock names 1 and 2, and there are 1.xml and 2.xml")),
        Explanation(
            .impliedDrop, title: "A step that has shipped loses data",
            meaning: """
                Core Data drops what a new version no longer has, without a warning. If \
                the later versions of an Xcode bundle have shipped, the step does \
                what Core Data did, and the message names the deleted data.
                """,
            remedy: """
                Run swift package cambium freeze --history once: it writes the deleted data into \
                Name.history.xml beside the bundle, each with a reason, and the warning \
                disappears. If something was renamed instead, give the new entity or property the \
                renaming identifier of the old one.
                """,
            wrong: .words("Version 2 of 3 has no attribute title, which version 1 has"),
            right: .words("Version 2 has the attribute name with the renaming identifier title")),
        Explanation(
            .emptyProof, title: "The migration was proven without rows",
            meaning: """
                A migration is proven with sample rows, at least two of every entity \
                that it changes. The new version's conditions or types rejected all of them, \
                or all but one of some entities. A user's store with such rows could \
                not be opened. This happens if a fill gives all objects the same value, which \
                has to be unique. Or a drop with a condition deleted the rows, so the effect \
                on the remaining objects was not tested.
                """,
            remedy: """
                Loosen the conditions, or fill the attributes that they use: a fill that uses the \
                old value is computed for every row, and uuid() is another value in each. If your \
                rows do meet them, test the migration with a real store (swift package cambium \
                migrate rehearse). To drop all objects, write where="TRUEPREDICATE".
                """,
            wrong: .words("A new rule total == 7 over rows with any total"),
            right: .words("The rule, and for total the fill TERNARY(total == 7, total, 7)")),
        Explanation(
            .brokenChain, title: "Old stores cannot be migrated",
            meaning: """
                A step between two versions of a bundle of Xcode that have shipped needs more than \
                the two versions say, most often a mapping model with code. Stores of the older \
                version, and of those before it, cannot be opened; newer ones can.
                """,
            remedy: """
                Run swift package cambium freeze --history: it writes the declarations with the \
                least data loss into Name.history.xml beside the bundle. Then correct the values \
                there that your mapping supplied. If the note says that the step needs code, write \
                the migration that it shows into that file: your program then supplies the step.
                """,
            wrong: .words("A required attribute without a default, new in version 2 of 3"),
            right: .words("The same attribute with a default")),
        Explanation(
            .idleFill, title: "A fill changes nothing",
            meaning: """
                The attribute was required before, so every object has a value, and a fill is \
                for objects that have none, unless it uses the old value.
                """,
            remedy: """
                Compute the value from the old one, drop the attribute's old values so that all \
                objects get the new one, or remove the fill.
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
