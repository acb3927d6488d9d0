/// What a `%@`, `%d` or `%K` in the text of an expression stands for.
public enum FormatArgument: Sendable, Hashable {
    /// A value; for `%K` a string with a name or a key path.
    case value(Value)
    /// Several values, for `IN` and `BETWEEN`.
    case list([Value])
}
