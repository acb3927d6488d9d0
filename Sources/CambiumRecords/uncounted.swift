/// An object that something else is sure to keep for as long as it is used here.
///
/// Swift counts a reference that it has loaded from somewhere up and down again around each use, as
/// the place might change meanwhile. Where it does not change that is wasted, and in a loop over
/// objects the counting takes longer than the work: each is an atomic operation.
///
/// ```swift
/// // Safety: the context keeps its maps.
/// uncounted(objects[root]).use { $0.map[key] }
/// ```
@inlinable
@inline(__always)
public func uncounted<Object: AnyObject>(_ object: Object) -> Unmanaged<Object> {
    // Safety: the caller vouches for the object's life, in a line of its own.
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
    /// Calls the body with each element. The loop keeps the array, and so its elements, whatever
    /// the body does.
    @inlinable
    @inline(__always)
    public func forEachUncounted(_ body: (Element) throws -> Void) rethrows {
        try withUnsafeBufferPointer { elements in
            // By index: a name for the element would be counted.
            for index in elements.indices { try uncounted(elements[index]).use(body) }
        }
    }
}
