/// What Xcode writes: each element's XML attributes in Xcode's order, and its children in theirs.
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
