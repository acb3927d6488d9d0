import CambiumModel
import Foundation

/// The conversion of one kind of element between both spellings.
///
/// Only the meaning is converted explicitly, once in each direction. If Xcode's spelling has
/// details that the meaning does not determine, they are found by a conversion there and back. They
/// are stored in attributes of the namespace `urn:cambium:xcode:1`. In the other direction, such
/// details are stored in user info with keys that start with `cambium.`.
package protocol Spelling {
    /// Cambium's own attributes for Xcode's.
    func own(from xcode: AttributeList) -> AttributeList
    /// Xcode's attributes for Cambium's own.
    func xcode(from own: AttributeList) -> AttributeList
}

/// The names for the stored details of Xcode's spelling.
package enum XcodeNamespace {
    /// The namespace.
    package static let uri = "urn:cambium:xcode:1"
    /// The attribute that declares it.
    package static let declaration = "xmlns:xcode"
    /// The start of its names; no other prefix is understood.
    package static let prefix = "xcode:"
    /// The names of expected attributes that are absent in Xcode's file.
    package static let without = "xcode:without"
    /// An empty `<userInfo>`.
    package static let userInfo = "xcode:userInfo"
    /// Xcode's form of an index that is not a fetch index.
    package static let from = "xcode:from"
    /// The index of a fetch request among the model's requests.
    package static let position = "xcode:position"
    /// The bundle's file name, if a model cannot have that name.
    package static let bundle = "xcode:bundle"
}

extension Spelling {
    /// Cambium's own attributes, together with the details of Xcode's spelling.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    func translated(_ xcode: AttributeList) -> AttributeList {
        var own = own(from: xcode)
        let expected = self.xcode(from: own)
        // Attributes of other namespaces are not Xcode's, and their prefixes are not declared
        // there.
        for attribute in xcode.items
        where !attribute.hasPrefix && expected.value(attribute.name) != attribute.value {
            own.set(XcodeNamespace.prefix + attribute.name, attribute.value, from: attribute)
        }
        let missing = expected.items.map { $0.name }.filter { xcode[$0] == nil }
        if !missing.isEmpty {
            own.set(XcodeNamespace.without, missing.ordered(by: <).joined(separator: " "))
        }
        return own
    }
}

extension ParsedAttribute {
    /// Whether the name has a prefix, so that it is of another namespace.
    package var hasPrefix: Bool { name.utf8.contains(UInt8(ascii: ":")) }
}

/// The XML attributes of one element, for the conversion between both spellings.
package struct AttributeList {
    /// The attributes in order.
    package private(set) var items: [ParsedAttribute] = []
    /// The position of attributes without a position of their own.
    package let offset: Int

    package init(_ items: [ParsedAttribute] = [], at offset: Int) {
        self.items = items
        self.offset = offset
    }

    /// A list of values by their names, without values that are nil. Their position is that of the
    /// source attribute.
    package init(
        _ values: KeyValuePairs<String, String?>, from source: ParsedAttribute? = nil,
        at offset: Int = 0
    ) {
        self.init(at: offset)
        for (name, value) in values { set(name, value, from: source) }
    }

    /// A list with the attributes that the table converts between both spellings.
    ///
    /// - Parameter isXcode: Whether the other list is Xcode's.
    init(_ attributes: [XMLAttribute], from other: AttributeList, isXcode: Bool) {
        self.init(at: other.offset)
        for attribute in attributes {
            guard let (name, words, writesOthers) = attribute.xcode?.spelling,
                let written = other[isXcode ? name : attribute.name]
            else { continue }
            let word =
                isXcode
                ? words.first { $0.value == written.value }?.key : words[written.value]
            guard let value = word ?? (writesOthers ? written.value : nil) else { continue }
            set(isXcode ? attribute.name : name, value, from: written)
        }
    }

    /// The attribute of that name.
    package subscript(name: String) -> ParsedAttribute? {
        items.first { $0.name == name }
    }

    /// The value of that name.
    package func value(_ name: String) -> String? { self[name]?.value }

    /// Whether a flag of Xcode is set.
    func isYes(_ name: String) -> Bool { value(name) == "YES" }

    /// Writes an attribute; the value's place is that of the attribute that it comes from.
    @inline(never)
    package mutating func set(_ name: String, _ value: String?, from source: ParsedAttribute? = nil)
    {
        guard let value else { return }
        let attribute = ParsedAttribute(name: name, value: value, from: source, at: offset)
        if let index = items.firstIndex(where: { $0.name == name }) {
            items[index] = attribute
        } else {
            items.append(attribute)
        }
    }

    /// Copies an attribute under another name, unless it is absent.
    mutating func copy(_ name: String, of other: AttributeList, as newName: String) {
        if let attribute = other[name] { set(newName, attribute.value, from: attribute) }
    }

    @inline(never)
    package mutating func remove(_ name: String) {
        items.removeAll { $0.name == name }
    }

    /// Whether both have the same attributes, in any order.
    package func isEquivalent(to other: AttributeList) -> Bool {
        items.count == other.items.count
            && items.allSatisfy { other.value($0.name) == $0.value }
    }
}

