import CambiumModel

/// Turns a parsed model into a model, or reports all its errors.
///
/// Each step uses the valid results of the steps before. A broken declaration leaves its name in
/// `brokenNames`, so that references to it are not reported as well.
package final class ModelChecker {
    /// The file, without elements of other namespaces.
    let parsed: ParsedModel
    var diagnostics: [Diagnostic] = []
    private var isCurrent = true
    private(set) var engine = CheckedEngine.sqlite
    /// Names with an invalid declaration.
    var brokenNames: Set<String> = []
    /// The entities with a missing or invalid parent. Unknown names in them are not reported.
    var incompleteEntities: Set<String> = []
    var enumerations: [Enumeration] = []
    /// The usable enumerations by name.
    var enumerationsByName: [String: Enumeration] = [:]
    var composites: [Composite] = []
    /// The usable composites by name.
    var compositesByName: [String: Composite] = [:]
    /// The names of the Swift types that the model becomes.
    var typeNames = TypeNames()
    var renames: [Subject: String] = [:]
    /// All former names in the migration, by entity; nil for the former names of entities.
    var renamedByMigration: [String?: Set<String>] = [:]
    /// The names of the steps that the program supplies.
    var stepNames: [String: String] = [:]
    /// The positions of declarations of a model of Xcode that the compiler ignores.
    var excluded: Set<Int> = []
    /// The names of the entities, right or wrong.
    let declaredEntities: Set<String>

    /// An entity or a property of one.
    struct Subject: Hashable {
        let entity: String
        var property: String?
    }

    private init(_ parsed: ParsedModel) {
        var own = parsed
        own.root = parsed.root.withoutExtensions()
        self.parsed = own
        declaredEntities = Set(
            own.root.children(named: "entity").compactMap { $0["name"]?.value })
    }

    /// Checks a version.
    ///
    /// - Parameters:
    ///   - bundleName: The required name of the model.
    ///   - previousVersion: The name of the version just before, or nil for the first.
    ///   - previous: That version, if it has no errors.
    ///   - isCurrent: Whether to warn about valid but harmful declarations. Only a version that has
    ///     not shipped can be corrected.
    ///   - engine: The engine of the stores.
    /// - Returns: No model if any of the diagnostics is an error.
    package static func check(
        _ parsed: ParsedModel, bundleName: String, previousVersion: String?,
        previous: CheckedModel?,
        isCurrent: Bool = true, engine: CheckedEngine = .sqlite
    ) -> (model: CheckedModel?, diagnostics: [Diagnostic]) {
        let checker = ModelChecker(parsed)
        checker.isCurrent = isCurrent
        checker.engine = engine
        let model = checker.check(
            bundleName: bundleName, previousVersion: previousVersion, previous: previous)
        let diagnostics = checker.diagnostics.sortedByPlace()
        return (diagnostics.hasErrors ? nil : model, diagnostics)
    }

    private func check(
        bundleName: String, previousVersion: String?, previous: CheckedModel?
    ) -> CheckedModel? {
        let root = parsed.root
        guard root.name == "model", root.namespace == Vocabulary.namespace else {
            report(
                .wrongRoot, "A model starts with <model xmlns=\"\(Vocabulary.namespace)\" …>",
                at: root.offset)
            return nil
        }
        if let rule = Vocabulary.rules[root.name] { checkStructure(of: root, rule) }
        checkSuppressions(in: root)
        checkHeader(root, bundleName: bundleName)
        let access = word("access", of: root, from: AccessLevel.self) ?? .internal
        let engines = words("engines", of: root, from: CheckedEngine.self).union([.sqlite])
        if engines.contains(.postgres) { engine = .postgres }
        collectRenames()
        typeNames.take(
            bundleName,
            for: .init(
                description: "the model", offset: root["name"]?.valueOffset, isWritten: true))
        checkEnumerations()
        checkComposites()
        let drafts = checkEntities()
        checkShadowing(of: drafts)
        var outline = outline(of: drafts, named: bundleName)
        checkInverses(of: drafts, in: outline)
        // Parts of a model of Xcode may be left out.
        if parsed.isOfXcode { outline = self.outline(of: drafts, named: bundleName) }
        for draft in drafts {
            checkDerivations(of: draft, in: outline)
            checkFetchedProperties(of: draft, in: outline)
        }
        checkDerivationCycles(of: drafts, in: outline)
        let inherited = namesOfInheritedTemplates(drafts)
        let entities = drafts.map {
            checkConstraints(of: $0, in: outline, inherited[$0.name] ?? [])
        }
        let migration = checkMigration(
            to: outline, previousVersion: previousVersion, previous: previous)
        let model = Model(
            name: bundleName, version: parsed.version, entities: entities,
            enumerations: enumerations, composites: composites,
            configurations: checkConfigurations(in: outline),
            identifier: root["identifier"]?.value, userInfo: userInfo(of: root),
            migration: migration)
        if !diagnostics.hasErrors { checkStorage(of: model, drafts) }
        if isCurrent, !diagnostics.hasErrors {
            if parsed.isOfXcode { warnAboutCase(of: model, drafts) }
            warn(about: model, drafts)
        }
        return CheckedModel(model: model, access: access, engines: engines, parsed: parsed)
    }

    /// The model, without the parts that are checked last.
    private func outline(of drafts: [EntityDraft], named name: String) -> Model {
        Model(
            name: name, version: parsed.version, entities: drafts.map { $0.entity() },
            enumerations: enumerations, composites: composites)
    }

    /// The declarations of a kind in an entity, in the order of the model, without the ignored
    /// declarations.
    func kept(_ kind: String, of draft: EntityDraft) -> [ParsedElement] {
        draft.element.children.filter { $0.name == kind && !excluded.contains($0.offset) }
    }

    private func checkHeader(_ root: ParsedElement, bundleName: String) {
        if let version = root["version"], version.value != parsed.version {
            report(
                .versionMismatch,
                "The version is '\(version.value)', but the file is \(parsed.version).xml",
                at: version, notes: ["Write version=\"\(parsed.version)\""])
        }
        guard let name = root["name"] else { return }
        if name.value != bundleName {
            report(
                .nameMismatch,
                "The model is '\(name.value)', but its folder is \(bundleName).cambium",
                at: name, notes: ["Write name=\"\(bundleName)\""])
        } else {
            _ = checkName(name, isTaken: ReservedNames.types, of: "a type")
        }
    }

    // MARK: Reporting

    /// Reports a diagnostic.
    ///
    /// - Parameter outcome: The consequence in a model of Xcode. It makes the diagnostic a warning,
    ///   because Xcode compiles such a model, and stores of such versions exist and cannot be
    ///   changed any more. Nil for elements that Xcode does not have, or does not accept either.
    @inline(never)
    func report(
        _ code: DiagnosticCode, _ message: String, at offset: Int, notes: [String] = [],
        inXcode outcome: String? = nil
    ) {
        let outcome = parsed.isOfXcode ? outcome : nil
        diagnostics.append(
            Diagnostic(
                code, outcome.map { "\(message); \($0)" } ?? message,
                at: parsed.position(at: offset), notes: notes,
                severity: outcome == nil ? nil : .warning))
    }

    /// At the value of an XML attribute.
    @inline(never)
    func report(
        _ code: DiagnosticCode, _ message: String, at attribute: ParsedAttribute,
        notes: [String] = [], inXcode outcome: String? = nil
    ) {
        report(code, message, at: attribute.valueOffset, notes: notes, inXcode: outcome)
    }

    /// The words for findings in this file.
    var wording: Wording { Wording(parsed.format) }

    /// A note with the nearest valid spelling, or with all if there are few.
    func hint(_ name: String, among candidates: [String]) -> [String] {
        if let nearest = nearestName(to: name, among: candidates) {
            return ["Did you mean '\(nearest)'?"]
        }
        guard !candidates.isEmpty, candidates.count <= 12 else { return [] }
        return ["Possible values: \(candidates.joined(separator: ", "))"]
    }

    // MARK: Values of XML attributes

    /// Returns one of a type's words, or nil if the attribute is absent, or wrong and reported.
    ///
    /// - Parameter outcome: The consequence of a wrong word in a model of Xcode; nil for attributes
    ///   that Xcode does not have.
    @_semantics("optimize.sil.specialize.generic.never")
    @inline(never)
    func word<Word>(
        _ name: String, of element: ParsedElement, from type: Word.Type,
        inXcode outcome: String? = nil
    ) -> Word? where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
        guard let attribute = element[name] else { return nil }
        if let word = Word(rawValue: attribute.value) { return word }
        reportInvalid(attribute.value, in: attribute, from: type, inXcode: outcome)
        return nil
    }

    /// The words of an XML attribute that is a list of them. Invalid words are reported.
    private func words<Word>(
        _ name: String, of element: ParsedElement, from type: Word.Type
    ) -> Set<Word> where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
        guard let attribute = element[name] else { return [] }
        var words: Set<Word> = []
        for text in attribute.value.split(whereSeparator: \.isWhitespace) {
            if let word = Word(rawValue: String(text)) {
                words.insert(word)
            } else {
                reportInvalid(String(text), in: attribute, from: type)
            }
        }
        return words
    }

    private func reportInvalid<Word>(
        _ text: String, in attribute: ParsedAttribute, from type: Word.Type,
        inXcode outcome: String? = nil
    ) where Word: RawRepresentable & CaseIterable, Word.RawValue == String {
        let name = attribute.name
        report(
            .invalidWord, "'\(text)' is not a valid value for \(wording.name(name))", at: attribute,
            notes: hint(text, among: Word.allCases.map { wording.value(name, $0.rawValue) }),
            inXcode: outcome)
    }

    /// The value of a Boolean XML attribute. If the attribute is absent, the language's default; if
    /// it is wrong, false, and an error is reported.
    func flag(_ name: String, of element: ParsedElement) -> Bool {
        guard let attribute = element[name] else { return Vocabulary.trueFlags.contains(name) }
        if !["true", "false"].contains(attribute.value) {
            report(
                .invalidWord, "'\(attribute.value)' is not a valid value for \(wording.name(name))",
                at: attribute, notes: ["Possible values: true, false"], inXcode: "it is ignored")
        }
        return attribute.value == "true"
    }

    /// An integer in the range of the language, or nil if the attribute is absent or wrong (and
    /// reported).
    func count(_ name: String, of element: ParsedElement) -> Int? {
        guard let attribute = element[name],
            case .count(let range)? = Vocabulary.rules[element.name]?[name]?.kind
        else { return nil }
        if let number = Int(attribute.value), range.contains(number) { return number }
        report(
            .invalidWord, "'\(attribute.value)' is not a valid value for \(wording.name(name))",
            at: attribute,
            notes: ["Write an integer from \(range.lowerBound) to \(range.upperBound)"],
            inXcode: "it is ignored")
        return nil
    }

    /// Whether an XML attribute has the one word that it may be; another one is reported.
    func isSet(_ name: String, of element: ParsedElement) -> Bool {
        guard let attribute = element[name] else { return false }
        let words = Vocabulary.words(name, of: element.name)
        if words.contains(attribute.value) { return true }
        report(
            .invalidWord, "'\(attribute.value)' is not a valid value for \(name)", at: attribute,
            notes: ["Possible value: \(words.joined())"])
        return false
    }
}

