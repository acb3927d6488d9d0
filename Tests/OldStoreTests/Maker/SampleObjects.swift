import Cambium
import Foundation

/// A few objects of every entity of a model: with the least and the greatest values, with nil
/// wherever that is a value, and with links of every kind.
struct SampleObjects {
    let context: ManagedObjectContext
    /// The later versions, whose limits the values keep to already.
    let later: [Model]
    private var objects: [String: [ManagedObject]] = [:]

    private var model: Model { context.coordinator.managedObjectModel }

    init(in context: ManagedObjectContext, before later: [Model]) {
        self.context = context
        self.later = later
    }

    /// Three objects of each entity in one transaction, changes of some in a second, objects that
    /// come and go in two more.
    mutating func fill() throws {
        context.transactionAuthor = "maker"
        for (number, entity) in model.entities.enumerated() where !entity.isAbstract {
            objects[entity.name] = try (0..<3).map { try make(entity, number, $0) }
        }
        for entity in model.entities {
            for (index, object) in (objects[entity.name] ?? []).enumerated() {
                try link(object, index)
            }
        }
        try reorder()
        try repair()
        try context.save()
        for object in all {
            for attribute in model.attributes(of: object.entity)
            where isPlainText(attribute, of: object.entity) {
                guard case .string(let text) = try object.value(forKey: attribute.name),
                    object.objectID.key % 3 == 0
                else { continue }
                try object.setValue(.string("\(text), changed"), forKey: attribute.name)
            }
        }
        try context.save()
        var passing: [ManagedObject] = []
        for (number, entity) in model.entities.enumerated() where canPass(entity) {
            passing.append(try make(entity, number, 3))
        }
        try context.save()
        for object in passing { context.delete(object) }
        try context.save()
    }

    private var all: [ManagedObject] {
        model.entities.flatMap { objects[$0.name] ?? [] }.filter { !$0.isDeleted }
    }

    /// Whether an object of an entity can exist alone.
    private func canPass(_ entity: Entity) -> Bool {
        !entity.isAbstract
            && model.relationships(of: entity).allSatisfy { $0.isOptional || $0.isToMany }
            && model.relationships(of: entity).allSatisfy { ($0.minimumCount ?? 0) == 0 }
            && model.lineage(of: entity).allSatisfy(\.rules.isEmpty)
    }

    /// Whether any text will do.
    private func isPlainText(_ attribute: Attribute, of entity: Entity) -> Bool {
        attribute.type == .string && attribute.derivation == nil && !attribute.isTransient
            && limits(of: attribute, entity).allSatisfy(\.isEmpty)
            && !isUnique(attribute, of: entity)
            && laterTypes(of: attribute, entity).allSatisfy { $0 == .string }
    }

    // MARK: Values

    private func make(_ entity: Entity, _ number: Int, _ index: Int) throws -> ManagedObject {
        let object = try context.insertObject(ofEntity: entity.name)
        for (ordinal, attribute) in model.attributes(of: entity).enumerated()
        where attribute.derivation == nil && !attribute.isTransient {
            if index == 1, attribute.isOptional {
                try object.setValue(.null, forKey: attribute.name)
            } else if index == 2, attribute.defaultValue != nil, ordinal % 2 == 0 {
                continue
            } else {
                let value = try value(
                    of: attribute, entity, index, unique: number * 4 + index, ordinal)
                try object.setValue(value, forKey: attribute.name)
            }
        }
        return object
    }

    /// An attribute's limits in this version and in those that follow.
    private func limits(of attribute: Attribute, _ entity: Entity) -> [Limits] {
        [attribute.limits]
            + later.compactMap { model in
                model.entity(named: entity.name).flatMap { entity in
                    model.attributes(of: entity).first { $0.name == attribute.name }?.limits
                }
            }
    }

    /// The types that an attribute has in the versions that follow.
    private func laterTypes(of attribute: Attribute, _ entity: Entity) -> [AttributeType] {
        later.compactMap { model in
            model.entity(named: entity.name).flatMap { entity in
                model.attributes(of: entity).first { $0.name == attribute.name }?.type
            }
        }
    }

    private func isUnique(_ attribute: Attribute, of entity: Entity) -> Bool {
        ([model] + later).contains { model in
            guard let entity = model.entity(named: entity.name) else { return false }
            return model.lineage(of: entity).contains {
                $0.uniqueConstraints.contains { $0.properties.contains(attribute.name) }
            }
        }
    }

