import CambiumRecords

/// An object of a model: a row of the store with identity, change tracking and relationships.
///
/// Generated classes inherit from it and add typed properties. An object belongs to one context,
/// and so to that context's isolation. It is not `Sendable`: sending it to another isolation is a
/// compile error. Send its ``objectID`` instead.
///
/// Values are decoded from row pages when they are read. Getters never throw and never trap. If a
/// value is missing (the row was deleted, or the store cannot be read), the getter returns the
/// model's default, or else zero, empty or nil. The context records the error, and the next save
/// throws it. After a failed read, every save fails until the data was read or the dependent
/// changes are undone.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(insertingInto:)``
///
/// ### Identity
///
/// - ``objectID``
/// - ``managedObjectContext``
/// - ``entity``
/// - ``entityName``
///
/// ### State
///
/// - ``isInserted``
/// - ``isUpdated``
/// - ``isDeleted``
/// - ``isFault``
/// - ``hasChanges``
/// - ``hasFault(forRelationship:)``
/// - ``faultingState``
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
/// - ``relatedObject(forKey:)``
/// - ``setRelatedObject(_:forKey:)``
/// - ``relatedObjects(forKey:)``
/// - ``orderedRelatedObjects(forKey:)``
/// - ``objectIDs(forRelationship:)``
/// - ``fetchedObjects(forKey:)``
///
/// ### Overridable methods
///
/// - ``awakeFromInsert()``
/// - ``awakeFromFetch()``
/// - ``awake(fromSnapshotEvents:)``
/// - ``willSave()``
/// - ``didSave()``
/// - ``prepareForDeletion()``
/// - ``deletionCause``
/// - ``willTurnIntoFault()``
/// - ``didTurnIntoFault()``
///
/// ### Validation
///
/// - ``validateForInsert()``
/// - ``validateForUpdate()``
/// - ``validateForDelete()``
/// - ``propertyValidationError(forKey:localizedDescription:)``
///
/// ### Custom getters and setters
///
/// - ``willAccessValue(forKey:)``
/// - ``primitiveValue(forKey:)``
/// - ``didAccessValue(forKey:)``
/// - ``willChangeValue(forKey:)``
/// - ``setPrimitiveValue(_:forKey:)``
/// - ``didChangeValue(forKey:)``
///
/// ### Calls of generated code
///
/// - ``init(_:)``
/// - ``writeInteger(_:_:)``
/// - ``writeReal(_:_:)``
/// - ``writeDate(_:_:)``
/// - ``writeBytes(_:_:)``
/// - ``writeNull(_:)``
open class ManagedObject {
    // Safety: each access loads or stores one value and calls no other code meanwhile, so accesses
    // cannot overlap. The run-time checks would take a tenth of the time of a save.
    @exclusivity(unchecked) @usableFromInline final var record: Record?
    @exclusivity(unchecked) @usableFromInline final var status: ObjectStatus
    /// Whether the object is observable, so that reads are recorded.
    @exclusivity(unchecked) @usableFromInline final var notesReads: Bool
    @exclusivity(unchecked) final var page: RowPage?
    @exclusivity(unchecked) final var extras: ObjectExtras?
    final let state: ContextState
    // Safety: the state retains the coordinator, and the coordinator retains the descriptions.
    package final unowned(unsafe) let entityDescription: EntityDescription
    final let key: Int64

    /// The change flags of the object.
    @inlinable @inline(__always)
    final var flags: ChangeFlags {
        get { status.flags }
        set { status.flags = newValue }
    }

    /// The state of the object in relation to its context and the store.
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

