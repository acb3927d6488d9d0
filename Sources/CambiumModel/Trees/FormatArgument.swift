/// What a `%@`, `%d` or `%K` in the text of an expression stands for.
public enum FormatArgument: Sendable, Hashable {
    /// A value; for `%K` a string with a name or a key path.
    case value(Value)
    /// Several values, for `IN` and `BETWEEN`.
    case list([Value])
    /// An object, by the name of its entity and its key.
    case object(entity: String, key: Int64)
    /// Several objects of one entity or hierarchy, for `IN`.
    case objects(entity: String, keys: [Int64])
}
