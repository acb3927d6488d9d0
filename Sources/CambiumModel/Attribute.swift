/// A value that objects of an entity have.
public final class Attribute: Sendable {
    /// The name of the Swift property and of the column. A part of a composite value has the names
    /// on the way to it, joined by dots: `address.street`; its column has underscores instead.
    public let name: String
    /// The type of its values.
    public let type: AttributeType
    /// Whether nil is a value. A required attribute is non-optional in Swift.
    public let isOptional: Bool
    /// Whether the value lives in memory only and is never stored.
    public let isTransient: Bool
    /// What a new object starts with.
    public let defaultValue: DefaultValue?
    /// Limits that the value keeps to whenever it is saved; they do not apply to nil.
    public let limits: Limits
    /// How conflicting changes of this attribute are resolved under the per-property policies;
    /// nil leaves it to the policy.
    public let merge: MergeRule?
    /// The name in the version just before, where it was another one.
    public let renamedFrom: String?
    /// Whether the user's code must supply `validate<Name>(_:)`, called before each save.
    public let hasCustomValidation: Bool
    /// What the value is computed from, if it is derived; such an attribute cannot be set. An
    /// object has the value that the last save came to, and none before its first; `now()` is the
    /// moment of the last save that wrote the object itself.
    public let derivation: ModelExpression?
    /// Whether large values (data only) are kept in files beside the store: those above 100 KB, in
    /// the folder `.<name of the store>.external`. They are read when they are asked for, not with
    /// the object.
    public let isExternal: Bool
    /// Whether the value is kept in the history of deletions.
    public let isPreservedAfterDeletion: Bool
    /// A text that makes the version hash another one although the storage is the same.
    public let hashModifier: String?
    /// What the author noted for programs.
    public let userInfo: [String: String]

    /// Describes an attribute.
    public init(
        name: String, type: AttributeType, isOptional: Bool = false, isTransient: Bool = false,
        defaultValue: DefaultValue? = nil, limits: Limits = Limits(), merge: MergeRule? = nil,
        renamedFrom: String? = nil, hasCustomValidation: Bool = false,
        derivation: ModelExpression? = nil, isExternal: Bool = false,
        isPreservedAfterDeletion: Bool = false, hashModifier: String? = nil,
        userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.type = type
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.defaultValue = defaultValue
        self.limits = limits
        self.merge = merge
        self.renamedFrom = renamedFrom
        self.hasCustomValidation = hasCustomValidation
        self.derivation = derivation
        self.isExternal = isExternal
        self.isPreservedAfterDeletion = isPreservedAfterDeletion
        self.hashModifier = hashModifier
        self.userInfo = userInfo
    }

    /// The same as another attribute, but for some parts.
    package convenience init(
        _ attribute: Attribute, isOptional: Bool, derivation: ModelExpression?,
        renamedFrom: String?
    ) {
        self.init(
            name: attribute.name, type: attribute.type, isOptional: isOptional,
            isTransient: attribute.isTransient, defaultValue: attribute.defaultValue,
            limits: attribute.limits, merge: attribute.merge, renamedFrom: renamedFrom,
            hasCustomValidation: attribute.hasCustomValidation, derivation: derivation,
            isExternal: attribute.isExternal,
            isPreservedAfterDeletion: attribute.isPreservedAfterDeletion,
            hashModifier: attribute.hashModifier, userInfo: attribute.userInfo)
    }

    /// The same with another former name.
    package func renamed(from name: String?) -> Attribute {
        Attribute(self, isOptional: isOptional, derivation: derivation, renamedFrom: name)
    }

    /// The same with another derivation, and optional or not.
    package func derived(from derivation: ModelExpression?, isOptional: Bool) -> Attribute {
        Attribute(self, isOptional: isOptional, derivation: derivation, renamedFrom: renamedFrom)
    }

    /// A required attribute with nothing but a name and a type.
    public static func required(_ name: String, _ type: AttributeType) -> Attribute {
        Attribute(name: name, type: type)
    }

    /// An optional attribute with nothing but a name and a type.
    public static func optional(_ name: String, _ type: AttributeType) -> Attribute {
        Attribute(name: name, type: type, isOptional: true)
    }
}

extension Attribute: Hashable {
    /// Whether all parts are equal.
    public static func == (one: Attribute, other: Attribute) -> Bool {
        one === other
            || one.name == other.name && one.type == other.type
                && one.isOptional == other.isOptional && one.isTransient == other.isTransient
                && one.defaultValue == other.defaultValue && one.limits == other.limits
                && one.merge == other.merge && one.renamedFrom == other.renamedFrom
                && one.hasCustomValidation == other.hasCustomValidation
                && one.derivation == other.derivation && one.isExternal == other.isExternal
                && one.isPreservedAfterDeletion == other.isPreservedAfterDeletion
                && one.hashModifier == other.hashModifier && one.userInfo == other.userInfo
    }

    /// Hashes what is nearly always different.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(type)
    }
}

/// What a new object's attribute starts with.
public enum DefaultValue: Sendable, Hashable {
    /// Always this value. It is the column's SQL `DEFAULT` too.
    case constant(Value)
    /// The moment at which the object is made (dates only).
    case now
    /// A new random UUID for each object (UUIDs only).
    case newUUID
}

/// The limits of an attribute's values. Each is inclusive; nil means no limit.
public struct Limits: Sendable, Hashable {
    /// The least value, for numbers, decimals and dates.
    public let minimum: Value?
    /// The greatest value, for numbers, decimals and dates.
    public let maximum: Value?
    /// The least length: Unicode scalars of a string, bytes of data.
    public let minimumLength: Int?
    /// The greatest length: Unicode scalars of a string, bytes of data.
    public let maximumLength: Int?
    /// A regular expression that the whole string matches.
    public let pattern: String?

    /// Describes limits; all nil means none.
    public init(
        minimum: Value? = nil, maximum: Value? = nil, minimumLength: Int? = nil,
        maximumLength: Int? = nil, pattern: String? = nil
    ) {
        self.minimum = minimum
        self.maximum = maximum
        self.minimumLength = minimumLength
        self.maximumLength = maximumLength
        self.pattern = pattern
    }

    /// Whether there is no limit at all.
    public var isEmpty: Bool { self == Limits() }
}

/// How two changes of one attribute, made at the same time, become one value.
public enum MergeRule: String, Sendable, Hashable, CaseIterable {
    /// The value in the store wins.
    case store
    /// The value of the object being saved wins.
    case object
    /// The greater value wins.
    case max
    /// The lesser value wins.
    case min
    /// Both differences from the common base are added to it (numbers and decimals).
    case sum
    /// The elements that either side added are added and those that either removed are removed
    /// (codable values that are written as a JSON array).
    case union
}
