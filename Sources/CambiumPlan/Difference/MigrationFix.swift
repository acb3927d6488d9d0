import CambiumModel

/// Something that the author of a model can write so that a migration can be planned. It is a
/// value, because each kind of model file says it in words of its own.
package enum MigrationFix: Sendable, Hashable {
    /// The kinds of declarations that a fix may be about.
    package enum Declaration: String, Sendable, Hashable {
        /// An entity.
        case entity
        /// An attribute.
        case attribute
        /// A relationship.
        case relationship
    }

    /// An attribute of an entity.
    package struct Property: Sendable, Hashable {
        /// The entity that declares it.
        package let entity: String
        /// Its name.
        package let name: String

        /// Names an attribute.
        package init(entity: String, name: String) {
            self.entity = entity
            self.name = name
        }
    }

    /// Something of the new version is what was called `from` before. No name means that it is for
    /// the author to choose.
    case rename(Declaration, to: String?, from: String)
    /// A part of a composite value in an entity is what was called `from` before. Its declaration is
    /// that of all such values, and cannot say it.
    case renamePart(entity: String, to: String, from: String)
    /// A property of the new version is not what was called `from` before.
    case takeBack(Declaration, name: String, from: String)
    /// The data of an entity, or of a property of it, may go.
    case drop(entity: String, property: String?)
    /// Existing objects get values.
    case fill([Property])
    /// Existing objects get links to the first object that meets a condition.
    case link(entity: String, relationship: String)
    /// Every object has something already, as the author knows.
    case require(entity: String, property: String)
    /// Objects of an entity that meet a condition may go.
    case giveUp(entity: String, where: ModelExpression)
    /// Of several links of a to-one, which could have several, the first in an order stays.
    case keep(entity: String, relationship: String)
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
    indirect case together([MigrationFix])

    /// What is to be written, one thing after the other.
    package var parts: [MigrationFix] {
        if case .together(let fixes) = self { fixes.flatMap(\.parts) } else { [self] }
    }

    /// What stands in `<migration>`, where that is the place for it.
    package var migrationXML: String? {
        switch self {
        case .drop(let entity, let property):
            let property = property.map { " property=\"\($0)\"" } ?? ""
            return "<drop entity=\"\(entity)\"\(property) reason=\"…\"/>"
        case .fill(let properties):
            return properties.map {
                "<fill entity=\"\($0.entity)\" attribute=\"\($0.name)\" with=\"…\"/>"
            }.joined()
        case .renamePart(let entity, let name, let former):
            return "<rename entity=\"\(entity)\" property=\"\(name)\" from=\"\(former)\"/>"
        case .link(let entity, let relationship):
            return "<link entity=\"\(entity)\" relationship=\"\(relationship)\" where=\"…\"/>"
        case .require(let entity, let property):
            return "<require entity=\"\(entity)\" property=\"\(property)\" reason=\"…\"/>"
        case .giveUp(let entity, let condition):
            return "<drop entity=\"\(entity)\" where=\"\(Self.escaped(condition.conditionText))\" "
                + "reason=\"…\"/>"
        case .keep(let entity, let relationship):
            return "<keep entity=\"\(entity)\" relationship=\"\(relationship)\" reason=\"…\"/>"
        case .replace(let enumeration, let name, _, let other):
            return "<replace enum=\"\(enumeration)\" case=\"\(name)\" with=\"\(other ?? "…")\" "
                + "reason=\"…\"/>"
        case .convert(let entity, let property):
            let name = property.split(separator: ".").map {
                $0.prefix(1).uppercased() + $0.dropFirst()
            }
            return "<drop entity=\"\(entity)\" property=\"\(property)\" reason=\"…\"/>"
                + "<step name=\"convert\(name.joined())\" entities=\"\(entity)\"/>"
        case .together(let fixes):
            let texts = fixes.map(\.migrationXML)
            return texts.contains(nil) ? nil : texts.compactMap(\.self).joined()
        case .rename, .takeBack, .keepCase, .giveDefault, .makeOptional:
            return nil
        }
    }

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
            return "<\(declaration.rawValue) name=\"\(name ?? "newName")\" "
                + "renamedFrom=\"\(former)\" …/>"
        case .takeBack(let declaration, let name, let former):
            return "<\(declaration.rawValue) name=\"\(name)\" …/> without renamedFrom=\"\(former)\""
        case .keepCase(_, let name, let value):
            return "<case name=\"\(name ?? "newName")\" value=\"\(Self.escaped(value))\"/>"
        case .giveDefault(let name, let type):
            return "<attribute name=\"\(name)\" type=\"\(type)\" default=\"…\"/>"
        case .makeOptional(let declaration, let name, let type):
            let word = declaration == .relationship ? "to" : "type"
            return "<\(declaration.rawValue) name=\"\(name)\" \(word)=\"\(type)\" "
                + "optional=\"true\"/>"
        case .together(let fixes):
            return fixes.map { $0.xml(from: version) }.joined(separator: " and ")
        case .renamePart, .drop, .fill, .link, .require, .giveUp, .keep, .replace, .convert:
            return ""
        }
    }
}

extension ModelExpression {
    /// The condition as an author writes it: that of all objects has a word of its own.
    package var conditionText: String {
        self == .literal(.bool(true)) ? "TRUEPREDICATE" : "\(self)"
    }
}
