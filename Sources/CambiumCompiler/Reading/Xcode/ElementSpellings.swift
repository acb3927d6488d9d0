import CambiumModel

/// `<attribute>` and `<derived>`; Xcode calls both an attribute.
///
/// A transformable attribute becomes `codable` if its class is known to be `Codable` and `Sendable`
/// (`ClassName`), or if the user info `cambium.class` names a class. Otherwise it is raw data. In
/// Xcode, a required codable attribute has no default, so it becomes optional, unless
/// `cambium.default` contains its JSON text.
package struct AttributeSpelling: Spelling {
    let identity: IdentitySpelling?
    /// The value of `cambium.class`, if the user info contains it.
    package var codableClass: ParsedAttribute?
    /// The enumeration in the user info, and all of them for the way back.
    package var enumeration: EnumerationText?
    var enumerations: [String: EnumerationText]
    /// Whether a separate index represents `indexed="YES"`.
    package var isIndexed = false
    /// Whether the element is an attribute of a composite. Such an attribute has only a type, a
    /// default and limits.
    package var isLeaf = false
    /// Whether a default is given in user info.
    package var hasDefault = false

    /// Spells attributes that may have identities and enumerations.
    package init(
        identity: IdentitySpelling?, enumerations: [String: EnumerationText] = [:]
    ) {
        self.identity = identity
        self.enumerations = enumerations
    }

    private static let xcodeWords = AttributeType.words.compactMapValues { $0.descriptor.xcodeName }
    static let words = Dictionary(
        firstOf: (AttributeType.plain + [.decimal(scale: 0)]).compactMap { type in
            type.descriptor.xcodeName.map { ($0, type.descriptor.name) }
        })

    // MARK: From Xcode

    package func own(from xcode: AttributeList) -> AttributeList {
        let isDerived = isDerived(xcode)
        let element: ElementDescriptor = isLeaf ? .part : isDerived ? .derived : .attribute
        var own = AttributeList(element.fields, from: xcode, isXcode: true)
        setType(of: &own, from: xcode)
        let type = own.value("type") ?? ""
        if needsOptional(type, xcode) { own.set("optional", "true") }
        if isDerived {
            identity?.setRenamedFrom(&own, from: xcode)
            return own
        }
        if type == "data", !isLeaf, xcode.isYes("allowsExternalBinaryDataStorage") {
            own.set("storage", "external", from: xcode["allowsExternalBinaryDataStorage"])
        }
        setDefault(of: &own, type: type, from: xcode)
        setLimits(of: &own, type: type, from: xcode)
        if !isLeaf { identity?.setRenamedFrom(&own, from: xcode) }
        return own
    }

    /// Whether the values are computed. No transformable or composite value is.
    private func isDerived(_ xcode: AttributeList) -> Bool {
        !isLeaf && xcode.isYes("derived") && xcode["derivationExpression"] != nil
            && !["Transformable", "Composite"].contains(xcode.value("attributeType"))
    }

    private func setType(of own: inout AttributeList, from xcode: AttributeList) {
        guard let written = xcode["attributeType"], !written.value.isEmpty,
            written.value != "Undefined"
        else {
            // Only a transient attribute may have no type. Its values are defined by the program.
            return setCodable(of: &own, from: xcode)
        }
        switch written.value {
        case "Transformable":
            setCodable(of: &own, from: xcode)
        case "Composite":
            own.set("type", xcode.value("composite") ?? "", from: xcode["composite"] ?? written)
        default:
            if let enumeration {
                own.set("type", enumeration.name, from: written)
            } else {
                own.set("type", Self.words[written.value] ?? written.value, from: written)
            }
            if written.value == "Decimal" { own.set("scale", "any") }
        }
    }

    private func setCodable(of own: inout AttributeList, from xcode: AttributeList) {
        let known = xcode["customClassName"].flatMap { ClassName.isKnown($0.value) ? $0 : nil }
        if let name = codableClass ?? known {
            own.set("type", "codable", from: xcode["attributeType"])
            own.set("class", name.value, from: name)
        } else {
            own.set("type", "data", from: xcode["attributeType"])
        }
    }

    private func needsOptional(_ type: String, _ xcode: AttributeList) -> Bool {
        switch xcode.value("attributeType") {
        case nil: true
        case "Transformable": type == "codable" && !hasDefault
        default: false
        }
    }

    private func setDefault(
        of own: inout AttributeList, type: String, from xcode: AttributeList
    ) {
        guard xcode.value("attributeType") != "Composite", type != "codable", type != "data" else {
            return
        }
        if type == "date", let interval = xcode["defaultDateTimeInterval"] {
            own.set("default", XcodeValues.own(interval.value, type: type), from: interval)
        } else if let written = xcode["defaultValueString"] {
            let value =
                enumeration.map { $0.caseName(of: written.value) ?? written.value }
                ?? XcodeValues.own(written.value, type: type)
            own.set("default", value, from: written)
        }
    }

    private func setLimits(
        of own: inout AttributeList, type: String, from xcode: AttributeList
    ) {
        for (limit, name) in Self.limits(of: type) {
            guard let written = xcode[name] else { continue }
            let numberType = type == "string" ? "int32" : type
            own.set(limit, XcodeValues.own(written.value, type: numberType), from: written)
        }
        if type == "string" { own.copy("regularExpressionString", of: xcode, as: "pattern") }
    }

    /// The limits of a type's values: Cambium's own name and Xcode's.
    private static func limits(of type: String) -> [(own: String, xcode: String)] {
        switch type {
        case "string": [("minLength", "minValueString"), ("maxLength", "maxValueString")]
        case "date": [("min", "minDateTimeInterval"), ("max", "maxDateTimeInterval")]
        case "int16", "int32", "int64", "float", "double", "decimal":
            [("min", "minValueString"), ("max", "maxValueString")]
        default: []
        }
    }

    // MARK: To Xcode

    package func xcode(from own: AttributeList) -> AttributeList {
        let isDerived = own["expression"] != nil
        let element: ElementDescriptor = isDerived ? .derived : .attribute
        var xcode = AttributeList(element.fields, from: own, isXcode: false)
        let type = own.value("type") ?? ""
        setXcodeType(of: &xcode, type: type, from: own)
        if isDerived { xcode.set("derived", "YES") }
        if type == "data", own.value("storage") == "external" {
            xcode.set("allowsExternalBinaryDataStorage", "YES", from: own["storage"])
        }
        setXcodeDefault(of: &xcode, type: type, from: own)
        setXcodeLimits(of: &xcode, type: type, from: own)
        switch xcode.value("attributeType") {
        case "Integer 16", "Integer 32", "Integer 64", "Boolean", "Float", "Double":
            xcode.set("usesScalarValueType", "YES")
        case "Date", "UUID": xcode.set("usesScalarValueType", "NO")
        default: break
        }
        if isIndexed { xcode.set("indexed", "YES") }
        identity?.setElementID(&xcode, from: own)
        return xcode
    }

    private func setXcodeType(
        of xcode: inout AttributeList, type: String, from own: AttributeList
    ) {
        if let word = Self.xcodeWords[type] {
            xcode.set("attributeType", word, from: own["type"])
        } else if type == "codable" {
            xcode.set("attributeType", "Transformable", from: own["type"])
            xcode.copy("class", of: own, as: "customClassName")
        } else if let enumeration = enumerations[type] {
            let word = Self.xcodeWords[enumeration.type] ?? "String"
            xcode.set("attributeType", word, from: own["type"])
        } else {
            xcode.set("attributeType", "Composite")
            xcode.set("composite", type, from: own["type"])
        }
    }

    private func setXcodeDefault(
        of xcode: inout AttributeList, type: String, from own: AttributeList
    ) {
        guard let written = own["default"] else { return }
        if let enumeration = enumerations[type] {
            let value = enumeration.rawValue(of: written.value) ?? written.value
            xcode.set("defaultValueString", value, from: written)
        } else if let value = XcodeValues.xcode(written.value, type: type) {
            let name = type == "date" ? "defaultDateTimeInterval" : "defaultValueString"
            xcode.set(name, value, from: written)
        }
    }

    private func setXcodeLimits(
        of xcode: inout AttributeList, type: String, from own: AttributeList
    ) {
        for (limit, name) in Self.limits(of: type) {
            guard let written = own[limit] else { continue }
            let value =
                type == "date" ? XcodeValues.xcode(written.value, type: type) : written.value
            xcode.set(name, value, from: written)
        }
        if type == "string" { xcode.copy("pattern", of: own, as: "regularExpressionString") }
    }
}

