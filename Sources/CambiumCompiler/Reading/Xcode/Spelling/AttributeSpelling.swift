import CambiumModel

/// `<attribute>` and `<derived>`, which Xcode calls an attribute too.
///
/// A transformable becomes `codable` where its class is known to be `Codable` and `Sendable`
/// (`ClassName`), or where the user info `cambium.class` names one; else it is raw data. A
/// required codable has no default in Xcode, so it becomes optional, unless `cambium.default` gives
/// its JSON text.
package struct AttributeSpelling: Spelling {
    let identity: IdentitySpelling?
    /// `cambium.class`, where user info gives it.
    package var codableClass: ParsedAttribute?
    /// The enumeration that user info gives, and all of them for the way back.
    package var enumeration: EnumerationText?
    var enumerations: [String: EnumerationText]
    /// Whether an index of its own stands for `indexed="YES"`.
    package var isIndexed = false
    /// Whether it is an attribute of a composite, which has only a type, a default and limits.
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

    private static let xcodeWords = AttributeType.words.compactMapValues(\.descriptor.xcodeName)
    static let words = Dictionary(
        (AttributeType.plain.map(\.descriptor) + [AttributeType.decimal(scale: 0).descriptor])
            .compactMap { type in type.xcodeName.map { ($0, type.name) } },
        uniquingKeysWith: { first, _ in first })

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
            // Only a transient attribute can have no type. What it holds is the program's affair.
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
