import Cambium

extension Place {
    /// Why a place may be refused.
    public enum Refusal: Error, Equatable {
        /// The name is one that nobody may use.
        case forbiddenName
    }

    /// Brings a longitude back to the range that maps use.
    func validateLongitude(_ value: inout Double) throws {
        guard value.isFinite, abs(value) > 180 else { return }
        value = (value + 180).remainder(dividingBy: 360)
        value += value < 0 ? 180 : -180
    }

    /// Refuses a latitude that no map has.
    func validateLatitude(_ value: inout Double) throws {
        guard !(-90...90).contains(value) else { return }
        throw propertyValidationError(
            for: Place.latitude, "Latitude has to be in the range -90...90.")
    }

    /// Refuses one name.
    func validateObject() throws {
        if name == "Atlantis" { throw Refusal.forbiddenName }
    }
}
