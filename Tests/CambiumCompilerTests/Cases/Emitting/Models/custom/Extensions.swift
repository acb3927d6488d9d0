import Cambium

extension Place {
    nonisolated func validateLongitude(_ value: inout Double) throws {
        if value > 180 { value -= 360 }
    }

    nonisolated func validateObject() throws {}
}
