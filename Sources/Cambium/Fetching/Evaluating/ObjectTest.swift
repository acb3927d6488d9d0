/// A question to an object.
///
/// A struct around its closure: closures as such, in arrays and optionals, get a second one around
/// them, which takes longer than many a comparison.
struct ObjectTest {
    private let body: (ManagedObject) -> Bool

    init(_ body: @escaping (ManagedObject) -> Bool) {
        self.body = body
    }

    @inline(__always)
    func callAsFunction(_ object: ManagedObject) -> Bool { body(object) }
}
