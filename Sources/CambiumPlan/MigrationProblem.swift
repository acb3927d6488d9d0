import CambiumModel

/// Why no migration can be planned, with what the author of the model can do about it.
package struct MigrationProblem: Error, Sendable, Equatable {
    /// The version that has the entity and the property.
    package enum Side: Sendable {
        /// The version that the migration starts from.
        case old
        /// The version that it leads to.
        case new
    }

    /// The entity that the problem is about.
    package let entity: String
    /// The property that the problem is about, or nil where it is the entity itself.
    package let property: String?
    /// The enumeration that the problem is about, where it is one.
    package let enumeration: String?
    /// Which version has them.
    package let side: Side
    /// What is wrong, without a remedy: for versions in which nothing can be changed any more.
    package let fact: String
    /// What to do about it, in words; nil where the fact says it.
    package let remedy: String?
    /// What to write; each by itself solves the problem.
    package let fixes: [MigrationFix]

    /// What two things say that they were, where that is the problem.
    package let disputed: Disputed?

    /// A former name that two things say, and one of the two.
    package struct Disputed: Sendable, Equatable {
        /// The name of one of them now.
        package let name: String
        /// What both say that they were called.
        package let former: String
    }

    /// What one of the fixes declares, of a kind.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    package func declarations<Item: MigrationItem>(of kind: Item.Type) -> [Item] {
        fixes.flatMap { $0.parts }.compactMap { $0.declared as? Item }
    }

    /// What is wrong, and the remedy.
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

/// Something that the author of a model can write so that a migration can be planned. It is a
/// value, because each kind of model file says it in words of its own.
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

    /// A declaration, of whatever kind.
    package struct Item: Sendable {
        fileprivate let item: any MigrationItem
    }

    /// Something of the new version is what was called `from` before. No name means that it is for
    /// the author to choose.
    case rename(Declaration, to: String?, from: String)
    /// A part of a composite value in an entity is what was called `from` before. Its declaration is
    /// that of all such values, and cannot say it.
    case renamePart(entity: String, to: String, from: String)
    /// A property of the new version is not what was called `from` before.
    case takeBack(Declaration, name: String, from: String)
    /// The migration declares something.
    case declaration(Item)
    /// Objects that have a case that is gone get another one, or none where their attributes may
    /// have none.
    case replace(enumeration: String, case: String, isOptional: Bool, with: String? = nil)
    /// A case of the new version has the raw value, in the words of the model language, of one that
    /// is gone. No name means that it is for the author to choose.
    case keepCase(enumeration: String, named: String?, value: String)
    /// A step of the program makes new values of the old ones.
    case convert(entity: String, property: String)
    /// An attribute gets a default.
    case giveDefault(name: String, type: String)
    /// An attribute, of the type, or a relationship, to the entity, becomes optional.
    case makeOptional(Declaration, name: String, type: String)

    /// Several things that solve the problem together, and none of them alone.
    case together([MigrationFix])

    /// What is to be written, one thing after the other.
    @inline(never)
    package var parts: [MigrationFix] {
        if case .together(let fixes) = self { fixes.flatMap { $0.parts } } else { [self] }
    }

    /// What the migration declares; nil where it is no declaration that solves the problem.
    package var declared: (any MigrationItem)? {
        if case .declaration(let declaration) = self { declaration.item } else { nil }
    }

    /// What stands in `<migration>`, where that is the place for it.
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

// MARK: What is declared

extension MigrationFix {
    /// What only the author knows.
    private static let open = "…"
    private static let unknown = ModelExpression.keyPath(root: .subject, names: [open])

    /// The migration declares something.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    static func declare(_ item: some MigrationItem) -> MigrationFix {
        .declaration(Item(item: item))
    }

    /// The data of an entity, or of a property of it, may go.
    @inline(never)
    package static func drop(entity: String, property: String?) -> MigrationFix {
        declare(MigrationDeclaration.Drop(entity: entity, property: property, reason: open))
    }

    /// Objects of an entity that meet a condition may go.
    package static func giveUp(
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

    /// Every object has something already, as the author knows.
    package static func require(entity: String, property: String) -> MigrationFix {
        declare(MigrationDeclaration.Requirement(entity: entity, property: property, reason: open))
    }

    /// Of several links of a to-one, which could have several, the first in an order stays.
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
