/// Returns a reference without reference counting, to an object that is certain to be kept while it
/// is used here.
///
/// Swift increments and decrements the count of a loaded reference around each use, because the
/// variable might change meanwhile. If it does not change, this is wasted work. In a loop over
/// objects it takes longer than the work itself: each is an atomic operation.
///
/// ```swift
/// // Safety: the context keeps its maps.
/// uncounted(objects[root]).use { $0.map[key] }
/// ```
@inlinable
@inline(__always)
public func uncounted<Object: AnyObject>(_ object: Object) -> Unmanaged<Object> {
    // Safety: the caller ensures that the object exists during the call, and says so in its own
    // comment.
    Unmanaged.passUnretained(object)
}

extension Unmanaged {
    /// Calls the body with the object.
    @inlinable
    @inline(__always)
    public func use<Result>(_ body: (Instance) throws -> Result) rethrows -> Result {
        try _withUnsafeGuaranteedRef(body)
    }
}

extension Array where Element: AnyObject {
    /// Calls the body with each element. The loop retains the array, and so its elements, even if
    /// the body changes the variable.
    @inlinable
    @inline(__always)
    public func forEachUncounted(_ body: (Element) throws -> Void) rethrows {
        try withUnsafeBufferPointer { elements in
            // By index: a name for the element would be counted.
            for index in elements.indices { try uncounted(elements[index]).use(body) }
        }
    }
}
