/// An object as expressions in memory see it.
final class ObjectSubject: ExpressionSubject {
    let object: ManagedObject

    init(_ object: ManagedObject) {
        self.object = object
    }

    var expressionKey: Int64 { object.key }

    var expressionEntity: String { object.entityDescription.name }

    func value(ofAttribute name: String) -> Value {
        object.present == nil ? .null : object.properties.attributeValue(named: name)
    }

    func related(_ toOne: String) -> (any ExpressionSubject)? {
        guard object.present != nil,
            let relationship = object.entityDescription.relationship(named: toOne)
        else { return nil }
        return object.destination(of: relationship).map(ObjectSubject.init)
    }

    func relatedObjects(_ toMany: String) -> [any ExpressionSubject] {
        guard let relationship = object.entityDescription.relationship(named: toMany) else {
            return []
        }
        return object.links(relationship.ordinal).members
            .compactMap { object.object(for: $0).map(ObjectSubject.init) }
    }
}
