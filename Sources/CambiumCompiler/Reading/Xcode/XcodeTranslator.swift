/// Translates Xcode's XML into Cambium's own vocabulary, tree to tree, with the positions of
/// Xcode's file. It reports only elements without a counterpart; the checker reports everything
/// else.
package final class XcodeTranslator {
    /// The key for the order of the enumerations, if it differs from the order of use.
    package static let enumerationOrder = "enums"

    let source: SourceText
    /// The version before, to find renamed elements.
    let previous: IdentityTable?
    var diagnostics: [Diagnostic] = []
    /// Keys about the model. Models have no user info in Xcode, so they are stored at an entity.
    var modelKeys: [(key: String, value: ParsedAttribute)] = []
    var enumerations: [(text: EnumerationText, place: ParsedAttribute)] = []
    var sharedClasses: Set<String> = []
    var entityIDs: Set<String> = []
    /// The entities of this version.
    var entities: [ParsedElement] = []
    /// The parents of the entities.
    var parents: [String: String] = [:]
    /// The former names of the entities, in the version before.
    var formerEntities: [String: String] = [:]
    var entityRenames: [String: String] = [:]
    var propertyRenames: [String: [String: String]] = [:]

    private init(source: SourceText, previous: IdentityTable?) {
        self.source = source
        self.previous = previous
    }

    /// Translates the root element.
    ///
    /// - Parameters:
    ///   - name: The model's name, which is not in Xcode's file.
    ///   - version: The version's name, which is not in Xcode's file either.
    ///   - previous: The identities of the version before.
    static func translate(
        _ root: ParsedElement, of source: SourceText, name: String, version: String,
        previous: IdentityTable?
    ) -> (root: ParsedElement, diagnostics: [Diagnostic]) {
        let translator = XcodeTranslator(source: source, previous: previous)
        let own = translator.translate(root, name: name, version: version)
        return (own, translator.diagnostics)
    }

    private func translate(
        _ root: ParsedElement, name: String, version: String
    ) -> ParsedElement {
        checkNames(of: root)
        entities = root.children(named: "entity")
        sharedClasses = EntitySpelling.sharedClasses(
            entities.compactMap { $0["representedClassName"]?.value })
        entityIDs = Set(entities.compactMap { $0["elementID"]?.value })
        for entity in entities {
            guard let name = entity["name"]?.value else { continue }
            parents[name] = entity["parentEntity"]?.value
            formerEntities[name] = previous?.entities.oldName(
                of: name, elementID: entity["elementID"]?.value)
        }
        collectModelKeys(of: root)
        let migrations = translateMigrations()
        let requests = translateRequests(of: root)
        var children = entities.map { entity in
            translateEntity(
                entity, requests: requests.templates[entity["name"]?.value ?? ""] ?? [])
        }
        let composites = root.children(named: "composite").map { translateComposite($0) }
        let configurations = root.children(named: "configuration").map {
            translateConfiguration($0)
        }
        children = composites + children + configurations + requests.others + migrations
        children = enumerationElements() + children
        var list = AttributeList(
            ["xmlns": Vocabulary.namespace, "name": name, "version": version], at: root.offset)
        for attribute in ModelSpelling().translated(root.list).items {
            list.set(attribute.name, attribute.value, from: attribute)
        }
        list.take(modelKeys.filter { $0.key != Self.enumerationOrder })
        let infos =
            UserInfo(of: root).infos + modelInfos(under: "info.")
            + UserInfo.suppressions(modelKeys)
        return ParsedElement(
            own: "model", list, children: children + infos + keptChildren(of: root))
    }

    // MARK: Names

    /// Warns about unknown names, which might have a meaning.
    private func checkNames(of element: ParsedElement) {
        guard let rule = XcodeVocabulary.rules[element.name] else { return }
        for attribute in element.attributes where !rule.attributes.contains(attribute.name) {
            report(
                .unknownXcodeName,
                "'\(attribute.name)' of <\(element.name)> is not known and has no effect here",
                at: attribute.offset)
        }
        for child in element.children where rule.children.contains(child.name) {
            checkNames(of: child)
        }
        for child in XcodeVocabulary.unknownChildren(of: element) {
            report(
                .unknownXcodeName,
                "<\(child.name)> in <\(element.name)> is not known and is ignored",
                at: child.offset)
        }
    }

    @inline(never)
    func report(
        _ code: DiagnosticCode, _ message: String, at offset: Int, notes: [String] = []
    ) {
        diagnostics.append(
            Diagnostic(code, message, at: source.position(at: offset), notes: notes))
    }

    /// Unknown elements, for the way back.
    func keptChildren(of element: ParsedElement) -> [ParsedElement] {
        XcodeVocabulary.unknownChildren(of: element).map {
            $0.kept(as: XcodeNamespace.prefix + $0.name)
        }
    }

    // MARK: The model's own keys

    private func collectModelKeys(of root: ParsedElement) {
        modelKeys = UserInfo(of: root).keys
        for entity in root.children(named: "entity") {
            modelKeys += UserInfo(of: entity).keys(under: "model.")
        }
    }

    func modelInfos(under start: String) -> [ParsedElement] {
        Self.infos(modelKeys, under: start)
    }

    /// `<info>` elements for keys.
    static func infos(
        _ keys: [(key: String, value: ParsedAttribute)], under start: String = "info."
    ) -> [ParsedElement] {
        keys.filter { $0.key.hasPrefix(start) }.map { key, value in
            let list = AttributeList(
                ["key": String(key.dropFirst(start.count)), "value": value.value], from: value,
                at: value.offset)
            return ParsedElement(own: "info", list)
        }
    }

    /// The enumerations; enumerations of attributes come first.
    private func enumerationElements() -> [ParsedElement] {
        var untyped: Set<String> = []
        for (key, value) in modelKeys where key.hasPrefix("enum.") {
            let parts = key.dropFirst("enum.".count).split(separator: ".")
            guard let name = parts.first.map(String.init) else { continue }
            if parts.count > 1, parts[1] == AttributeList.withoutKey {
                untyped.insert(name)
            } else {
                let type = parts.count > 1 ? String(parts[1]) : "string"
                addEnumeration(value, type: type)
            }
        }
        var elements = enumerations.map {
            $0.text.element(at: $0.place, type: !untyped.contains($0.text.name))
        }
        let order = modelKeys.first { $0.key == Self.enumerationOrder }?.value.value
        if let order {
            let names = order.split(separator: " ").map(String.init)
            elements =
                names.compactMap { name in elements.first { $0["name"]?.value == name } }
                + elements.filter { !names.contains($0["name"]?.value ?? "") }
        }
        return elements
    }

    /// Takes an enumeration, unless it is known.
    @discardableResult
    func addEnumeration(_ written: ParsedAttribute, type: String) -> EnumerationText? {
        guard let text = EnumerationText(written.value, type: type) else {
            report(
                .invalidWord, "'\(written.value)' is not an enumeration", at: written.valueOffset,
                notes: ["Write it like Kind: book, toy=TOY"])
            return nil
        }
        if let known = enumerations.first(where: { $0.text.name == text.name })?.text {
            if known != text {
                report(
                    .duplicateName, "The enumeration '\(text.name)' is another one above",
                    at: written.valueOffset)
            }
        } else {
            enumerations.append((text, written))
        }
        return text
    }

    // MARK: Migrations

    /// Adds the `<migration>` elements, which are stored as text.
    private func translateMigrations() -> [ParsedElement] {
        modelKeys.filter { $0.key.hasPrefix("migration.") }.compactMap { _, written in
            let text = SourceText(path: source.path, bytes: Array(written.value.utf8))
            do throws(Diagnostic) {
                let element = try XMLReader.read(text).moved(to: written)
                element.collectRenames(&entityRenames, &propertyRenames)
                return element
            } catch {
                report(error.code, error.message, at: written.valueOffset, notes: error.notes)
                return nil
            }
        }
    }
}