extension ParsedAttribute {
    /// The start of the value, after the quote.
    var valueOffset: Int { text.pieces.first?.range.lowerBound ?? offset }
}

extension ModelChecker {
    /// Reports every element, XML attribute and text that is not in the language. Later steps
    /// ignore them.
    ///
    /// Elements of other namespaces were removed before. XML attributes of other namespaces are not
    /// part of the language either.
    func checkStructure(of element: ParsedElement, _ rule: ElementDescriptor) {
        checkAttributes(of: element, rule)
        checkText(of: element, rule)
        for child in element.children {
            if rule.children.contains(child.name), child.namespace == element.namespace,
                let childRule = Vocabulary.rule(of: child.name, in: element.name)
            {
                checkStructure(of: child, childRule)
                continue
            }
            report(
                .unknownElement, "<\(element.name)> has no element <\(child.name)>",
                at: child.offset, notes: hint(child.name, among: rule.children))
            markBroken(child)
        }
    }

    private func checkAttributes(of element: ParsedElement, _ rule: ElementDescriptor) {
        for attribute in element.attributes where !rule.attributes.contains(attribute.name) {
            if attribute.name == "xmlns" || attribute.name.contains(":") {
                continue
            }
            report(
                .unknownXMLAttribute, "<\(element.name)> has no attribute '\(attribute.name)'",
                at: attribute.offset, notes: hint(attribute.name, among: rule.attributes))
        }
        for name in rule.required where element[name] == nil {
            let message = wording.missing(name, in: element.name, named: element["name"]?.value)
            report(
                .missingXMLAttribute, message, at: element.offset,
                inXcode: name == "to" ? "it is left out" : nil)
            if name == "to" { leaveOut(element) } else if name != "name" { markBroken(element) }
        }
    }