extension ParsedAttribute {
    /// Creates an attribute with the position of another one, or without a position.
    @inline(never)
    package convenience init(
        name: String, value: String, from source: ParsedAttribute? = nil, at offset: Int
    ) {
        let place = ScannedText(range: offset..<offset, isVerbatim: true)
        self.init(
            name: name, offset: source?.offset ?? offset,
            text: ParsedText(value: value, pieces: source?.text.pieces ?? [place]))
    }
}

extension ParsedElement {
    /// The attributes as a list.
    package var list: AttributeList { AttributeList(attributes, at: offset) }

    /// Creates an element of Cambium with the position of another one, or without a position.
    @inline(never)
    package init(
        own name: String, _ list: AttributeList, children: [ParsedElement] = [], end: Int? = nil
    ) {
        self.init(
            name: name, namespace: Vocabulary.namespace, offset: list.offset,
            attributes: list.items, children: children)
        self.end = end
    }
}

/// The vocabulary of Xcode: each element's XML attributes in Xcode's order, and its children in
/// theirs.
package enum XcodeVocabulary {
    /// The row of an element.
    package struct Rule {
        package var attributes: [String] = []
        var children: [String] = []
    }

    /// The elements in an element that Xcode does not write, or did not yet: they are kept.
    static func unknownChildren(of element: ParsedElement) -> [ParsedElement] {
        let known = (rules[element.name]?.children ?? []) + ["elements"]
        return element.children.filter { !known.contains($0.name) && !$0.name.contains(":") }
    }

    /// One row for each element.
    package static let rules: [String: Rule] = [
        "model": Rule(
            attributes: [
                "name", "type", "documentVersion", "lastSavedToolsVersion", "systemVersion",
                "minimumToolsVersion", "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData",
                "userDefinedModelVersionIdentifier", "macOSVersion", "iOSVersion",
            ],
            children: ["entity", "fetchRequest", "configuration", "composite", "userInfo"]),
        "entity": Rule(
            attributes: [
                "name", "representedClassName", "isAbstract", "parentEntity", "elementID",
                "versionHashModifier", "syncable", "codeGenerationType",
                "coreSpotlightDisplayNameExpression",
            ],
            children: [
                "attribute", "relationship", "fetchedProperty", "fetchIndex", "compoundIndexes",
                "uniquenessConstraints", "userInfo",
            ]),
        "attribute": Rule(
            attributes: [
                "name", "optional", "transient", "attributeType", "composite",
                "valueTransformerName", "derived", "derivationExpression", "customClassName",
                "allowsCloudEncryption", "allowsExternalBinaryDataStorage",
                "minDateTimeInterval", "maxDateTimeInterval", "defaultDateTimeInterval",
                "minValueString", "maxValueString", "defaultValueString",
                "regularExpressionString", "usesScalarValueType", "indexed",
                "versionHashModifier", "elementID", "spotlightIndexingEnabled",
                "storedInTruthFile", "syncable", "preserveAfterDeletion",
            ],
            children: ["userInfo"]),
        "relationship": Rule(
            attributes: [
                "name", "optional", "transient", "toMany", "minCount", "maxCount",
                "deletionRule", "ordered", "destinationEntity", "inverseName", "inverseEntity",
                "elementID", "indexed", "versionHashModifier", "spotlightIndexingEnabled",
                "storedInTruthFile", "syncable",
            ],
            children: ["userInfo"]),
        "fetchedProperty": Rule(
            attributes: [
                "name", "optional", "transient", "elementID", "versionHashModifier",
                "spotlightIndexingEnabled", "syncable",
            ],
            children: ["fetchRequest", "userInfo"]),
        "fetchRequest": Rule(
            attributes: [
                "name", "entity", "predicateString", "resultType", "fetchLimit", "fetchOffset",
                "fetchBatchSize", "includeSubentities", "includePropertyValues",
                "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults",
            ]),
        "fetchIndex": Rule(attributes: ["name"], children: ["fetchIndexElement"]),
        "fetchIndexElement": Rule(
            attributes: ["property", "expression", "expressionType", "type", "order"]),
        "compoundIndexes": Rule(children: ["compoundIndex"]),
        "compoundIndex": Rule(children: ["index"]),
        "index": Rule(attributes: ["value"]),
        "uniquenessConstraints": Rule(children: ["uniquenessConstraint"]),
        "uniquenessConstraint": Rule(children: ["constraint"]),
        "constraint": Rule(attributes: ["value"]),
        "userInfo": Rule(children: ["entry"]),
        "entry": Rule(attributes: ["key", "value"]),
        "configuration": Rule(attributes: ["name"], children: ["memberEntity"]),
        "memberEntity": Rule(attributes: ["name"]),
        "composite": Rule(attributes: ["name"], children: ["attribute", "userInfo"]),
    ]
}

