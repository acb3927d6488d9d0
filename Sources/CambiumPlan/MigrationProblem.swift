import CambiumModel

/// A reason why no migration can be planned, with remedies for the author of the model.
package struct MigrationProblem: Error, Sendable, Equatable {
    /// The version that has the entity and the property.
    package enum Side: Sendable {
        /// The version that the migration starts from.
        case old
        /// The version that the migration ends with.
        case new
    }

    /// The entity that the problem is about.
    package let entity: String
    /// The property with the problem, or nil if it is the entity itself.
    package let property: String?
    /// The enumeration with the problem, or nil if it is not one.
    package let enumeration: String?
    /// The version that contains them.
    package let side: Side
    /// The problem without a remedy, for versions that can no longer be changed.
    package let fact: String
    /// The remedy in words; nil if the fact implies it.
    package let remedy: String?
    /// The possible fixes. Each by itself solves the problem.
    package let fixes: [MigrationFix]

    /// The former name that two things claim, if that is the problem.
    package let disputed: Disputed?

    /// A former name that two things declare, and one of the two.
    package struct Disputed: Sendable, Equatable {
        /// The name of one of them now.
        package let name: String
        /// The former name that both claim.
        package let former: String
    }

    /// Returns the declarations of one kind in all fixes.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package func declarations<Item: MigrationItem>(of kind: Item.Type) -> [Item] {
        fixes.flatMap { $0.parts }.compactMap { $0.declared as? Item }
    }

    /// The problem and the remedy.
    package var message: String { fact + (remedy.map { "; \($0)" } ?? "") }

    /// Describes a problem.
    package init(
        entity: String, property: String? = nil, enumeration: String? = nil,
        in side: Side = .new, fact: String, remedy: String? = nil,
        fixes: [MigrationFix] = [], disputed: Disputed? = nil
    ) {
        self.entity = entity
        self.property = property
        self.enumeration = enumeration
        self.side = side
        self.fact = fact
        self.remedy = remedy
        self.fixes = fixes
        self.disputed = disputed
    }
}

/// All problems of a pair of versions.
package struct MigrationProblems: Error, Sendable, CustomStringConvertible {
    /// The problems, at least one.
    package let problems: [MigrationProblem]

    /// Describes the problems.
    package init(_ problems: [MigrationProblem]) { self.problems = problems }

    /// One problem a line.
    package var description: String { problems.map { $0.message }.joined(separator: "\n") }
}

