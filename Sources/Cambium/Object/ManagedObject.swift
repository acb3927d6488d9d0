import CambiumRecords

/// An object of a model: a row of the store with identity, change tracking and relationships.
///
/// Generated classes inherit from it and add typed properties. An object belongs to one context and
/// so to that context's isolation; it is not `Sendable`, and handing it to another isolation is a
/// compile error. What crosses is its ``objectID``.
///
/// Values are decoded from row pages when they are read. Getters never throw and never trap: what
/// is missing (the row was deleted, the store cannot be read) reads as the model's default, else as
/// zero, empty or nil; the context records the error, and the next save throws it. What could not be
/// read keeps every save from succeeding, until it was read or the changes that need it are taken
/// back.
///
/// ## Topics
///
/// ### Identity
///
/// - ``objectID``
/// - ``managedObjectContext``
/// - ``entity``
///
/// ### State
///
/// - ``isInserted``
/// - ``isUpdated``
/// - ``isDeleted``
/// - ``isFault``
/// - ``hasChanges``
/// - ``hasFault(forRelationship:)``
///
/// ### Changes
///
/// - ``changedValues()``
/// - ``changedValuesForCurrentEvent()``
/// - ``committedValues(forKeys:)``
/// - ``hasPersistentChangedValues``
///
/// ### Printing
///
/// - ``description``
/// - ``descriptionWithValues``
///
/// ### Generic access
///
/// - ``value(forKey:)``
/// - ``setValue(_:forKey:)``
/// - ``primitiveValue(forKey:)``
/// - ``setPrimitiveValue(_:forKey:)``
/// - ``objectIDs(forRelationship:)``
///
/// ### Overridable methods
///
/// - ``awakeFromInsert()``
/// - ``awakeFromFetch()``
/// - ``awake(fromSnapshotEvents:)``
/// - ``willSave()``
/// - ``didSave()``
/// - ``prepareForDeletion()``
/// - ``willTurnIntoFault()``
/// - ``didTurnIntoFault()``
/// - ``validateForInsert()``
/// - ``validateForUpdate()``
/// - ``validateForDelete()``
open class ManagedObject {
    // Safety: each access loads or stores one value and calls nothing meanwhile, so accesses cannot
    // overlap; the checks for it at run time would be a tenth of the time of a save.
    @exclusivity(unchecked) @usableFromInline final var record: Record?
    @exclusivity(unchecked) @usableFromInline final var status: ObjectStatus
    /// Whether observers may observe the object, so that reads are noted.
    @exclusivity(unchecked) @usableFromInline final var notesReads: Bool
    @exclusivity(unchecked) final var page: RowPage?
    @exclusivity(unchecked) final var extras: ObjectExtras?
    final let state: ContextState
    // Safety: the state holds the coordinator, which holds the descriptions.
    package final unowned(unsafe) let entityDescription: EntityDescription
    final let key: Int64

    /// What was noted of the object.
    @inlinable @inline(__always)
    final var flags: ChangeFlags {
        get { status.flags }
        set { status.flags = newValue }
    }

    /// Where the object stands between its context and the store.
    @inline(__always)
    final var lifecycle: Lifecycle {
        get { status.lifecycle }
        set { status.lifecycle = newValue }
    }

    /// The record with its page.
    final var placed: PlacedRecord? {
        @inline(__always) get {
            guard let record, let page else { return nil }
            return PlacedRecord(page: page, record: record)
        }
        @inline(__always) set {
            record = newValue?.record
            page = newValue?.page
        }
    }

    /// Makes an object for a row. Called by contexts only; there is no other way to get a
    /// registration.
    public required init(_ registration: ObjectRegistration) {
        record = registration.placed?.record
        page = registration.placed?.page
        status = ObjectStatus(
            flags: registration.lifecycle == .inserted ? .isReady : [],
            lifecycle: registration.lifecycle,
            roundsDates: registration.state.coordinator.roundsDates)
        state = registration.state
        notesReads = registration.state.notesReads
        entityDescription = registration.entity
        key = registration.key
        let type = Swift.type(of: self)
        precondition(
            registration.entity.objectClass == type || registration.entity.fits(type),
            "\(type) was made with the registration of an object of \(registration.entity.name). "
                + "Only contexts call init(_:); an override passes its argument on to super.")
    }

    /// Inserts a new object of this class into a context, with the model's default values.
    ///
    /// The generated initializers are better: they demand the required values.
    public convenience init(insertingInto context: ManagedObjectContext) {
        self.init(context.registration(inserting: Self.self))
        context.didInsert(self)
    }

