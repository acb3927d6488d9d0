/// A value that a codable attribute holds.
public struct Size: Codable, Sendable, Equatable {
    /// From left to right.
    public var width: Double
    /// From bottom to top.
    public var height: Double

    /// Makes a size.
    public init(width: Double, height: Double) {
        self.width = width
        self.height = height
    }
}
