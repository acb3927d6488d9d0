/// Why an object is about to be deleted.
public enum DeletionCause: Hashable, Sendable {
    /// The program asked for it.
    case request
    /// A relationship with the delete rule cascade leads to it from an object that is deleted.
    case cascade
    /// Another context has deleted its row, and this one takes it over.
    case merge
}
