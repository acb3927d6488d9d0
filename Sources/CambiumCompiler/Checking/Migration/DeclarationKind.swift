import CambiumModel
import CambiumPlan

/// A kind of declaration of a migration: what the compiler knows of it beside how it is written.
struct DeclarationKind: Sendable {
    /// All but renames, which stand with what they rename. Each stands beside what checks it.
    static let all = gains + losses + [replacement, step]

    /// What is declared.
    let item: any MigrationItem.Type
    /// What it means for the data; the first is the usual one.
    let classes: [MigrationKind]
    /// From how many on their order counts: then each has its number in the lock.
    let numberedFrom: Int
    /// Adds what the elements of the kind in a migration from one version to another declare. What
    /// is wrong is reported.
    let check:
        @Sendable (
            inout MigrationDeclaration, ParsedElement, ModelChecker, Model, Model?
        ) -> Void
    /// The declarations of a migration without errors, with their elements.
    let pairs:
        @Sendable (MigrationDeclaration, ParsedElement) -> [(any MigrationItem, ParsedElement)]

    /// - Parameters:
    ///   - pairs: What is declared by which element, as the lock has it.
    ///   - check: What an element declares.
    init<Item: MigrationItem>(
        _ item: Item.Type, _ classes: [MigrationKind], numberedFrom: Int = .max,
        pairs: @escaping @Sendable ([Item], [ParsedElement]) -> [(Item, ParsedElement)] = {
            Array(zip($0, $1))
        },
        check: @escaping @Sendable (ModelChecker, ParsedElement, Model, Model?) -> [Item?]
    ) {
        self.item = item
        self.classes = classes
        self.numberedFrom = numberedFrom
        self.check = { declaration, migration, checker, model, old in
            for element in migration.children(named: Item.element) {
                for case let item? in check(checker, element, model, old) { declaration.add(item) }
            }
        }
        self.pairs = { declaration, migration in
            pairs(declaration[keyPath: Item.list], migration.children(named: Item.element))
                .map { ($0, $1) }
        }
    }

    /// The kind of an element.
    static func named(_ element: String) -> DeclarationKind? {
        all.first { $0.item.element == element }
    }
}
