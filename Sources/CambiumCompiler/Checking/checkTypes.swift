import CambiumModel

extension ModelChecker {
    /// Makes the model's enumerations.
    func checkEnumerations() {
        for element in parsed.root.children(named: "enum") {
            guard let name = element["name"],
                checkName(name, isTaken: ReservedNames.types, of: "a type"),
                takeTypeName(name, of: "enumeration", hasKeys: false)
            else { continue }
            guard let rawType = rawType(of: element) else {
                brokenNames.insert(name.value)
                continue
            }
            let cases = checkCases(of: element, rawType)
            if element.children(named: "case").isEmpty {
                report(
                    .emptyEnumeration, "The enumeration '\(name.value)' has no case",
                    at: element.offset)
            }
            let enumeration = Enumeration(name: name.value, rawType: rawType, cases: cases)
            enumerations.append(enumeration)
            enumerationsByName[name.value] = enumeration
        }
    }

    private func rawType(of element: ParsedElement) -> AttributeType? {
        guard let type = element["type"] else { return .string }
        let possible: [String: AttributeType] = [
            "string": .string, "int16": .int16, "int32": .int32, "int64": .int64,
        ]
        if let rawType = possible[type.value] { return rawType }
        report(
            .unknownType, "'\(type.value)' is not a type for an enumeration's raw values", at: type,
            notes: ["Possible values: string, int16, int32, int64"])
        return nil
    }

    private func checkCases(
        of element: ParsedElement, _ rawType: AttributeType
    ) -> [EnumerationCase] {
        var seen: [String: String] = [:]
        var cases: [EnumerationCase] = []
        for item in element.children(named: "case") {
            guard let name = item["name"],
                checkName(name, isTaken: ReservedNames.enumerationMembers, of: "a member"),
                checkDuplicate(name, among: &seen, "a case", isCaseSensitive: true),
                let rawValue = rawValue(of: item, named: name.value, rawType, after: cases.last)
            else { continue }
            if cases.contains(where: { $0.rawValue == rawValue }) {
                report(
                    .duplicateRawValue,
                    "Another case of the enumeration has the same raw value", at: item.offset)
            }
            cases.append(EnumerationCase(name: name.value, rawValue: rawValue))
        }
        return cases
    }

    /// The written value; else the name, or for numbers one more than the case before, as in Swift.
    private func rawValue(
        of item: ParsedElement, named name: String, _ rawType: AttributeType,
        after last: EnumerationCase?
    ) -> Value? {
        if let written = item["value"] {
            switch Literal.parse(written.value, as: rawType, wording: wording) {
            case .success(let value): return value
            case .failure(let problem):
                report(.wrongDefault, problem.message, at: written, notes: problem.notes)
                return nil
            }
        }
        if rawType == .string { return .string(name) }
        guard case .int(let number)? = last?.rawValue else { return .int(0) }
        guard number < Int64.max, Literal.fits(number + 1, rawType) else {
            report(
                .wrongDefault, "The raw value after \(number) does not fit", at: item.offset)
            return nil
        }
        return .int(number + 1)
    }
}

extension ModelChecker {
    /// Makes the model's composite types, each after the ones that it contains.
    func checkComposites() {
        var declared: [(name: String, element: ParsedElement)] = []
        for element in parsed.root.children(named: "composite") {
            guard let name = element["name"],
                checkName(name, isTaken: ReservedNames.types, of: "a type"),
                takeTypeName(name, of: "composite", hasKeys: true)
            else { continue }
            declared.append((name.value, element))
        }
        var resolver = CompositeResolver(
            elements: Dictionary(firstOf: declared.map { ($0, $1) }))
        for (name, element) in declared {
            resolveComposite(name, element, &resolver, depth: 0)
        }
        composites = declared.compactMap { compositesByName[$0.name] }
    }

    /// The state while composites are resolved.
    private struct CompositeResolver {
        let elements: [String: ParsedElement]
        /// The composites that contain the one being resolved.
        var open: Set<String> = []
        var done: Set<String> = []
    }