    private func checkText(of element: ParsedElement, _ rule: ElementDescriptor) {
        guard !rule.hasText,
            let start = element.text.value.utf8.firstIndex(where: { !" \t\r\n".utf8.contains($0) })
        else { return }
        let offset = element.text.value.utf8.distance(
            from: element.text.value.utf8.startIndex, to: start)
        report(
            .unexpectedText, "<\(element.name)> has no text",
            at: element.text.sourceOffset(of: offset, in: parsed.source))
    }

    /// Records the name of an invalid declaration, so that references to it are not reported.
    func markBroken(_ element: ParsedElement) {
        if let name = element["name"]?.value { brokenNames.insert(name) }
    }

    /// Leaves a declaration out of a model of Xcode. In another model it is marked as invalid.
    func leaveOut(_ element: ParsedElement) {
        if parsed.isOfXcode { excluded.insert(element.offset) } else { markBroken(element) }
    }

    // MARK: User info

    /// The user info of an element, from the `info` elements in it.
    func userInfo(of element: ParsedElement) -> [String: String] {
        var values: [String: String] = [:]
        for item in element.children where item.name == "info" {
            guard let key = item["key"], let value = item["value"] else { continue }
            if values.updateValue(value.value, forKey: key.value) != nil {
                report(
                    .duplicateName, "There is already an info '\(key.value)' here", at: key,
                    inXcode: "the last one is used")
            }
        }
        return values
    }
}

extension ParsedElement {
    /// The element without elements of other namespaces, which may be anywhere.
    func withoutExtensions() -> ParsedElement {
        var copy = self
        copy.children = children.compactMap { child in
            if let namespace = child.namespace, namespace != Vocabulary.namespace { return nil }
            return child.children.isEmpty ? child : child.withoutExtensions()
        }
        return copy
    }
}