/// Converts values between Xcode's form and Cambium's. Invalid values stay unchanged, so that the
/// checker reports them.
enum XcodeValues {
    /// A value of a type of Cambium, or nil if the value in Xcode means none.
    static func own(_ text: String, type: String) -> String? {
        switch type {
        case "string", "codable", "data": text
        case _ where text.isEmpty: nil
        case "bool": bool(text)
        case "int16", "int32", "int64": integer(text)
        case "float", "double": number(text)
        case "decimal": decimal(text)
        case "duration": Int64(text).map { DurationStorage.text(of: .nanoseconds($0)) } ?? text
        case "date": Double(text).flatMap(date) ?? text
        default: text
        }
    }

    /// The reverse of `own`, for values that Xcode can express.
    static func xcode(_ text: String, type: String) -> String? {
        switch type {
        case "bool": ["true": "YES", "false": "NO"][text] ?? text
        case "date" where text == "now": nil
        case "date": DateText.date(text).map { interval($0.timeIntervalSinceReferenceDate) } ?? text
        case "data", "codable": nil
        case "duration":
            DurationStorage.duration(of: text).flatMap(DurationStorage.nanoseconds).map { "\($0)" }
        case "uuid": text == "new" ? nil : text
        default: text
        }
    }

    private static func bool(_ text: String) -> String {
        switch text.lowercased() {
        case "yes", "true": "true"
        case "no", "false": "false"
        default: Double(text).map { $0 == 0 ? "false" : "true" } ?? text
        }
    }

    private static func integer(_ text: String) -> String {
        if let word = numberOfWord(text) { return word }
        if let number = Int64(text) { return String(number) }
        // An integer that is too great stays unchanged, because a Double would round it.
        guard !text.utf8.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }) else { return text }
        return Double(text).flatMap { Int64(exactly: $0) }.map { String($0) } ?? text
    }

    private static func number(_ text: String) -> String {
        if let word = numberOfWord(text) { return word }
        return text.hasPrefix("+") ? String(text.dropFirst()) : text
    }

    /// The number without an exponent, as Core Data reads it.
    private static func decimal(_ text: String) -> String {
        let number = number(text)
        let isPlain = number.utf8.allSatisfy { "0123456789.-".utf8.contains($0) }
        let isNumber = number.utf8.allSatisfy { "0123456789.-+eE".utf8.contains($0) }
        guard isNumber, !isPlain, Double(number) != nil else { return number }
        return Decimal(string: number).map { "\($0)" } ?? number
    }

    private static func numberOfWord(_ text: String) -> String? {
        ["yes": "1", "true": "1", "no": "0", "false": "0"][text.lowercased()]
    }

    /// A date, given in seconds since 2001, or nil if its year does not have four digits.
    static func date(_ interval: Double) -> String? {
        let moment = Date(timeIntervalSinceReferenceDate: interval.rounded(.down))
        // Years of more digits have a sign.
        guard let text = ISO8601Text.text(of: moment), text.first?.isNumber == true,
            !text.hasPrefix("0000")
        else { return nil }
        return text
    }

    /// Seconds in Xcode's form: integers without a point.
    private static func interval(_ seconds: Double) -> String {
        Int64(exactly: seconds).map { String($0) } ?? String(seconds)
    }
}
