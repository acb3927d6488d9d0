import CambiumRecords

/// How a save resolves conflicts with what other contexts saved meanwhile.
///
/// A conflict is an object that this context changed or deleted and whose row has another version
/// than the one that the change is based on; or a unique value that another object has.
///
/// | | both changed it | deleted there | deleted here | unique value taken |
/// |---|---|---|---|---|
/// | ``error`` | error | error | error | error |
/// | ``rollback`` | theirs, whole | deleted | lives, theirs | the new object gives way |
/// | ``overwrite`` | ours, whole | inserted again | deleted | ours go to the stored row |
/// | ``storeTrump`` | theirs wins | deleted | lives, theirs | the new object gives way |
/// | ``objectTrump`` | ours wins | inserted again | deleted | what we set goes to the stored row |
///
/// A new object whose unique values are taken stands for the one that has them from then on: it
/// reads and writes that one's values, and references to it point there. An object that was saved
/// before and is to get such values keeps its old ones under `storeTrump` and `rollback`; under
/// `overwrite` and `objectTrump` the save fails with ``ConstraintConflictError``, because no stored
/// object is given up for a value of another.
///
/// By property means: what only one side changed is kept, whoever it is. The attributes of the
/// model that have a merge rule of their own (`merge="sum"`) follow it under the two policies that
/// go by property.
///
/// Links of to-many relationships are merged as sets of additions and removals: what both sides
/// added is there, what either took away is not. Under `overwrite` the members of a many-to-many
/// relationship of an object in conflict are exactly those that this context knows, and under
/// `rollback` they are the store's.
///
/// An object that is inserted again gets back the links that this context knows; a link to a
/// deleted object is cleared where it is optional. An object that cannot be without it stays
/// deleted. In a one-to-one that two contexts linked differently, the policy says whose link stays.
///
/// A link that others have made to an object which is deleted here, after its delete rules were
/// followed, is in conflict with the deletion: under `error` the conflict is that of the object with
/// the link, and once that is refreshed the delete rule is followed for it, too; `rollback` and
/// `storeTrump` let the deleted object live; `overwrite` and `objectTrump` do to the link what the
/// delete rule says. A custom policy is not asked, its base decides. Where the rule is deny, or the
/// link cannot be empty, the save fails with ``ValidationError``, unless the object lives.
public enum MergePolicy: Sendable, Hashable {
    /// The save fails with ``ConflictError`` or ``ConstraintConflictError``; nothing is written and
    /// nothing changes in memory.
    case error
    /// The changes of objects in conflict are dropped, the store's state stays; other objects are
    /// saved.
    case rollback
    /// The object is written as it is here, with the properties too that only the others changed.
    case overwrite
    /// Property by property, the store's value stays where both sides changed it (Core Data's
    /// `mergeByPropertyStoreTrump`). Of a deletion against a change, the store's side stays.
    case storeTrump
    /// Property by property, this context's value stays where both sides changed it (Core Data's
    /// `mergeByPropertyObjectTrump`). Of a deletion against a change, this context's side stays.
    case objectTrump
    /// The program decides.
    case custom(CustomMergePolicy)

    /// How it decides conflicts; nil where it does not.
    var strategy: ConflictStrategy? {
        switch self {
        case .error, .custom: nil
        case .rollback: .rollback
        case .overwrite: .overwrite
        case .storeTrump: .storeTrump
        case .objectTrump: .objectTrump
        }
    }

    /// Whether, of two sides that exclude each other, this context's stays.
    var keepsOurs: Bool { strategy?.keepsOurs ?? false }

    /// Whether a conflict may end with all links of an object as the context has them.
    var mayWriteAllLinks: Bool {
        switch self {
        case .overwrite, .objectTrump, .custom: true
        case .error, .rollback, .storeTrump: false
        }
    }
}

/// A merge policy of the program's own, which is asked about each conflict.
///
/// ```swift
/// context.mergePolicy = .custom(CustomMergePolicy(basedOn: .objectTrump) { conflict in
///     guard let theirs = conflict.persistedSnapshot?["stock"] else { return }
///     try conflict.setValue(theirs, forKey: "stock")      // the store knows the stock best
/// })
/// ```
///
/// It is asked about objects first and about unique values afterwards, inside the transaction of
/// the save, and must not use a context. What it decides takes effect when the save succeeds.
public final class CustomMergePolicy: Sendable {
    let base: MergePolicy
    let resolve: @Sendable (inout MergeConflict) throws -> Void
    let resolveConstraint: @Sendable (inout ConstraintConflict) throws -> Void

    /// Makes a policy.
    ///
    /// - Parameters:
    ///   - base: What happens where the closures decide nothing; with ``MergePolicy/error`` such a
    ///     conflict makes the save fail.
    ///   - resolve: Decides about an object that others changed or deleted: sets its
    ///     ``MergeConflict/policy``, or values. What it throws makes the save fail.
    ///   - resolveConstraint: Decides about a unique value that another object has.
    public init(
        basedOn base: MergePolicy = .error,
        resolve: @escaping @Sendable (inout MergeConflict) throws -> Void,
        resolveConstraint: @escaping @Sendable (inout ConstraintConflict) throws -> Void = { _ in }
    ) {
        self.base = base
        self.resolve = resolve
        self.resolveConstraint = resolveConstraint
    }
}

extension CustomMergePolicy: Hashable {
    /// Whether both are the same policy.
    public static func == (one: CustomMergePolicy, other: CustomMergePolicy) -> Bool {
        one === other
    }

    /// Hashes the policy's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