    /// The class's entity and its model. Generated classes override it.
    @_spi(Generated)
    open class var entityReference: EntityReference { EntityReference() }

    /// The name of the class's entity, as generated classes know it.
    open class var entityName: String { entityReference.name }

    // MARK: Hooks

    /// Called once in the life of a new object, after the model's defaults were set and before the
    /// first value is. The place to set values that defaults cannot express. An insertion that is
    /// undone and redone calls ``awake(fromSnapshotEvents:)`` instead. The default does nothing.
    open func awakeFromInsert() {}

    /// Called after the object's values were read from the store. Attributes that are set here
    /// count as read: the object does not become a changed one. (They are written when it is saved
    /// with other changes.) Relationships are better left alone. The default does nothing.
    open func awakeFromFetch() {}

    /// Called after the object got other values than by its setters: by undo and redo, a rollback,
    /// a refresh or a merge policy. The place to bring up to date what was worked out from the
    /// values. Attributes that are set here do not make the object a changed one. The default does
    /// nothing.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}

    /// Called before the object lets go of its values. The default does nothing.
    open func willTurnIntoFault() {}

    /// Called after the object let go of its values: by a refresh, a reset, or because nobody held
    /// it any more. The place to drop what was worked out from them; reading one here would read
    /// the row again. The default does nothing.
    open func didTurnIntoFault() {}

    /// Called before each save of a changed object, after validation; changes made here are
    /// validated and saved too, in another round that calls the hooks again. A save ends with an
    /// error after 100 rounds, or after ten in a row in which hooks or validations insert objects: so
    /// insert one only where it is missing. The default does nothing.
    open func willSave() {}

    /// Called after a save that included the object. The default does nothing.
    open func didSave() {}

    /// Called when the object is about to be deleted, while its relationships are intact;
    /// ``deletionCause`` says why: the program asks for it (called again when it asks twice), a
    /// cascade reached the object, or another context has deleted its row. The default does
    /// nothing.
    open func prepareForDeletion() {}

    /// Checks the limits that the model sets on the properties; called before each save of an
    /// inserted or updated object. This one sees to required values and to numbers that are none;
    /// generated classes override it with the limits of their properties.
    @_spi(Generated)
    open func validateProperties(into validator: inout Validator) {
        validator.validateEssentials()
    }

    /// Checks the object as a save does before it inserts it: every limit, every rule of the model
    /// and every check of the program's own, which may repair values. What only the store can know
    /// (that a value is unique) shows when it is saved.
    ///
    /// An override calls `super`, and adds to what that throws. A save calls it for each new object
    /// and collects what all of them throw.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` where there are several.
    open func validateForInsert() throws {
        try validation.throwValidationErrors()
    }

    /// Checks the object as a save does before it updates it: the same as ``validateForInsert()``,
    /// unless it is overridden.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` where there are several.
    open func validateForUpdate() throws {
        try validation.throwValidationErrors()
    }

    /// Checks, as a save does before it deletes the object, that no relationship with the delete
    /// rule deny keeps it from being deleted. An override calls `super`.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` where there are several.
    open func validateForDelete() throws {
        try validation.throwDenials()
    }
}

/// What a context gives an object on its way into life.
public struct ObjectRegistration {
    let state: ContextState
    // Safety: the state holds the coordinator, which holds the descriptions.
    unowned(unsafe) let entity: EntityDescription
    let key: Int64
    let placed: PlacedRecord?
    let lifecycle: Lifecycle
}

/// What a setter must know, in four bytes.
@usableFromInline
struct ObjectStatus {
    @usableFromInline var flags: ChangeFlags
    var lifecycle: Lifecycle
    /// Whether dates are rounded when they are set, as the store keeps them.
    @usableFromInline let roundsDates: Bool
}

/// Where an object stands between its context and the store.
enum Lifecycle: UInt8 {
    /// As the store has it, as far as the context knows.
    case clean
    /// New, not saved yet.
    case inserted
    /// Changed since it was read or saved.
    case updated
    /// To be deleted by the next save.
    case deleted
    /// Inserted and deleted again before a save, or its context was reset: it is nothing any more.
    case discarded
    /// Its row was deleted from the store.
    case invalid
}