/// `<relationship>`.
package struct RelationshipSpelling: Spelling {
    let identity: IdentitySpelling?

    /// Spells relationships that may have identities.
    package init(identity: IdentitySpelling?) {
        self.identity = identity
    }

    private static let rules = [
        "nullify": "Nullify", "cascade": "Cascade", "deny": "Deny",
    ]

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = AttributeList(ElementDescriptor.relationship.fields, from: xcode, isXcode: true)
        let isToMany = xcode.isYes("toMany")
        let minimum = isToMany ? xcode["minCount"].flatMap { $0.value == "0" ? nil : $0 } : nil
        // A set may be empty in any case, unless a minimum is given.
        if isToMany, minimum == nil { own.remove("optional") }
        if isToMany {
            if let minimum { own.set("min", minimum.value, from: minimum) }
            if let maximum = xcode["maxCount"], maximum.value != "0" {
                own.set("max", maximum.value, from: maximum)
            }
        }
        if let rule = xcode["deletionRule"], rule.value != "Nullify", rule.value != "No Action" {
            let word = Self.rules.first { $0.value.lowercased() == rule.value.lowercased() }?.key
            own.set("onDelete", word ?? rule.value, from: rule)
        }
        identity?.setRenamedFrom(&own, from: xcode)
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        var xcode = AttributeList(ElementDescriptor.relationship.fields, from: own, isXcode: false)
        let isToMany = own.value("many") == "true"
        if isToMany, own["min"] == nil { xcode.set("optional", "YES") }
        xcode.copy("min", of: own, as: "minCount")
        if isToMany {
            xcode.copy("max", of: own, as: "maxCount")
        } else {
            xcode.set("maxCount", "1")
        }
        let rule = own["onDelete"]
        let word = rule.map { Self.rules[$0.value] ?? $0.value }
        xcode.set("deletionRule", word ?? "Nullify", from: rule)
        if own["inverse"] != nil { xcode.copy("to", of: own, as: "inverseEntity") }
        identity?.setElementID(&xcode, from: own)
        return xcode
    }
}

