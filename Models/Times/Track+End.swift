import Cambium

extension Track {
    /// The moment at which it ends.
    public var end: Date { start.addingTimeInterval(length / .seconds(1)) }
}