/// What a setter must know, in two bytes.
@usableFromInline
struct ChangeFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @usableFromInline
    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The record is the object's own and may be written.
    @usableFromInline static let isDraft = ChangeFlags(rawValue: 1)
    /// The object is among those changed since changes were last processed.
    @usableFromInline static let isNoted = ChangeFlags(rawValue: 2)
    /// Both: a setter has nothing to do but to write (and to note the slot).
    @usableFromInline static let isReady: ChangeFlags = [.isDraft, .isNoted]
    /// The changed slots are kept: the object was saved before.
    @usableFromInline static let tracksSlots = ChangeFlags(rawValue: 4)
    /// Its values came with the fetch that is going on.
    static let isFresh = ChangeFlags(rawValue: 8)
    /// It was read for somebody who does not hold it yet, and stays when unused objects are dropped
    /// for the first time.
    static let isReadAhead = ChangeFlags(rawValue: 16)
    /// Its ``ManagedObject/prepareForDeletion()`` is running.
    static let isPreparingDeletion = ChangeFlags(rawValue: 32)
    /// Its context has forgotten it.
    static let isForgotten = ChangeFlags(rawValue: 64)
    /// Its row could not be read when it was changed: what was not set are placeholders.
    static let isUnread = ChangeFlags(rawValue: 128)
    /// In the current event it got values otherwise than by its setters: any value may be another.
    static let hasOtherValues = ChangeFlags(rawValue: 256)
    /// In the current event unsaved links of it were dropped.
    static let hasOtherLinks = ChangeFlags(rawValue: 512)
    /// What is true of one event only.
    static let ofEvent: ChangeFlags = [.isNoted, .hasOtherValues, .hasOtherLinks]
}

extension ManagedObject {
    /// The object as one of a class, or nil where it is none.
    @inline(__always)
    final func cast<Class: ManagedObject>(to class: Class.Type) -> Class? {
        // Safety: the class was compared, and is the very one. The general cast walks its
        // ancestors, for each object of a fetch.
        type(of: self) == Class.self ? unsafeDowncast(self, to: Class.self) : self as? Class
    }
}

extension [ManagedObject] {
    /// Those of a class.
    func cast<Class: ManagedObject>(to class: Class.Type) -> [Class] {
        guard allSatisfy({ type(of: $0) == Class.self }) else {
            return compactMap { $0.cast(to: Class.self) }
        }
        // Safety: every element was compared, and is of the very class. The storage of an array
        // is laid out alike for all classes, and a storage of the superclass takes its subclasses.
        return unsafeBitCast(self, to: [Class].self)
    }
}

extension ManagedObject: Hashable {
    /// Whether both are the same object. In one context there is one object for a row.
    public static func == (one: ManagedObject, other: ManagedObject) -> Bool {
        one === other
    }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ManagedObject: CustomStringConvertible {
    /// The entity, the key and the state; no values, which may be private. See
    /// ``descriptionWithValues``.
    public var description: String {
        "\(entityDescription.name)/\(key) (\(isFault ? "fault" : "\(lifecycle)"))"
    }

    /// The same with the values, for a look at an object: `Product/1 (clean): price = 20, …`
    ///
    /// - Warning: Values may be private. Keep them out of logs that others read.
    /// - Returns: The stored attributes that are not nil, and the keys that to-one relationships lead
    ///   to, in the order of the model. Long texts are cut, and of data only the length is said. A
    ///   fault stays one, and shows no values.
    /// - Complexity: O(properties). No row is read.
    public final var descriptionWithValues: String {
        guard let record else { return extras?.replacement?.descriptionWithValues ?? description }
        let values = entityDescription.layout.slots.enumerated().compactMap { slot, place in
            place.isEntityOfKey || !record.hasValue(slot)
                ? nil : "\(place.property) = \(properties.shown(at: slot, in: record))"
        }
        return values.isEmpty ? description : "\(description): \(values.joined(separator: ", "))"
    }
}

extension RowIdentity {
    /// The row of an object.
    init(_ object: ManagedObject) {
        self.init(root: object.entityDescription.rootIndex, key: object.key)
    }
}

extension ManagedObject {
    /// Its links.
    final var ownLinks: ObjectLinks { ObjectLinks(subject: self) }
    /// The order of its lists.
    final var orderedLinks: OrderedLinks { OrderedLinks(subject: self) }
    /// Its links that are in memory only.
    final var transients: TransientLinks { TransientLinks(subject: self) }
    /// Takes its unsaved links back.
    final var reversal: LinkReversal { LinkReversal(subject: self) }
    /// What it becomes, by its row.
    final var row: ObjectRow { ObjectRow(subject: self) }
    /// What it was before the event.
    final var tracking: EventTracking { EventTracking(subject: self) }
    /// Its properties by name.
    final var properties: ObjectProperties { ObjectProperties(subject: self) }
    /// Its checks.
    final var validation: ObjectValidation { ObjectValidation(subject: self) }
}
