/// Calls the body with an object that something else is sure to keep until the body returns.
///
/// Swift counts a reference that it has loaded from somewhere up and down again around each use,
/// as the place might change meanwhile. Where nobody changes it that is wasted, and in a loop over
/// objects the counting takes longer than the work: each is an atomic operation.
@inlinable
@inline(__always)
package func uncounted<Object: AnyObject, Result>(
    _ object: Object, _ body: (Object) throws -> Result
) rethrows -> Result {
    // Safety: the caller vouches for the object's life, in a line of its own.
    try Unmanaged.passUnretained(object)._withUnsafeGuaranteedRef(body)
}

extension Array where Element: AnyObject {
    /// Calls the body with each element. The loop keeps the array, and so its elements, whatever
    /// the body does.
    @inlinable
    @inline(__always)
    package func forEachUncounted(_ body: (Element) throws -> Void) rethrows {
        for element in self { try uncounted(element, body) }
    }
}