    /// Creates an object for a row. Only contexts call it: a program cannot create a registration.
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
            "\(type) was created with the registration of an object of \(registration.entity.name). "
                + "Only contexts call init(_:); an override passes its argument on to super.")
    }

    /// Inserts a new object of this class into a context, with the model's default values.
    ///
    /// Prefer the generated initializers: they have parameters for the required values.
    public convenience init(insertingInto context: ManagedObjectContext) {
        self.init(context.registration(inserting: Self.self))
        context.didInsert(self)
    }

    /// The class's entity and its model. Generated classes override it.
    @_spi(Generated)
    open class var entityReference: EntityReference { EntityReference() }

    /// The name of the class's entity.
    open class var entityName: String { entityReference.name }

    // MARK: Hooks

    /// Called once for a new object, after the model's defaults were set and before any other value
    /// is set. Override it to set values that defaults cannot express. If an insertion is undone
    /// and redone, ``awake(fromSnapshotEvents:)`` is called instead. The default does nothing.
    open func awakeFromInsert() {}

    /// Called after the object's values were read from the store. Attributes that are set here do
    /// not make the object changed, as if they had been read. (The next save of other changes of
    /// the object also writes these attributes.) Do not change relationships here. The default does
    /// nothing.
    open func awakeFromFetch() {}

    /// Called after the object's values were changed by something other than a setter: undo, redo,
    /// rollback, refresh or a merge policy. Override it to update data that is computed from the
    /// values. Attributes that are set here do not make the object changed. The default does
    /// nothing.
    open func awake(fromSnapshotEvents events: SnapshotEvents) {}

    /// Called before the object releases its values. The default does nothing.
    open func willTurnIntoFault() {}

    /// Called after the object released its values: by a refresh, a reset, or because the program
    /// no longer retains it. Override it to discard data that is computed from the values. Reading
    /// a value here would read the row again. The default does nothing.
    open func didTurnIntoFault() {}

    /// Called before each save of a changed object, after validation. Changes made here are
    /// validated and saved too, in another round that calls the hooks again. A save fails after 100
    /// rounds, or after ten successive rounds in which hooks or validations insert objects.
    /// Therefore insert an object here only if it is missing. The default does nothing.
    open func willSave() {}

    /// Called after a save that included the object. The default does nothing.
    open func didSave() {}

    /// Called when the object is about to be deleted, while its relationships are intact.
    /// ``deletionCause`` has the reason: the program deletes the object, a cascade reached it, or
    /// another context has deleted its row. If the program deletes the object twice, this is called
    /// twice. The default does nothing.
    open func prepareForDeletion() {}

    /// Checks the limits that the model sets for the properties; called before each save of an
    /// inserted or updated object. This implementation checks for missing required values and NaN;
    /// generated classes override it with the limits of their properties.
    @_spi(Generated)
    open func validateProperties(into validator: inout Validator) {
        validator.validateEssentials()
    }

    /// Validates the object in the same way as a save that inserts the object: every limit, every
    /// rule of the model and every custom check. Custom checks may repair values. Conditions that
    /// only the store can check, such as uniqueness, are checked by the save.
    ///
    /// An override calls `super` and adds to its errors. A save calls this for each new object and
    /// collects all errors.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` if there are several.
    open func validateForInsert() throws {
        try validation.throwValidationErrors()
    }

    /// Validates the object in the same way as a save that updates the object. Unless a class
    /// overrides this method, it does the same as ``validateForInsert()``.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` if there are several.
    open func validateForUpdate() throws {
        try validation.throwValidationErrors()
    }

    /// Validates, in the same way as a save that deletes the object, that no relationship with the
    /// delete rule deny prevents the deletion. An override calls `super`.
    ///
    /// - Throws: A ``ValidationError``, or ``ValidationErrors`` if there are several.
    open func validateForDelete() throws {
        try validation.throwDenials()
    }
}

/// The data that a context passes to a new object's initializer.
public struct ObjectRegistration {
    let state: ContextState
    // Safety: the state retains the coordinator, and the coordinator retains the descriptions.
    unowned(unsafe) let entity: EntityDescription
    let key: Int64
    let placed: PlacedRecord?
    let lifecycle: Lifecycle
}

/// The data that a setter needs, in four bytes.
@usableFromInline
struct ObjectStatus {
    @usableFromInline var flags: ChangeFlags
    var lifecycle: Lifecycle
    /// Whether dates are rounded when they are set, as the store rounds them.
    @usableFromInline let roundsDates: Bool
}

/// The state of an object in relation to its context and the store.
enum Lifecycle: UInt8 {
    /// Unchanged in this context. Another context may have changed the row.
    case clean
    /// New, and not saved yet.
    case inserted
    /// Changed since it was read or saved.
    case updated
    /// To be deleted by the next save.
    case deleted
    /// Inserted and deleted again before a save, or its context was reset.
    case discarded
    /// The object's row was deleted from the store.
    case invalid
}

/// The flags that a setter needs, in two bytes.
@usableFromInline
struct ChangeFlags: OptionSet, Sendable {
    @usableFromInline let rawValue: UInt16

    @usableFromInline
    init(rawValue: UInt16) { self.rawValue = rawValue }

