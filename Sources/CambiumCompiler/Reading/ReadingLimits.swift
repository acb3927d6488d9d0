/// What a model file may not exceed. The greatest of some hundred real models has 96 KB, 932
/// elements, 5 levels, 10 attributes and values of 43 bytes.
package enum ReadingLimits {
    /// Bytes of a file.
    package static let fileSize = 4 << 20
    /// Elements of a file.
    package static let elements = 200_000
    /// Levels of elements.
    package static let depth = 32
    /// Attributes of an element. libxml2 compares each with all others, so it must never see more.
    package static let attributes = 64
    /// Bytes of an attribute's value, or of text without an element in it.
    package static let valueSize = 64 << 10
    /// Bytes of a name.
    package static let nameSize = 255
}