extension ParsedElement {
    /// Returns the element in the form that is only kept for the conversion back to Xcode.
    func kept(as name: String) -> ParsedElement {
        ParsedElement(
            name: name, namespace: XcodeNamespace.uri, offset: offset, attributes: attributes,
            children: children.map { child in
                child.namespace == Vocabulary.namespace
                    ? child : child.kept(as: XcodeNamespace.prefix + child.name)
            })
    }

    /// Adds the renames of a `<migration>`: entities, and properties by their entities.
    package func collectRenames(
        _ entities: inout [String: String], _ properties: inout [String: [String: String]]
    ) {
        for rename in children(named: "rename") {
            guard let entity = rename["entity"]?.value, let from = rename["from"]?.value else {
                continue
            }
            if let property = rename["property"]?.value {
                properties[entity, default: [:]][property] = from
            } else {
                entities[entity] = from
            }
        }
    }

    /// The element in Cambium's namespace, with the position of the XML attribute from whose value
    /// it was read.
    fileprivate func moved(to place: ParsedAttribute) -> ParsedElement {
        var element = ParsedElement(
            name: name, namespace: Vocabulary.namespace, offset: place.offset,
            attributes: attributes.map {
                ParsedAttribute(name: $0.name, value: $0.value, from: place, at: place.offset)
            })
        element.children = children.map { $0.moved(to: place) }
        element.text = ParsedText(value: text.value, pieces: place.text.pieces)
        return element
    }
}
