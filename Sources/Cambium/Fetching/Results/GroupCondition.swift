/// A condition over groups of objects: `Product.price.sum > 100 && Product.objectID.count >= 3`.
///
/// ``ResultRequest/having(_:)`` takes it. A condition over single objects belongs into the
/// request's filter, which comes before they are grouped.
public struct GroupCondition<Root: ManagedObject>: Sendable {
    let test: GroupTest
    let objects: [ObjectID]

    /// Both are true.
    public static func && (one: GroupCondition, other: GroupCondition) -> GroupCondition {
        GroupCondition(test: .and([one.test, other.test]), objects: one.objects + other.objects)
    }

    /// At least one is true.
    public static func || (one: GroupCondition, other: GroupCondition) -> GroupCondition {
        GroupCondition(test: .or([one.test, other.test]), objects: one.objects + other.objects)
    }

    /// The condition is false.
    public static prefix func ! (condition: GroupCondition) -> GroupCondition {
        GroupCondition(test: .not(condition.test), objects: condition.objects)
    }
}
