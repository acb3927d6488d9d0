import Cambium

/// An object that tells which of its hooks were called, and lets a test act in them.
public final class Watched: _Watched {
    /// The hooks that were called, in order.
    public private(set) var calls: [String] = []
    /// What to do in ``willSave()``.
    public var onWillSave: ((Watched) -> Void)?
    /// What to do in ``prepareForDeletion()``.
    public var onPrepareForDeletion: ((Watched) -> Void)?
    /// What to do in ``didSave()``.
    public var onDidSave: ((Watched) -> Void)?
    /// What to do in ``willTurnIntoFault()``.
    public var onWillTurnIntoFault: (() -> Void)?
    /// What the checks before a save do beside the model's: nothing, or throw.
    public var onValidate: ((_ isDeletion: Bool) throws -> Void)?
    /// Whether the checks before a save include the model's.
    public var asksSuper = true
    /// Why the object was about to be deleted, each time that it was.
    public private(set) var deletionCauses: [DeletionCause] = []
    /// By what the object got other values.
    public private(set) var snapshotEvents: [SnapshotEvents] = []
    /// The name that the object had when it awoke after its insertion.
    public private(set) var nameOnAwaking: String?
    /// How many parts there were when the object was about to be deleted.
    public private(set) var partsAtDeletion: Int?

    /// What to do when an object is made.
    @TaskLocal public static var onMaking: (@Sendable (Watched) -> Void)?
    /// What the object holds, and lets go of when it goes.
    public var companion: AnyObject?

    /// Makes an object for a context.
    public required init(_ registration: ObjectRegistration) {
        super.init(registration)
        Self.onMaking?(self)
    }

    override public func awakeFromInsert() {
        calls.append("awakeFromInsert")
        nameOnAwaking = name
        name = "awoken"
    }

    override public func awakeFromFetch() {
        calls.append("awakeFromFetch")
        if name == "counts on awaking" { count = 7 }
    }

    override public func awake(fromSnapshotEvents events: SnapshotEvents) {
        snapshotEvents.append(events)
    }

    override public func willTurnIntoFault() {
        calls.append("willTurnIntoFault")
        onWillTurnIntoFault?()
    }

    override public func didTurnIntoFault() {
        calls.append("didTurnIntoFault")
    }

    override public func willSave() {
        calls.append("willSave")
        onWillSave?(self)
    }

    override public func didSave() {
        calls.append("didSave")
        onDidSave?(self)
    }

    override public func prepareForDeletion() {
        calls.append("prepareForDeletion")
        if let deletionCause { deletionCauses.append(deletionCause) }
        partsAtDeletion = parts.count
        onPrepareForDeletion?(self)
    }

    override public func validateForInsert() throws {
        if asksSuper { try super.validateForInsert() }
        try onValidate?(false)
    }

    override public func validateForUpdate() throws {
        if asksSuper { try super.validateForUpdate() }
        try onValidate?(false)
    }

    override public func validateForDelete() throws {
        try super.validateForDelete()
        try onValidate?(true)
    }
}
