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

    /// Refuses one name.
    func validateObject() throws {
        if name == "Atlantis" { throw Refusal.forbiddenName }
    }
}
