import CambiumModel
import CambiumPlan

/// A kind of declaration of a migration: what the compiler knows of it beside how it is written.
struct DeclarationKind: Sendable {
    /// All but renames, which stand with what they rename; in the order in which they are checked.
    static let all: [DeclarationKind] = [
        // A fill that looks at the old value gives it another one.
        .init(MigrationDeclaration.Fill.self, [.needsData, .lossy]) { [$0.checkFill($1, $2)] },
        .init(MigrationDeclaration.Link.self, [.needsData]) { [$0.checkLink($1, $2)] },
        .init(MigrationDeclaration.Requirement.self, [.needsData]) {
            [$0.checkRequirement($1, $2)]
        },
        .init(MigrationDeclaration.Drop.self, [.lossy], pairs: { $0.pairs(with: $1) }) {
            $0.checkDrop($1, $2)
        },
        .init(MigrationDeclaration.Replacement.self, [.lossy]) { [$0.checkReplacement($1, $2)] },
        .init(MigrationDeclaration.Keep.self, [.lossy], numberedFrom: 1) { [$0.checkKeep($1, $2)] },
        // What is made one first may make others equal.
        .init(MigrationDeclaration.Deduplication.self, [.lossy], numberedFrom: 2) {
            [$0.checkDeduplication($1, $2)]
        },
        .init(
            MigrationDeclaration.Step.self, [.needsCode], numberedFrom: 1,
            pairs: { Array(zip($0.map(\.sorted), $1)) }
        ) { [$0.checkStep($1, $2)] },
    ]

    /// The two versions of a step; no old one where that has errors.
    typealias Versions = (model: Model, old: Model?)

    /// The name of the element.
    let element: String
    /// The XML attributes that say what it is about.
    let subject: [String]
    /// What it means for the data; the first is the usual one.
    let classes: [MigrationKind]
    /// How many make their order count: what is said first is done first.
    let numberedFrom: Int
    /// Adds what the elements of the kind in a migration declare; what is wrong is reported.
    let check:
        @Sendable (ParsedElement, Versions, inout ModelChecker, inout MigrationDeclaration) -> Void
    /// The declarations of a migration without errors, with their elements.
    let pairs:
        @Sendable (MigrationDeclaration, ParsedElement) -> [(any MigrationItem, ParsedElement)]

    /// - Parameters:
    ///   - pairs: What is declared by which element, as the lock has it.
    ///   - check: What an element declares.
    private init<Item: MigrationItem>(
        _ item: Item.Type, _ classes: [MigrationKind], numberedFrom: Int = .max,
        pairs: @escaping @Sendable ([Item], [ParsedElement]) -> [(Item, ParsedElement)] = {
            Array(zip($0, $1))
        },
        check: @escaping @Sendable (inout ModelChecker, ParsedElement, Versions) -> [Item?]
    ) {
        element = Item.element
        subject = Item.subject
        self.classes = classes
        self.numberedFrom = numberedFrom
        self.check = { migration, versions, checker, declaration in
            for element in migration.children(named: Item.element) {
                for case let item? in check(&checker, element, versions) { declaration.add(item) }
            }
        }
        self.pairs = { declaration, migration in
            pairs(declaration[keyPath: Item.list], migration.children(named: Item.element))
                .map { ($0, $1) }
        }
    }

    /// The kind of an element.
    static func named(_ element: String) -> DeclarationKind? { all.first { $0.element == element } }
}

extension [MigrationDeclaration.Drop] {
    /// A drop of a composite value is one of each of its parts, so the elements are not as many.
    fileprivate func pairs(with elements: [ParsedElement]) -> [(Element, ParsedElement)] {
        var choices = filter { $0.condition != nil }[...]
        return elements.compactMap { element in
            let drop =
                element["where"] != nil
                ? choices.popFirst()
                : element["entity"].map {
                    Element(entity: $0.value, property: element["property"]?.value, reason: "")
                }
            return drop.map { ($0, element) }
        }
    }
}

extension MigrationDeclaration.Step {
    /// The same with the entities in an order of their own: theirs says nothing.
    fileprivate var sorted: Self { Self(name: name, entities: entities.sorted()) }
}