    private func resolveComposite(
        _ name: String, _ element: ParsedElement, _ resolver: inout CompositeResolver, depth: Int
    ) {
        guard resolver.done.insert(name).inserted else { return }
        resolver.open.insert(name)
        defer { resolver.open.remove(name) }
        var seen: [String: String] = [:]
        var attributes: [Attribute] = []
        var compositeAttributes: [CompositeAttribute] = []
        for child in element.children(named: "attribute") {
            guard let part = child["name"],
                checkName(part, isTaken: ReservedNames.structMembers, of: "a member"),
                checkDuplicate(
                    part, among: &seen, "an attribute", isCaseSensitive: parsed.isOfXcode)
            else { continue }
            if let type = child["type"], let inner = resolver.elements[type.value] {
                guard !resolver.open.contains(type.value), depth < Self.maximumNesting else {
                    report(
                        .compositeCycle,
                        resolver.open.contains(type.value)
                            ? "'\(name)' contains itself through '\(part.value)'"
                            : "Composites are nested deeper than \(Self.maximumNesting) levels",
                        at: type, notes: ["Use a relationship for any number of parts"])
                    brokenNames.insert(name)
                    continue
                }
                resolveComposite(type.value, inner, &resolver, depth: depth + 1)
                guard let composite = compositesByName[type.value] else { continue }
                let flattened = flatten(
                    composite, as: part.value, isOptional: flag("optional", of: child),
                    isTransient: false, userInfo: userInfo(of: child))
                reportInapplicableToComposite(child)
                attributes += flattened.attributes
                compositeAttributes += flattened.compositeAttributes
            } else if let attribute = checkAttribute(
                child, Subject(entity: name, property: part.value))
            {
                attributes.append(attribute)
            } else {
                brokenNames.insert(part.value)
            }
        }
        guard attributes.count + compositeAttributes.count <= Self.maximumParts else {
            report(
                .limitExceeded,
                "A composite may not have more than \(Self.maximumParts) parts in all",
                at: element.offset, notes: ["A table has no more columns than that"])
            brokenNames.insert(name)
            return
        }
        compositesByName[name] = Composite(
            name: name, attributes: attributes, compositeAttributes: compositeAttributes,
            userInfo: userInfo(of: element))
    }

    private static let maximumNesting = 16
    /// Composites within composites multiply; SQLite has at most as many columns.
    private static let maximumParts = 2000

    /// The leaf attributes of a composite attribute of an entity, in order.
    func checkCompositeAttribute(
        _ element: ParsedElement, _ subject: Subject, _ composite: Composite
    ) -> (attributes: [Attribute], compositeAttributes: [CompositeAttribute])? {
        guard let name = subject.property else { return nil }
        let renamedFrom = renamedFrom(element, subject)
        reportInapplicableToComposite(element)
        let flattened = flatten(
            composite, as: name, isOptional: flag("optional", of: element),
            isTransient: flag("transient", of: element), userInfo: userInfo(of: element),
            hashModifier: element["hashModifier"]?.value, renamedFrom: renamedFrom)
        let attributes = flattened.attributes.map { leaf in
            let own = renames.removeValue(
                forKey: Subject(entity: subject.entity, property: leaf.name))
            return own.map(leaf.renamed) ?? leaf
        }
        return (attributes, flattened.compositeAttributes)
    }

    /// The parts of a composite under the name of an attribute.
    @inline(never)
    private func flatten(
        _ composite: Composite, as name: String, isOptional: Bool, isTransient: Bool,
        userInfo: [String: String], hashModifier: String? = nil, renamedFrom: String? = nil
    ) -> (attributes: [Attribute], compositeAttributes: [CompositeAttribute]) {
        let own = CompositeAttribute(
            name: name, composite: composite.name, isOptional: isOptional,
            isTransient: isTransient, renamedFrom: renamedFrom, userInfo: userInfo)
        let nested = composite.compositeAttributes.map { inner in
            CompositeAttribute(
                name: "\(name).\(inner.name)", composite: inner.composite,
                isOptional: inner.isOptional, isTransient: isTransient,
                renamedFrom: renamedFrom.map { "\($0).\(inner.name)" }, userInfo: inner.userInfo)
        }
        let leaves = composite.attributes.map { leaf in
            Attribute(
                name: "\(name).\(leaf.name)", type: leaf.type,
                isOptional: leaf.isOptional || isOptional, isTransient: isTransient,
                // A default would turn a value that starts as nil into one that is not.
                defaultValue: isOptional ? nil : leaf.defaultValue, limits: leaf.limits,
                renamedFrom: renamedFrom.map { "\($0).\(leaf.name)" },
                hashModifier: hashModifier, userInfo: leaf.userInfo)
        }
        return (leaves, [own] + nested)
    }

    /// Reports XML attributes that an attribute of a composite type cannot have, because its parts
    /// have them.
    private func reportInapplicableToComposite(_ element: ParsedElement) {
        let allowed = [
            "name", "type", "optional", "transient", "renamedFrom", "hashModifier",
        ]
        let known = Vocabulary.rules["attribute"]?.attributes ?? []
        for attribute in element.attributes
        where known.contains(attribute.name) && !allowed.contains(attribute.name) {
            report(
                .inapplicable, "\(wording.name(attribute.name)) has no effect on a composite",
                at: attribute.offset, notes: ["Write it at the composite's attributes"],
                inXcode: "it is ignored")
        }
    }
}

extension Attribute {
    /// The attribute without its derivation, so that the program sets the values.
    var withoutDerivation: Attribute { derived(from: nil, isOptional: true) }
}
