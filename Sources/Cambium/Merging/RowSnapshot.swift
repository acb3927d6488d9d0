import CambiumRecords

/// A row as somebody had it, whose values are decoded when they are asked for.
struct RowSnapshot: Sendable {
    let placed: PlacedRecord
    let entity: EntityDescription
    let store: any StoreEngine

    /// The stored attributes, and the keys that to-one relationships lead to.
    var values: [String: Value] {
        var values: [String: Value] = [:]
        for (slot, place) in entity.layout.slots.enumerated()
        where place.isStored && !place.isEntityOfKey {
            values[place.property] = value(at: slot)
        }
        return values
    }

    func value(at slot: Int) -> Value {
        let stored = placed.record.storedValue(slot, entity.shape.kinds[slot])
        guard let attribute = entity.attributes[slot] else {
            return if case .integer(let key) = stored { .int(key) } else { .null }
        }
        guard attribute.usesExternalForm, case .blob(let bytes) = stored else {
            return entity.model.value(stored, as: attribute.type) ?? .null
        }
        guard bytes.first == ExternalForm.file else { return .data(Data(bytes.dropFirst())) }
        let name = String(decoding: bytes.dropFirst(), as: UTF8.self)
        // The file of a former value may be gone already.
        return (try? store.externalData(named: name)).map { .data($0) } ?? .null
    }
}

extension RowSnapshot: CustomReflectable {
    /// Nothing: what is in a row is for those who ask for its values.
    var customMirror: Mirror { Mirror(self, children: []) }
}
