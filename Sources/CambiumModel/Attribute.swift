/// A value that objects of an entity have.
///
/// ## Topics
///
/// ### Creating
///
/// - ``required(_:_:)``
/// - ``optional(_:_:)``
/// - ``init(name:type:isOptional:isTransient:defaultValue:limits:merge:renamedFrom:hasCustomValidation:derivation:isExternal:isPreservedAfterDeletion:hashModifier:userInfo:)``
///
/// ### Name and type
///
/// - ``name``
/// - ``type``
/// - ``isPart``
///
/// ### Values
///
/// - ``isOptional``
/// - ``defaultValue``
/// - ``derivation``
/// - ``limits``
/// - ``hasCustomValidation``
///
/// ### Storage and conflicts
///
/// - ``isTransient``
/// - ``isExternal``
/// - ``isPreservedAfterDeletion``
/// - ``merge``
///
/// ### Versions and notes
///
/// - ``renamedFrom``
/// - ``hashModifier``
/// - ``userInfo``
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
    /// The value of the attribute in a new object, or nil if there is no default.
    public let defaultValue: DefaultValue?
    /// Limits that the value keeps to whenever it is saved; they do not apply to nil.
    public let limits: Limits
    /// The rule for conflicting changes of this attribute under the per-property policies, or nil
    /// for the policy's own rule.
    public let merge: MergeRule?
    /// The attribute's name in the previous version, or nil if it was not renamed.
    public let renamedFrom: String?
    /// Whether the user's code must supply `validate<Name>(_:)`, called before each save.
    public let hasCustomValidation: Bool
    /// The expression that computes the value of a derived attribute; nil for other attributes. A
    /// derived attribute cannot be set. An object has the value that its last save computed, and no
    /// value before its first save. `now()` is the time of the last save that wrote the object
    /// itself.
    public let derivation: ModelExpression?
    /// Whether large values (data only) are kept in files beside the store. Values above 100 KB are
    /// in the folder `.<name of the store>.external`. They are read on access, not with the object.
    public let isExternal: Bool
    /// Whether the value is kept in the history of deletions.
    public let isPreservedAfterDeletion: Bool
    /// A text that changes the version hash although the storage is the same.
    public let hashModifier: String?
    /// The author's notes for programs.
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

    /// Copies another attribute, except for some parts.
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

    /// Returns the attribute with another former name.
    package func renamed(from name: String?) -> Attribute {
        Attribute(self, isOptional: isOptional, derivation: derivation, renamedFrom: name)
    }

    /// Returns the attribute with another derivation, optional or required.
    package func derived(from derivation: ModelExpression?, isOptional: Bool) -> Attribute {
        Attribute(self, isOptional: isOptional, derivation: derivation, renamedFrom: renamedFrom)
    }

    /// Creates a required attribute from a name and a type.
    public static func required(_ name: String, _ type: AttributeType) -> Attribute {
        Attribute(name: name, type: type)
    }

    /// Creates an optional attribute from a name and a type.
    public static func optional(_ name: String, _ type: AttributeType) -> Attribute {
        Attribute(name: name, type: type, isOptional: true)
    }
}

extension Attribute: Hashable {
    /// Whether all parts are equal.
    public static func == (one: Attribute, other: Attribute) -> Bool {
        one === other || one.name == other.name && one.isWritten(as: other)
    }

    /// Hashes the parts that nearly always differ.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(type)
    }
}

/// The default value of a new object's attribute.
public enum DefaultValue: Sendable, Equatable {
    /// Always this value. It is the column's SQL `DEFAULT` too.
    case constant(Value)
    /// The time at which the object is created (dates only).
    case now
    /// A new random UUID for each object (UUIDs only).
    case newUUID
}

