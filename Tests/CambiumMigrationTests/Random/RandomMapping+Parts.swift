import CambiumModel
import CambiumSQLite

@testable import CambiumSQL

extension RandomMapping {
    /// Whether an attribute is part of a composite value that an object does not have, and that it does
    /// not get as a whole.
    func isWithoutValue(
        _ attribute: RandomModel.StoredAttribute, _ values: [String: StoredValue]
    ) -> Bool {
        let owner = attribute.owner
        guard let place = owner.places.first(where: { attribute.id.hasPrefix("\($0.id).") }),
            place.isOptional,
            !new.validFills.contains(where: {
                $0.entity == owner.name && $0.attribute == "\(place.name).street"
            })
        else { return false }
        return RandomModel.place.attributes.allSatisfy {
            values["\(place.id).\($0.name)"] ?? .null == .null
        }
    }
}