    /// The record belongs to the object and may be written.
    @usableFromInline static let isDraft = ChangeFlags(rawValue: 1)
    /// The object is among the objects that changed since changes were last processed.
    @usableFromInline static let isNoted = ChangeFlags(rawValue: 2)
    /// Both of the above, so that a setter only needs to write (and to record the slot).
    @usableFromInline static let isReady: ChangeFlags = [.isDraft, .isNoted]
    /// The changed slots are kept: the object was saved before.
    @usableFromInline static let tracksSlots = ChangeFlags(rawValue: 4)
    /// The current fetch has read its values.
    static let isFresh = ChangeFlags(rawValue: 8)
    /// The object was read ahead of its use. It is kept when unused objects are released for the
    /// first time.
    static let isReadAhead = ChangeFlags(rawValue: 16)
    /// The object's ``ManagedObject/prepareForDeletion()`` is running.
    static let isPreparingDeletion = ChangeFlags(rawValue: 32)
    /// The object is not registered with its context any more.
    static let isForgotten = ChangeFlags(rawValue: 64)
    /// The object's row could not be read when the object was changed. All values that were not set
    /// are placeholders.
    static let isUnread = ChangeFlags(rawValue: 128)
    /// In the current event, something other than its setters changed its values; any of them may
    /// differ.
    static let hasOtherValues = ChangeFlags(rawValue: 256)
    /// In the current event, some of its unsaved links were dropped.
    static let hasOtherLinks = ChangeFlags(rawValue: 512)
    /// The flags that are valid for one event only.
    static let ofEvent: ChangeFlags = [.isNoted, .hasOtherValues, .hasOtherLinks]
}

extension ManagedObject {
    /// Returns the object as an instance of a class, or nil if it is not one.
    @inline(__always)
    final func cast<Class: ManagedObject>(to class: Class.Type) -> Class? {
        // Safety: the class was compared and is exactly this one. The general cast walks its
        // superclasses, for each object of a fetch.
        type(of: self) == Class.self ? unsafeDowncast(self, to: Class.self) : self as? Class
    }
}

extension [ManagedObject] {
    /// Returns the objects of a class.
    func cast<Class: ManagedObject>(to class: Class.Type) -> [Class] {
        guard allSatisfy({ type(of: $0) == Class.self }) else {
            return compactMap { $0.cast(to: Class.self) }
        }
        // Safety: every element was compared, and is of exactly this class. The storage of an array
        // has the same layout for all classes, and a storage of the superclass accepts its
        // subclasses.
        return unsafeBitCast(self, to: [Class].self)
    }
}

extension ManagedObject: Hashable {
    /// Returns whether both are the same object. A context has one object for each row.
    public static func == (one: ManagedObject, other: ManagedObject) -> Bool {
        one === other
    }

    /// Hashes the object's identity.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

extension ManagedObject: CustomStringConvertible {
    /// The entity, the key and the state. It has no values, because these may be private. See
    /// ``descriptionWithValues``.
    public var description: String {
        "\(entityDescription.name)/\(key) (\(isFault ? "fault" : "\(lifecycle)"))"
    }

    /// A description with the values, for debugging: `Product/1 (clean): price = 20, …`
    ///
    /// - Warning: Values may be private. Keep them out of logs that other people read.
    /// - Returns: The stored attributes that are not nil, and the keys of to-one relationships, in
    ///   the order of the model. Long texts are truncated, and data is shown as its length. A fault
    ///   is not fired, and shows no values.
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
    /// Creates the identity of an object's row.
    init(_ object: ManagedObject) {
        self.init(root: object.entityDescription.rootIndex, key: object.key)
    }
}

extension ManagedObject {
    /// The functions for its links.
    final var ownLinks: ObjectLinks { ObjectLinks(subject: self) }
    /// The functions for the order of its lists.
    final var orderedLinks: OrderedLinks { OrderedLinks(subject: self) }
    /// The functions for its links that exist only in memory.
    final var transients: TransientLinks { TransientLinks(subject: self) }
    /// The functions that undo its unsaved links.
    final var reversal: LinkReversal { LinkReversal(subject: self) }
    /// The functions for the changes of its state and its row.
    final var row: ObjectRow { ObjectRow(subject: self) }
    /// The functions that keep its state before the event.
    final var tracking: EventTracking { EventTracking(subject: self) }
    /// The functions for its properties by name.
    final var properties: ObjectProperties { ObjectProperties(subject: self) }
    /// The functions that validate it.
    final var validation: ObjectValidation { ObjectValidation(subject: self) }
}
