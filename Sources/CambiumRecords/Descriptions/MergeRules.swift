import CambiumModel

/// What merging two changes of a row takes from the model.
public final class MergeRules: Sendable {
    public let shape: RecordShape
    /// The slots that have a column.
    public let stored: SlotSet
    /// The slots of derived attributes, which the store computes.
    public let derived: SlotSet
    /// The merge rule of each slot's attribute, where it has one.
    public let rules: [MergeRule?]
    /// The slots of decimals of any scale.
    public let anyDecimals: SlotSet

    public init(
        shape: RecordShape, stored: SlotSet, derived: SlotSet = SlotSet(), rules: [MergeRule?],
        anyDecimals: SlotSet = SlotSet()
    ) {
        self.shape = shape
        self.stored = stored
        self.derived = derived
        self.rules = rules
        self.anyDecimals = anyDecimals
    }
}
