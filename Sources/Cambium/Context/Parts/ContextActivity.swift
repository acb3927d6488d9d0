/// The part of a context that knows the current event, and what is going on.
final class ContextActivity {
    // Safety: here and below, a value that is loaded or stored and nothing else.
    /// The current event. It never ends where nobody says so.
    @exclusivity(unchecked) private(set) var event = 0
    /// How many calls are going on whose settings of attributes are no changes.
    @exclusivity(unchecked) private var quietDepth = 0
    /// Why the object whose hook is called is deleted.
    @exclusivity(unchecked) var deletionCause: DeletionCause?
    /// Whether changes are being processed.
    var isProcessing = false
    /// Whether the changes are being settled for a save.
    var isSaving = false
    /// Whether objects are being notified that everything is going to be forgotten.
    var isResetting = false
    /// Enqueues the end of the event, one job in the context's isolation, where that is known.
    let schedule: (@Sendable () -> Void)?
    /// Whether somebody will end the event: a job, or who has begun it.
    @exclusivity(unchecked) var isEndOfEventScheduled = false

    init(schedule: (@Sendable () -> Void)?) {
        self.schedule = schedule
    }

    /// Whether somebody says when an event ends; if not, processing the changes ends it.
    var hasEvents: Bool { schedule != nil }

    /// Makes sure that changes are processed at the end of the current event.
    func scheduleEndOfEvent() {
        guard !isEndOfEventScheduled, let schedule else { return }
        isEndOfEventScheduled = true
        schedule()
    }

    /// Begins the next event.
    func startNextEvent() {
        event &+= 1
    }

    // MARK: Hooks

    /// Whether attributes are set without being noted as changes.
    var isAwaking: Bool { quietDepth > 0 }

    /// Runs a body whose settings of attributes are no changes.
    func withoutTracking<Result>(_ body: () throws -> Result) rethrows -> Result {
        quietDepth += 1
        defer { quietDepth -= 1 }
        return try body()
    }

    /// Notifies objects that their values were read.
    func awaken(_ objects: some Sequence<ManagedObject>) {
        withoutTracking {
            for object in objects { object.awakeFromFetch() }
        }
    }

    /// Notifies objects that they got other values than by their setters.
    func awaken(_ objects: some Sequence<ManagedObject>, from events: SnapshotEvents) {
        withoutTracking {
            for object in objects { object.awake(fromSnapshotEvents: events) }
        }
    }

    /// Calls the hook of an object that is about to be deleted.
    func prepareForDeletion(_ object: ManagedObject, because cause: DeletionCause) {
        // Hooks that delete each other's objects end here.
        guard !object.flags.contains(.isPreparingDeletion) else { return }
        object.flags.insert(.isPreparingDeletion)
        let former = deletionCause
        deletionCause = cause
        object.prepareForDeletion()
        deletionCause = former
        object.flags.remove(.isPreparingDeletion)
    }
}
