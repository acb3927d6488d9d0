import Cambium
import CambiumModel
import Foundation

// Work on objects: values, links, lists.
extension SequenceWork {
    private static let names = [
        "", "a", "B", "b", "é", "Straße", "100%", "_x", "a b", "🙂", "name that is too long",
    ]

    /// A value for an attribute, small and often met again; at times none, or one that a rule refuses.
    func value(of attribute: Attribute) -> Value {
        if attribute.isOptional, generator.chance(0.2) { return .null }
        let number = Int64.random(in: -3...6, using: &generator)
        return switch attribute.type {
        case .string where attribute.name == "code": .string("c\(number)")
        case .string: .string(Self.names.randomElement(using: &generator) ?? "")
        case .int64 where attribute.name == "number" && generator.chance(0.1):
            .int(generator.chance(0.5) ? .max - number.magnitude.signed : -5000)
        case .int16, .int32, .int64: .int(number)
        case .bool: .bool(number > 0)
        case .double: .double(Double(number) / 4)
        case .decimal: .decimal(Decimal(number) / 4)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 7e8 + Double(number) / 64))
        case .data:
            .data(
                Data(
                    repeating: UInt8(number + 3),
                    count: usesLargeValues && generator.chance(0.1) ? 110_000 : 3))
        default: .null
        }
    }

    func settable(_ entity: Entity) -> [Attribute] {
        container.coordinator.managedObjectModel.attributes(of: entity)
            .filter { $0.derivation == nil }
    }

    func insert(_ index: Int) {
        let entity = anyEntity()
        let owner = entity == "Piece" ? pick(index, "Thing") : nil
        attempt("\(index) insert \(entity)") {
            let object = try contexts[index].insertObject(ofEntity: entity)
            for attribute in settable(object.entity) where generator.chance(0.4) {
                try object.setValue(value(of: attribute), forKey: attribute.name)
            }
            if let owner { try object.setRelatedObject(owner, forKey: "thing") }
            return "\(object.objectID) \(Transcript.words(object.changedValues()))"
        }
    }

    func setValue(_ index: Int) {
        guard let object = pick(index, anyEntity()),
            let attribute = settable(object.entity).randomElement(using: &generator)
        else { return }
        let value = value(of: attribute)
        attempt("\(index) \(object.objectID).\(attribute.name) = \(Transcript.words(value))") {
            try object.setValue(value, forKey: attribute.name)
            return ""
        }
    }

    /// Changes a relationship of an object: of any shape, from any side.
    func link(_ index: Int) {
        let model = container.coordinator.managedObjectModel
        guard let object = pick(index, anyEntity()),
            let relationship = model.relationships(of: object.entity)
                .randomElement(using: &generator)
        else { return }
        let other = pick(index, relationship.destination)
        let place = "\(index) \(object.objectID).\(relationship.name)"
        if !relationship.isToMany {
            let other = generator.chance(0.8) ? other : nil
            attempt("\(place) = \(other?.objectID.description ?? "nil")") {
                try object.setRelatedObject(other, forKey: relationship.name)
                return ""
            }
        } else if relationship.isOrdered {
            change(object, relationship.name, other, place)
        } else if let other {
            let choice = Int.random(in: 0..<5, using: &generator)
            attempt("\(place) \(choice < 3 ? "+" : choice == 3 ? "-" : "=") \(other.objectID)") {
                let members = try object.many(relationship.name)
                switch choice {
                case 0..<3: members.insert(other)
                case 3: members.remove(other)
                default: members.replace(with: [other])
                }
                return ""
            }
        }
    }

    func reorder(_ index: Int) {
        let (entity, name, destination) =
            generator.chance(0.5) ? ("Shelf", "things", "Thing") : ("Thing", "queue", "Label")
        guard let object = pick(index, entity) else { return }
        change(
            object, name, pick(index, destination), "\(index) \(object.objectID).\(name)")
    }

    private func change(
        _ object: ManagedObject, _ name: String, _ other: ManagedObject?, _ place: String
    ) {
        let choice = Int.random(in: 0..<8, using: &generator)
        let (from, to) = (
            Int.random(in: 0..<1000, using: &generator), Int.random(in: 0..<1000, using: &generator)
        )
        attempt("\(place) list \(choice), \(other?.objectID.description ?? "nil")") {
            let list = try object.orderedRelatedObjects(forKey: name)
            let count = list.count
            switch choice {
            case 0, 1, 2: if let other { list.append(other) }
            case 3: if let other { list.insert(other, at: from % (count + 1)) }
            case 4: if count > 0 { list.remove(at: from % count) }
            case 5: if count > 0 { list.move(from: from % count, to: to % count) }
            case 6: if count > 0 { list.swapAt(from % count, to % count) }
            default: list.replace(with: list.reversed())
            }
            return "\(list.map(\.objectID))"
        }
    }

    func delete(_ index: Int) {
        guard let object = pick(index, anyEntity()) else { return }
        attempt("\(index) delete \(object.objectID)") {
            contexts[index].delete(object)
            if generator.chance(0.5) { contexts[index].processPendingChanges() }
            return ""
        }
    }

    // MARK: Going back

    func undo(_ index: Int) {
        let context = contexts[index]
        guard let manager = context.undoManager else { return }
        attempt("\(index) undo") {
            context.undo()
            return "\(manager.canUndo) \(manager.canRedo)"
        }
    }

    func redo(_ index: Int) {
        let context = contexts[index]
        guard let manager = context.undoManager else { return }
        attempt("\(index) redo") {
            context.redo()
            return "\(manager.canUndo) \(manager.canRedo)"
        }
    }

    func refresh(_ index: Int) {
        let context = contexts[index]
        switch Int.random(in: 0..<8, using: &generator) {
        case 0:
            attempt("\(index) reset") {
                context.reset()
                return ""
            }
        case 1, 2:
            attempt("\(index) refresh all") {
                context.refreshAllObjects()
                return ""
            }
        default:
            guard let object = pick(index, anyEntity()) else { return }
            let merges = generator.chance(0.5)
            attempt("\(index) refresh \(object.objectID), \(merges)") {
                context.refresh(object, mergeChanges: merges)
                return ""
            }
        }
    }
}

extension UInt64 {
    fileprivate var signed: Int64 { Int64(clamping: self) }
}
