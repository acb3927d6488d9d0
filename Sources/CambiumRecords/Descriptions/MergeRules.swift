import CambiumModel

/// What merging two changes of a row takes from the model.
package final class MergeRules: Sendable {
    package let shape: RecordShape
    /// The slots that have a column.
    package let stored: SlotSet
    /// The slots of derived attributes, which the store computes.
    package let derived: SlotSet
    /// The merge rule of each slot's attribute, where it has one.
    package let rules: [MergeRule?]
    /// The slots of decimals of any scale.
    package let anyDecimals: SlotSet

    package init(
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
