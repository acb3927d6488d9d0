/// The place of an object in a controller's results: the section and the place in it.
///
/// (Foundation's `IndexPath` knows sections on Apple's platforms only.)
public struct ItemPath: Hashable, Comparable, Sendable {
    /// The number of the section.
    public var section: Int
    /// The number in the section.
    public var item: Int

    /// Names a place.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Whether the place comes before the other.
    public static func < (one: ItemPath, other: ItemPath) -> Bool {
        (one.section, one.item) < (other.section, other.item)
    }
}
