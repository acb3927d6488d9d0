/// A question to an object.
///
/// A struct around its closure: closures as such, in arrays and optionals, get a second one around
/// them, which takes longer than many a comparison.
struct ObjectTest {
    /// - Parameter context: That of the object, where whoever asks has it at hand.
    typealias Body = (_ object: ManagedObject, _ context: ManagedObjectContext?) throws -> Bool

    let body: Body

    @inline(__always)
    func callAsFunction(_ object: ManagedObject, _ context: ManagedObjectContext?) throws -> Bool {
        try body(object, context)
    }
}
