import CambiumRecords

// Fetched properties.
extension ManagedObject {
    /// What a fetched property finds, by number. It is fetched at the first call and kept until the
    /// object is refreshed. Where it cannot be, nothing is found, and the context remembers the error:
    /// what could not be read keeps every save from succeeding, any other mistake the next one.
    @_spi(Generated)
    public final func fetched<Destination: ManagedObject>(_ number: Int) -> [Destination] {
        fetchedObjects(number).cast(to: Destination.self)
    }

    /// What a fetched property finds; for generic code.
    ///
    /// - Throws: ``StoreError`` where the entity has no fetched property of that name.
    public final func fetchedObjects(forKey name: String) throws -> [ManagedObject] {
        let known = entityDescription.fetchedProperties.map(\.name)
        guard let number = known.firstIndex(of: name) else {
            throw StoreError.unknownName(
                "The entity \(entityDescription.name) has no fetched property \(name).", name,
                among: known)
        }
        return fetchedObjects(number)
    }

    final func fetchedObjects(_ number: Int) -> [ManagedObject] {
        if let known = extras?.fetched[number] { return known.compactMap(object) }
        guard let context = state.context, lifecycle != .invalid, lifecycle != .discarded else {
            return []
        }
        var found: [ManagedObject] = []
        do {
            found = try context.fetching.objects(
                of: entityDescription.fetchedProperties[number], of: self)
        } catch  where error.isMistake {
            context.errors.record(error)
        } catch {
            context.faulting.noteFailedRead(.fetched(RowIdentity(self), number), of: self, error)
            return []
        }
        ownExtras.fetched[number] = found.map {
            LinkSet.Member(key: $0.key, entity: $0.entityDescription.index)
        }
        return found
    }
}

extension Error {
    /// Whether the program or the model is wrong, which trying again does not change.
    fileprivate var isMistake: Bool {
        switch (self as? StoreError)?.code {
        case .unknownName, .invalidRequest, .foreignObject: true
        case nil: self is ExpressionDiagnostics
        default: false
        }
    }
}