/// The limits of an attribute's values. Each is inclusive; nil means no limit.
public struct Limits: Sendable, Equatable {
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

/// A rule by which two simultaneous changes of an attribute become one value.
public enum MergeRule: String, Sendable, Hashable, CaseIterable {
    /// The value in the store wins.
    case store
    /// The value of the object being saved wins.
    case object
    /// The greater value wins.
    case max
    /// The lesser value wins.
    case min
    /// Both differences from the common base are added to the base (numbers and decimals).
    case sum
    /// An element is in the result if the base has it or a side added it, and no side removed it
    /// (codable values that are written as a JSON array).
    case union
}

/// The form of a value that may be stored in a file of its own. The first byte in the row says how
/// the value is stored.
///
/// | first byte | then |
/// |---|---|
/// | 1 | the value itself |
/// | 2 | the name of the file, in the folder beside the store |
package enum ExternalForm {
    /// The value follows.
    package static let inline: UInt8 = 1
    /// The name of a file follows.
    package static let file: UInt8 = 2
}

extension Attribute {
    /// Whether rows hold its values in the form of ``ExternalForm``.
    package var usesExternalForm: Bool { isExternal && type == .data }
}

extension Model {
    /// Returns the stored form of an attribute's value. The result is nil if the value has another
    /// type, does not fit, or is not a case of the attribute's enumeration.
    package func stored(_ value: Value, of attribute: Attribute) -> StoredValue? {
        guard isCase(value, of: attribute.type) else { return nil }
        let form = stored(value, as: attribute.type)
        guard attribute.usesExternalForm, case .blob(let data) = form else { return form }
        return .blob([ExternalForm.inline] + data)
    }

    /// Whether the type is not an enumeration, or the value is nil or one of the enumeration's
    /// cases.
    private func isCase(_ value: Value, of type: AttributeType) -> Bool {
        guard value != .null, case .enumeration(let name) = type else { return true }
        return enumeration(named: name)?.cases.contains { $0.rawValue == value } == true
    }
}

extension ExternalForm {
    /// A value above this number of bytes is stored in a file. Up to this size, SQLite reads and
    /// writes a value as fast as a file system does a file.
    package static let largestInline = 100 * 1024

    /// Returns the folder of a store's external files, beside the store. If the path is a symbolic
    /// link, the folder is beside the link's target, as SQLite's own files are. All paths to a
    /// store have the same folder.
    package static func folder(ofStore path: String) -> String {
        let parts = storeFile(behind: path).split(separator: "/", omittingEmptySubsequences: false)
        let folder = parts.dropLast().map { $0 + "/" }.joined()
        return "\(folder).\(parts.last ?? "").external"
    }

    /// Returns the file at the end of a chain of symbolic links. SQLite keeps its log and its
    /// journal beside that file, not beside the links.
    package static func storeFile(behind path: String) -> String {
        var path = path
        // The system also gives up after this number of links.
        for _ in 0..<32 {
            guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path)
            else { break }
            let parts = path.split(separator: "/", omittingEmptySubsequences: false)
            path =
                target.hasPrefix("/")
                ? target : (parts.dropLast() + [target[...]]).joined(separator: "/")
        }
        return path
    }
}

/// A type whose values have several parts. It is a Swift struct with a column for each part.
public final class Composite: Sendable {
    /// The name of the Swift type.
    public let name: String
    /// The parts. Parts of nested composites are included, by their dotted names.
    public let attributes: [Attribute]
    /// The names of nested composite values, in declaration order.
    public let compositeAttributes: [CompositeAttribute]
    /// The author's notes for programs.
    public let userInfo: [String: String]

    /// Describes a composite type.
    public init(
        name: String, attributes: [Attribute] = [],
        compositeAttributes: [CompositeAttribute] = [], userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.attributes = attributes
        self.compositeAttributes = compositeAttributes
        self.userInfo = userInfo
    }
}

extension Composite: Equatable {
    /// Whether all parts are equal.
    public static func == (one: Composite, other: Composite) -> Bool {
        one === other || one.isWritten(as: other)
    }
}

