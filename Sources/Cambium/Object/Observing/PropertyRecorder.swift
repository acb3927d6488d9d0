/// Notes which properties of an object are read: that is how a key path of a `#Predicate` finds its
/// property without a table in the generated code.
///
/// It stands in the place of a context: the objects have made-up values and lead to made-up
/// objects, and no store is asked for anything.
final class PropertyRecorder {
    /// What was read of the object itself.
    private(set) var reads: Set<ObservedProperty> = []
    /// Whether anything was read of another object.
    private(set) var hasReadElsewhere = false

    private let subject: ObjectIdentifier
    private let state: ContextState
    private var destinations: [Int64: ManagedObject] = [:]

    init(of subject: ManagedObject) {
        self.subject = ObjectIdentifier(subject)
        state = subject.state
    }

    func note(_ property: ObservedProperty, of object: ManagedObject) {
        if ObjectIdentifier(object) == subject {
            reads.insert(property)
        } else {
            hasReadElsewhere = true
        }
    }

    /// The object that a made-up key leads to, the same one at each call.
    func destination(entity: Int, key: Int64) -> ManagedObject {
        if let known = destinations[key] { return known }
        let description = state.coordinator.model.entities[entity]
        let made = description.objectClass.init(
            ObjectRegistration(
                state: state, entity: description, key: key, placed: description.template,
                lifecycle: .clean))
        destinations[key] = made
        return made
    }
}