    private func value(
        of attribute: Attribute, _ entity: Entity, _ index: Int, unique: Int, _ ordinal: Int
    ) throws -> Value {
        let limits = limits(of: attribute, entity)
        let isUnique = isUnique(attribute, of: entity)
        let laterTypes = laterTypes(of: attribute, entity)
        func bounds(_ least: Int64, _ greatest: Int64) -> Value {
            var (low, high) = (least, greatest)
            for type in laterTypes {
                switch type {
                case .int16: (low, high) = (max(low, -0x8000), min(high, 0x7fff))
                case .int32: (low, high) = (max(low, -0x8000_0000), min(high, 0x7fff_ffff))
                default: break
                }
            }
            for limit in limits {
                if case .int(let value)? = limit.minimum { low = max(low, value) }
                if case .int(let value)? = limit.maximum { high = min(high, value) }
            }
            if isUnique { return .int(max(low, min(high, Int64(10 * unique + 1)))) }
            return .int(
                index == 0 ? low : index == 1 ? high : max(low, min(high, 100 - Int64(ordinal))))
        }
        func bounds(_ least: Double, _ greatest: Double) -> Double {
            // What a program checks by hand are degrees.
            var (low, high) = attribute.hasCustomValidation ? (-90, 90) : (least, greatest)
            for limit in limits {
                switch limit.minimum {
                case .double(let value)?: low = max(low, value)
                case .date(let date)?: low = max(low, date.timeIntervalSinceReferenceDate)
                default: break
                }
                switch limit.maximum {
                case .double(let value)?: high = min(high, value)
                case .date(let date)?: high = min(high, date.timeIntervalSinceReferenceDate)
                default: break
                }
            }
            if isUnique { return max(low, min(high, Double(unique) + 0.1)) }
            return index == 0
                ? low : index == 1 ? high : max(low, min(high, 100.1 - Double(ordinal)))
        }
        func bounds(_ greatest: Decimal) -> Value {
            // Not every number of many digits is one of a floating-point type.
            let greatest = laterTypes.contains(.double) ? 1000 : greatest
            var (low, high) = (-greatest, greatest)
            for limit in limits {
                if case .decimal(let value)? = limit.minimum { low = max(low, value) }
                if case .decimal(let value)? = limit.maximum { high = min(high, value) }
            }
            if isUnique { return .decimal(max(low, min(high, Decimal(unique)))) }
            return .decimal(
                index == 0 ? low : index == 1 ? high : max(low, min(high, Decimal(100 - ordinal))))
        }
        switch attribute.type {
        case .bool: return .bool(index == 0)
        case .int16: return bounds(Int64(Int16.min), Int64(Int16.max))
        case .int32: return bounds(Int64(Int32.min), Int64(Int32.max))
        case .int64: return bounds(.min, .max)
        case .float:
            let value = bounds(-Double(Float.greatestFiniteMagnitude), 0.1)
            return .double(Double(Float(value)))
        case .double: return .double(bounds(-.greatestFiniteMagnitude, .infinity))
        case .decimal(let scale):
            // Fourteen digits, `scale` of them after the point.
            return bounds(
                Decimal(sign: .plus, exponent: -scale, significand: 99_999_999_999_999))
        case .anyDecimal:
            let digits = "12345678901234567890.0123456789012345"
            return bounds(Decimal(string: digits) ?? 0)
        case .date:
            return .date(Date(timeIntervalSinceReferenceDate: bounds(-1e10 / 3, 700_000_000.25)))
        case .uuid:
            return .uuid(
                UUID(uuidString: "00000000-0000-4000-8000-0000000\(10_000 + unique)") ?? UUID())
        case .uri:
            guard let url = URL(string: "https://example.org/\(unique)?a=b%20c#d") else { break }
            return .uri(url)
        case .data:
            let least = limits.compactMap(\.minimumLength).max() ?? 0
            let greatest = limits.compactMap(\.maximumLength).min() ?? 200_000
            let count = attribute.isExternal && index == 0 ? 150_000 : index == 1 ? least : 10
            return .data(
                Data((0..<max(least, min(greatest, count))).map { UInt8(($0 + unique) % 251) }))
        case .enumeration(let name):
            let cases = model.enumeration(named: name)?.cases ?? []
            guard !cases.isEmpty else { break }
            return cases[index % cases.count].rawValue
        case .codable(let name):
            switch name.filter({ $0 != " " }) {
            case "[String]": return .string(#"["a \#(unique)","é"]"#)
            case "[String:Int]": return .string(#"{"a":\#(unique)}"#)
            case "[Bool]": return .string("[true,false]")
            case "Size": return .string(#"{"width":\#(unique),"height":0.5}"#)
            default: return .string("null")
            }
        case .string:
            // A text that becomes a number is one.
            let isNumber = laterTypes.contains {
                switch $0 {
                case .int16, .int32, .int64, .float, .double, .decimal, .anyDecimal: true
                default: false
                }
            }
            if isNumber { return .string("\(unique)") }
            return .string(
                try text(attribute, entity, limits, index, unique, isUnique: isUnique))
        }
        throw Failure("\(entity.name).\(attribute.name) gets no value")
    }

    private func text(
        _ attribute: Attribute, _ entity: Entity, _ limits: [Limits], _ index: Int, _ unique: Int,
        isUnique: Bool
    ) throws -> String {
        let least = limits.compactMap(\.minimumLength).max() ?? 0
        let greatest = limits.compactMap(\.maximumLength).min() ?? .max
        let patterns = try limits.compactMap(\.pattern).map { try Regex($0) }
        if !patterns.isEmpty {
            let letter = Character(Unicode.Scalar(UInt8(65 + unique % 26)))
            let candidates = [
                "AB-\(unique)12", "AB\(letter)", "pkg\(unique)", "1.\(unique)",
                "a\(unique)@example.org", "https://example.org/\(unique)", "\(100_000 + unique)",
                "#AABB\(10 + unique % 80)", "\(letter)",
            ]
            let found = candidates.first { text in
                (least...greatest).contains(text.unicodeScalars.count)
                    && patterns.allSatisfy { (try? $0.wholeMatch(in: text)) != nil }
            }
            guard let found else {
                throw Failure("\(entity.name).\(attribute.name) gets no text that fits its pattern")
            }
            return found
        }
        if index == 1, !isUnique { return String(repeating: "x", count: least) }
        var text = "\(attribute.name) \(unique)"
        if index != 1 { text += " é🙂 \"it's\"" }
        if index == 0 { text += "\n\t;" }
        var scalars = Array(text.unicodeScalars)
        if scalars.count > greatest {
            scalars = Array("\(unique)x".unicodeScalars.prefix(greatest))
        }
        while scalars.count < least { scalars.append("x") }
        return String(String.UnicodeScalarView(scalars))
    }

    // MARK: Links

    private func inverse(of relationship: Relationship) -> Relationship? {
        guard let name = relationship.inverse,
            let destination = model.entity(named: relationship.destination)
        else { return nil }
        return model.relationships(of: destination).first { $0.name == name }
    }

    private func link(_ object: ManagedObject, _ index: Int) throws {
        for relationship in model.relationships(of: object.entity)
        where !relationship.isTransient {
            guard let destination = model.entity(named: relationship.destination) else { continue }
            let others = model.family(of: destination).flatMap { objects[$0.name] ?? [] }
            guard !others.isEmpty else { continue }
            let inverse = inverse(of: relationship)
            if relationship.isToMany {
                try linkMany(object, index, relationship, inverse, others)
            } else {
                let counts = [inverse?.minimumCount, inverse?.maximumCount]
                let isCounted =
                    inverse?.isToMany == true && counts.contains { $0 != nil }
                if relationship.isOptional, index == 1 || isCounted { continue }
                guard try object.relatedObject(forKey: relationship.name) == nil else { continue }
                // Two of them lead to the same object where that may have many.
                let start = inverse?.isToMany == true ? 1 : index + 1
                let turned = others.indices.map { others[($0 + start) % others.count] }
                let free = try turned.first { other in
                    guard let inverse, !inverse.isToMany else { return true }
                    return try other.relatedObject(forKey: inverse.name) == nil
                }
                if let free { try object.setRelatedObject(free, forKey: relationship.name) }
            }
        }
    }

    private func linkMany(
        _ object: ManagedObject, _ index: Int, _ relationship: Relationship,
        _ inverse: Relationship?, _ others: [ManagedObject]
    ) throws {
        let greatest = relationship.maximumCount ?? .max
        var chosen: [ManagedObject] = []
        if let inverse, !inverse.isToMany {
            // The other side sees to it, unless they are counted.
            guard relationship.minimumCount != nil || relationship.maximumCount != nil, index == 0
            else { return }
            chosen = Array(others.prefix(min(greatest, max(1, relationship.minimumCount ?? 1))))
        } else if index != 1 {
            chosen = Array((index == 0 ? others.reversed() : [others[0]]).prefix(greatest))
        }
        if relationship.isOrdered {
            let list = try object.orderedRelatedObjects(forKey: relationship.name)
            for other in chosen where !list.contains(other) { list.append(other) }
        } else {
            let set = try object.relatedObjects(forKey: relationship.name)
            for other in chosen { set.insert(other) }
        }
    }

    /// Lists have another order than that of their keys.
    private func reorder() throws {
        for object in all {
            for relationship in model.relationships(of: object.entity)
            where relationship.isOrdered && !relationship.isTransient {
                let list = try object.orderedRelatedObjects(forKey: relationship.name)
                if list.count > 1 { list.move(from: list.count - 1, to: 0) }
            }
        }
    }

    // MARK: What cannot be saved

    /// Gives objects that break a rule fewer values, and deletes those that lack what they need.
    private func repair() throws {
        for round in 0..<3 {
            for object in all {
                do { try object.validateForInsert() } catch {
                    let attributes = model.attributes(of: object.entity)
                        .filter { $0.derivation == nil && !$0.isTransient }
                    switch round {
                    case 0:
                        for attribute in attributes where attribute.isOptional {
                            try object.setValue(.null, forKey: attribute.name)
                        }
                    case 1:
                        for attribute in attributes {
                            guard case .constant(let value)? = attribute.defaultValue
                            else { continue }
                            try object.setValue(value, forKey: attribute.name)
                        }
                    default:
                        print("    an object of \(object.entity.name) is left out: \(error)")
                        context.delete(object)
                        context.processPendingChanges()
                    }
                }
            }
        }
        for entity in model.entities where !entity.isAbstract {
            if (objects[entity.name] ?? []).allSatisfy(\.isDeleted) {
                print("    no object of \(entity.name)")
            }
        }
    }
}

/// Why no store was made.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