/// An attribute with a composite type. The names of its parts start with its name and a dot. If all
/// parts are nil, the value is nil.
///
/// ## Topics
///
/// ### Creating
///
/// - ``init(name:composite:isOptional:isTransient:renamedFrom:userInfo:)``
///
/// ### Name and type
///
/// - ``name``
/// - ``composite``
/// - ``isNested``
/// - ``contains(_:)``
///
/// ### Values
///
/// - ``isOptional``
/// - ``isTransient``
///
/// ### Versions and notes
///
/// - ``renamedFrom``
/// - ``userInfo``
public struct CompositeAttribute: Sendable, Equatable {
    /// The name; of one within another, with the names on the way to it, joined by dots.
    public let name: String
    /// The name of its type.
    public let composite: String
    /// Whether nil is a value.
    public let isOptional: Bool
    /// Whether the value lives in memory only and is never stored.
    public let isTransient: Bool
    /// The attribute's name in the previous version, or nil if it was not renamed.
    public package(set) var renamedFrom: String?
    /// The author's notes for programs.
    public let userInfo: [String: String]

    /// Describes a composite attribute.
    public init(
        name: String, composite: String, isOptional: Bool = false, isTransient: Bool = false,
        renamedFrom: String? = nil, userInfo: [String: String] = [:]
    ) {
        self.name = name
        self.composite = composite
        self.isOptional = isOptional
        self.isTransient = isTransient
        self.renamedFrom = renamedFrom
        self.userInfo = userInfo
    }

    /// Whether the composite attribute is within another composite value.
    public var isNested: Bool { name.contains(".") }

    /// Whether an attribute is a part of the value, directly or within a composite within.
    public func contains(_ attribute: Attribute) -> Bool {
        attribute.name.hasPrefix(name + ".")
    }
}

extension Attribute {
    /// Whether the attribute is a part of a composite value.
    public var isPart: Bool { name.contains(".") }
}

extension Model {
    /// The composite attributes of an entity, inherited ones first.
    public func compositeAttributes(of entity: Entity) -> [CompositeAttribute] {
        lineage(of: entity).flatMap { $0.compositeAttributes }
    }

    /// A composite attribute of the entity or of an ancestor.
    public func compositeAttribute(_ name: String, of entity: Entity) -> CompositeAttribute? {
        compositeAttributes(of: entity).first { $0.name == name }
    }
}

/// The rule that an optional composite value is complete. Either all of its parts are nil, or no
/// part that the composite type requires is nil.
public struct PresenceRule: Sendable, Equatable {
    /// The name of the composite attribute.
    public let composite: String
    /// The names of all its parts.
    public let parts: [String]
    /// The names of the parts that are not nil if the value is not nil; at least one.
    public let required: [String]
}

extension Entity {
    /// Returns the rules of the entity's own optional composite attributes that are stored. A
    /// composite without required parts needs no rule, because any combination of its parts is a
    /// value.
    public func presenceRules(in model: Model) -> [PresenceRule] {
        optionalValues(in: model).filter { !$0.required.isEmpty }
    }

    /// Returns a rule for each optional composite attribute that is stored. If the composite type
    /// requires no part, the rule's list of required parts is empty.
    package func optionalValues(in model: Model) -> [PresenceRule] {
        compositeAttributes.compactMap { attribute in
            guard attribute.isOptional, !attribute.isTransient,
                let composite = model.composite(named: attribute.composite)
            else { return nil }
            // A part within a nested optional composite may be nil although the value is not.
            let required = composite.attributes.filter { !$0.isOptional }
                .map { "\(attribute.name).\($0.name)" }
            let parts = attributes.filter { attribute.contains($0) && !$0.isTransient }
                .map { $0.name }
            let names = Set(parts)
            return PresenceRule(
                composite: attribute.name, parts: parts,
                required: required.filter(names.contains))
        }
    }
}