/// A change that the author of a model can make so that a migration can be planned. It is a value,
/// because each kind of model file has its own notation.
package indirect enum MigrationFix: Sendable {
    /// The kinds of declarations that a fix may be about.
    package enum Declaration: String, Sendable {
        /// An entity.
        case entity
        /// An attribute.
        case attribute
        /// A relationship.
        case relationship
    }

    /// A declaration of any kind.
    package struct Item: Sendable {
        fileprivate let item: any MigrationItem
    }

    /// A thing of the new version was called `from` before. If the name is nil, the author must
    /// choose it.
    case rename(Declaration, to: String?, from: String)
    /// A part of a composite value in an entity was called `from` before. The part's declaration is
    /// shared by all such values, so it cannot contain the former name.
    case renamePart(entity: String, to: String, from: String)
    /// A property of the new version was not called `from` before.
    case takeBack(Declaration, name: String, from: String)
    /// Adds a declaration to the migration.
    case declaration(Item)
    /// Objects with a deleted case get another case, or no value if their attributes allow nil.
    case replace(enumeration: String, case: String, isOptional: Bool, with: String? = nil)
    /// A case of the new version has the raw value, in the words of the model language, of a
    /// deleted one. If the name is nil, the author must choose it.
    case keepCase(enumeration: String, named: String?, value: String)
    /// A step of the program makes new values of the old ones.
    case convert(entity: String, property: String)
    /// An attribute gets a default.
    case giveDefault(name: String, type: String)
    /// An attribute, of the type, or a relationship, to the entity, becomes optional.
    case makeOptional(Declaration, name: String, type: String)

    /// Several things that solve the problem together, and none of them alone.
    case together([MigrationFix])

    /// The single fixes, in order.
    @inline(never)
    package var parts: [MigrationFix] {
        if case .together(let fixes) = self { fixes.flatMap { $0.parts } } else { [self] }
    }

    /// The declaration of the migration; nil if the fix is not a declaration.
    package var declared: (any MigrationItem)? {
        if case .declaration(let declaration) = self { declaration.item } else { nil }
    }

    /// The XML in `<migration>`; nil if the fix belongs elsewhere.
    package var migrationXML: String? {
        switch self {
        case .declaration(let declaration):
            return Self.xml(of: declaration.item)
        case .renamePart(let entity, let name, let former):
            return "<rename entity=\"\(entity)\" property=\"\(name)\" from=\"\(former)\"/>"
        case .replace(let enumeration, let name, _, let other):
            return Self.xml(
                of: MigrationDeclaration.Replacement(
                    enumeration: enumeration, case: name, with: other ?? Self.open,
                    reason: Self.open))
        case .convert(let entity, let property):
            let name = property.split(separator: ".").map {
                $0.prefix(1).uppercased() + $0.dropFirst()
            }
            let step = MigrationDeclaration.Step(
                name: "convert\(name.joined())", entities: [entity])
            return Self.drop(entity: entity, property: property).migrationXML.map {
                $0 + Self.xml(of: step)
            }
        case .together(let fixes):
            let texts = fixes.map { $0.migrationXML }
            return texts.contains(nil) ? nil : texts.compactMap { $0 }.joined()
        case .rename, .takeBack, .keepCase, .giveDefault, .makeOptional:
            return nil
        }
    }

    @inline(never)
    private static func xml(of item: any MigrationItem) -> String {
        let attributes = item.attributes(\.conditionText).compactMap { name, value in
            value.map { " \(name)=\"\(escaped($0))\"" }
        }
        return "<\(type(of: item).element)\(attributes.joined())/>"
    }

    @inline(never)
    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            .replacing("\"", with: "&quot;")
    }

    /// The fix in Cambium's own language.
    package func xml(from version: String) -> String {
        if let migrationXML { return "<migration from=\"\(version)\">\(migrationXML)</migration>" }
        switch self {
        case .rename(.entity, let name, let former):
            return "<entity name=\"\(name ?? "NewName")\" renamedFrom=\"\(former)\">"
        case .rename(let declaration, let name, let former):
            return """
                <\(declaration.rawValue) name="\(name ?? "newName")" \
                renamedFrom="\(former)" …/>
                """
        case .takeBack(let declaration, let name, let former):
            return "<\(declaration.rawValue) name=\"\(name)\" …/> without renamedFrom=\"\(former)\""
        case .keepCase(_, let name, let value):
            return "<case name=\"\(name ?? "newName")\" value=\"\(Self.escaped(value))\"/>"
        case .giveDefault(let name, let type):
            return "<attribute name=\"\(name)\" type=\"\(type)\" default=\"…\"/>"
        case .makeOptional(let declaration, let name, let type):
            let word = declaration == .relationship ? "to" : "type"
            return """
                <\(declaration.rawValue) name="\(name)" \(word)="\(type)" \
                optional="true"/>
                """
        case .together(let fixes):
            return fixes.map { $0.xml(from: version) }.joined(separator: " and ")
        case .declaration, .renamePart, .replace, .convert:
            return ""
        }
    }
}

// MARK: Declarations

extension MigrationFix {
    /// A placeholder for the author's part.
    private static let open = "…"
    private static let unknown = ModelExpression.keyPath(root: .subject, names: [open])

    /// Adds a declaration to the migration.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    static func declare(_ item: some MigrationItem) -> MigrationFix {
        .declaration(Item(item: item))
    }

    /// Drops the data of an entity, or of one of its properties.
    @inline(never)
    package static func drop(entity: String, property: String?) -> MigrationFix {
        declare(MigrationDeclaration.Drop(entity: entity, property: property, reason: open))
    }

    /// Drops the objects of an entity that meet a condition.
    package static func dropObjects(
        entity: String, where condition: ModelExpression
    ) -> MigrationFix {
        declare(MigrationDeclaration.Drop(entity: entity, condition: condition, reason: open))
    }

    /// Existing objects get values of attributes.
    @inline(never)
    package static func fill(_ attributes: [String], of entity: String) -> MigrationFix {
        let fills = attributes.map {
            declare(MigrationDeclaration.Fill(entity: entity, attribute: $0, value: unknown))
        }
        return fills.count == 1 ? fills[0] : .together(fills)
    }

    /// Existing objects get links to the first object that meets a condition.
    package static func link(entity: String, relationship: String) -> MigrationFix {
        declare(
            MigrationDeclaration.Link(
                entity: entity, relationship: relationship, condition: unknown))
    }

    /// Declares that every object already has a property.
    package static func require(entity: String, property: String) -> MigrationFix {
        declare(MigrationDeclaration.Requirement(entity: entity, property: property, reason: open))
    }

    /// Keeps the first of several links in an order, for a to-one that could have several.
    package static func keep(entity: String, relationship: String) -> MigrationFix {
        declare(MigrationDeclaration.Keep(entity: entity, relationship: relationship, reason: open))
    }
}

extension ModelExpression {
    /// The condition as an author writes it: that of all objects has a word of its own.
    package var conditionText: String {
        self == .literal(.bool(true)) ? "TRUEPREDICATE" : "\(self)"
    }
}

// Few fixes are compared, and the derived comparison is long.
extension MigrationFix: Hashable {
    package static func == (left: MigrationFix, right: MigrationFix) -> Bool {
        "\(left)" == "\(right)"
    }

    package func hash(into hasher: inout Hasher) { hasher.combine("\(self)") }
}
