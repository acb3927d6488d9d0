import CambiumModel
import CambiumSQLite

@testable import CambiumSQL
@testable import MigrationTestSupport

extension RandomMapping {
    /// Whether an attribute is part of a composite value that an object does not have, and that it does
    /// not get as a whole.
    func isWithoutValue(
        _ attribute: RandomModel.StoredAttribute, _ values: [String: StoredValue]
    ) -> Bool {
        let owner = attribute.owner
        guard let place = owner.places.first(where: { attribute.id.hasPrefix("\($0.id).") }),
            place.isOptional, !isGivenAsWhole(place, of: owner)
        else { return false }
        return place.composite.attributes.allSatisfy {
            values["\(place.id).\($0.name)"] ?? .null == .null
        }
    }

    /// Whether fills make a value where there is none: of what it needs, or of a value that needs
    /// nothing and is new.
    private func isGivenAsWhole(_ place: RandomModel.Place, of owner: RandomModel.Kind) -> Bool {
        if place.isLoose {
            return !old.kinds.contains { $0.places.contains { $0.id == place.id } }
        }
        return new.validFills.contains {
            $0.entity == owner.name && $0.attribute == "\(place.name).street"
        }
    }
}