/// `<entity>`, `<composite>`, `<configuration>` and `<model>`, without their content.
package struct EntitySpelling: Spelling {
    let identity: IdentitySpelling?
    /// Names of classes that several entities share.
    let sharedClasses: Set<String>

    /// Spells entities that may have identities.
    package init(identity: IdentitySpelling?, sharedClasses: Set<String>) {
        self.identity = identity
        self.sharedClasses = sharedClasses
    }

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = AttributeList(ElementDescriptor.entity.fields, from: xcode, isXcode: true)
        if let written = xcode["representedClassName"] {
            let name = Self.className(written.value)
            if !name.isEmpty, name != "NSManagedObject", !sharedClasses.contains(name),
                name != xcode.value("name")
            {
                own.set("class", name, from: written)
            }
        }
        identity?.setRenamedFrom(&own, from: xcode)
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        var xcode = AttributeList(ElementDescriptor.entity.fields, from: own, isXcode: false)
        let name = own["class"] ?? own["name"]
        xcode.set("representedClassName", name?.value, from: name)
        xcode.set("syncable", "YES")
        identity?.setElementID(&xcode, from: own)
        return xcode
    }

    /// Classes of more than one entity, from the class names of all entities.
    package static func sharedClasses(_ written: [String]) -> Set<String> {
        var seen: Set<String> = []
        return Set(written.map(className).filter { !seen.insert($0).inserted })
    }

    /// Without the module before it.
    static func className(_ text: String) -> String {
        text.split(separator: ".").last.map(String.init) ?? ""
    }
}

/// An element that has a name and nothing more.
package struct NameSpelling: Spelling {
    package init() {}

    package func own(from xcode: AttributeList) -> AttributeList {
        AttributeList([.name], from: xcode, isXcode: true)
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        AttributeList([.name], from: own, isXcode: false)
    }
}

/// `<model>`. Its name is the bundle's and its version is the file's; Xcode's file contains
/// neither.
package struct ModelSpelling: Spelling {
    package init() {}

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = AttributeList(at: xcode.offset)
        if let identifier = xcode["userDefinedModelVersionIdentifier"], !identifier.value.isEmpty {
            own.set("identifier", identifier.value, from: identifier)
        }
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        var xcode = AttributeList(at: own.offset)
        xcode.set("type", "com.apple.IDECoreDataModeler.DataModel")
        xcode.set("documentVersion", "1.0")
        xcode.set("lastSavedToolsVersion", "22758")
        xcode.set("systemVersion", "23F79")
        xcode.set("minimumToolsVersion", "Automatic")
        xcode.set("sourceLanguage", "Swift")
        xcode.set(
            "userDefinedModelVersionIdentifier", own.value("identifier") ?? "",
            from: own["identifier"])
        return xcode
    }
}

/// `<fetchRequest>`, and the attributes from it in our `<fetch>` and `<fetched>`.
package struct RequestSpelling: Spelling {
    /// The name of the attribute that holds the condition; in `<fetch>` it is the text.
    package static let condition = "where"

    package init() {}

    private static let attributes: [XMLAttribute] = [.name] + XMLAttribute.request

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = AttributeList(Self.attributes, from: xcode, isXcode: true)
        own.copy("entity", of: xcode, as: "to")
        if let condition = xcode["predicateString"] {
            own.set(Self.condition, condition.text.trimmed.value, from: condition)
        }
        // Zero means none.
        for name in ["limit", "offset", "batchSize"] where own.value(name) == "0" {
            own.remove(name)
        }
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        var xcode = AttributeList(Self.attributes, from: own, isXcode: false)
        xcode.copy("to", of: own, as: "entity")
        xcode.copy(Self.condition, of: own, as: "predicateString")
        return xcode
    }
}

/// `<fetchRequest>` as a template: the function that it becomes needs a name that Swift can have,
/// and Xcode takes any text.
package struct TemplateSpelling: Spelling {
    package init() {}

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = RequestSpelling().own(from: xcode)
        let name = xcode.value("name").map {
            $0.isEmpty ? $0 : Vocabulary.identifier($0, after: "fetch")
        }
        own.set("name", name, from: xcode["name"])
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        RequestSpelling().xcode(from: own)
    }
}

/// `<fetched>` without the request in it. It stores no data, so a new name is not a rename.
package struct FetchedSpelling: Spelling {
    package init() {}

    package func own(from xcode: AttributeList) -> AttributeList {
        AttributeList([.name, .hashModifier], from: xcode, isXcode: true)
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        var xcode = AttributeList([.name, .hashModifier], from: own, isXcode: false)
        xcode.set("optional", "YES")
        return xcode
    }
}
