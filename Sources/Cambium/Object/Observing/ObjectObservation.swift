import Observation

/// Who observes one object, and what of it.
final class ObjectObservation {
    private let registrar = ObservationRegistrar()
    private var paths: [ObservedProperty: KeyPath<ManagedObject, Void>] = [:]

    func access(_ property: ObservedProperty, of object: ManagedObject) {
        let path = paths[property] ?? \ManagedObject.[observed: property]
        paths[property] = path
        registrar.access(object, keyPath: path)
    }

    func change(_ property: ObservedProperty, of object: ManagedObject) {
        guard let path = paths[property] else { return }
        change(path, of: object)
    }

    func changeAll(of object: ManagedObject) {
        for path in paths.values { change(path, of: object) }
    }

    /// Observers that are told hear that the value will change, and look at it when it has.
    private func change(_ path: KeyPath<ManagedObject, Void>, of object: ManagedObject) {
        registrar.withMutation(of: object, keyPath: path) {}
    }
}
