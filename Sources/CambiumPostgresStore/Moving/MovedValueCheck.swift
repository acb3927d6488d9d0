import CambiumEngine
import CambiumModel
import CambiumPostgresSQL
import CambiumRecords

/// Searches the nodes of a program's own store for values that the server cannot store, so that
/// errors name the object and the property.
struct MovedValueCheck {
    /// The store of the original rows.
    let source: StoreIdentifier
    /// The greatest number of bytes of a value.
    let largestValue: Int

    /// - Throws: ``ValidationError``, or ``ValidationErrors`` with the first values that cannot be
    ///   kept.
    func require(_ nodes: [StoreNode], _ model: ModelDescription) throws {
        var found: [ValidationError] = []
        for node in nodes where found.count < TableMove.mostRefusals {
            let entity = try model.entity(of: node)
            for slot in entity.storedSlots.slots {
                guard let attribute = entity.attributes[slot],
                    let value = node.values[attribute.name],
                    let (code, words) = refusal(of: value, attribute.name)
                else { continue }
                found.append(
                    ValidationError(
                        code: code, entityName: entity.name,
                        objectID: ObjectID(entity, key: node.key, store: source),
                        property: attribute.name, message: words))
            }
        }
        guard found.isEmpty else { throw ValidationErrors.combined(found) }
    }

    private func refusal(
        of value: Value, _ name: String
    ) -> (code: ValidationError.Code, words: String)? {
        switch value {
        case .date(let date):
            let seconds = date.timeIntervalSinceReferenceDate
            guard PostgresTimestamp.kept.kept(seconds) == nil else { return nil }
            return (
                seconds < 0 ? .dateTooSoon : .dateTooLate, PostgresTimestamp.kept.refusal(of: name)
            )
        case .double(let number):
            return number.isNaN ? (.numberTooSmall, "\(name) is not a number (NaN).") : nil
        case .decimal(let number):
            return number.isNaN ? (.numberTooSmall, "\(name) is not a number (NaN).") : nil
        case .string(let text):
            if text.utf8.contains(0) {
                return (
                    .nulInText, "\(name) contains a NUL character, which a string cannot contain."
                )
            }
            return tooLarge(text.utf8.count, name)
        case .data(let data): return tooLarge(data.count, name)
        default: return nil
        }
    }

    private func tooLarge(
        _ count: Int, _ name: String
    ) -> (code: ValidationError.Code, words: String)? {
        count > largestValue
            ? (.tooLong, RefusalText.isTooLarge(name, count, largestValue)) : nil
    }
}
