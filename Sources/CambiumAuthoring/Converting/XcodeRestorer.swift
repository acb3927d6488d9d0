import CambiumCompiler

/// Translates Cambium's own vocabulary into Xcode's XML: the reverse of `XcodeTranslator`.
///
/// If Xcode has no word for a part, it becomes user info with keys that start with `cambium.`. The
/// model, indexes and fetch templates have no user info in Xcode; theirs is stored at an entity.
struct XcodeRestorer {
    let root: ParsedElement
    let previous: IdentityTable?
    let enumerations: [String: EnumerationText]
    /// Classes that more than one entity has.
    let sharedClasses: Set<String>
    let entityIdentity: IdentitySpelling
    let propertyRenames: [String: [String: String]]
    /// The parents of the entities.
    let parents: [String: String]
    /// The former names of the entities, if they have any.
    let formerEntities: [String: String]
    /// The fetch templates found so far, with their positions in the model.
    var requests: [(position: Int, element: ParsedElement)] = []

    /// Translates the root element.
    ///
    /// - Parameter previous: The content of the previous version, from `IdentityTable` on the
    ///   result for that version.
    static func restore(_ root: ParsedElement, previous: IdentityTable?) -> ParsedElement {
        var restorer = XcodeRestorer(root, previous: previous)
        return restorer.model()
    }

    private init(_ root: ParsedElement, previous: IdentityTable?) {
        self.root = root
        self.previous = previous
        enumerations = Dictionary(
            root.children(named: "enum").map { ($0["name"]?.value ?? "", EnumerationText($0)) },
            uniquingKeysWith: { first, _ in first })
        let entities = root.children(named: "entity")
        sharedClasses = EntitySpelling.sharedClasses(
            entities.map { entity in
                let written =
                    entity["xcode:representedClassName"] ?? entity["class"] ?? entity["name"]
                return written?.value ?? ""
            })
        var entityRenames: [String: String] = [:]
        var propertyRenames: [String: [String: String]] = [:]
        for migration in root.children(named: "migration") {
            migration.collectRenames(&entityRenames, &propertyRenames)
        }
        self.propertyRenames = propertyRenames
        func values(of attribute: String) -> [String: String] {
            Dictionary(
                entities.compactMap { entity in
                    entity["name"].flatMap { name in
                        entity[attribute].map { (name.value, $0.value) }
                    }
                }, uniquingKeysWith: { first, _ in first })
        }
        parents = values(of: "parent")
        formerEntities = values(of: "renamedFrom").merging(entityRenames) { said, _ in said }
        entityIdentity = IdentitySpelling(
            previous: previous?.entities, renames: entityRenames
        ).knowing(entities)
    }

    // MARK: The model

    private mutating func model() -> ParsedElement {
        let modelKeys = self.modelKeys()
        var entities: [ParsedElement] = []
        for (index, element) in root.children(named: "entity").enumerated() {
            let keys = index == 0 ? modelKeys.map { ("model.\($0.key)", $0.value) } : []
            entities.append(entity(element, modelKeys: keys))
        }
        let configurations = root.children(named: "configuration").map(configuration)
        let composites = root.children(named: "composite").map(composite)
        for kept in root.children(named: XcodeTranslator.keptRequestName) {
            let position = kept[XcodeNamespace.position].flatMap { Int($0.value) }
            let list = kept.list.without([XcodeNamespace.position])
            requests.append(
                (position ?? requests.count, ParsedElement(xcode: "fetchRequest", list)))
        }
        let templates = requests.enumerated()
            .sorted { ($0.element.position, $0.offset) < ($1.element.position, $1.offset) }
            .map(\.element.element)
        let info = entities.isEmpty ? userInfo(infos: [], keys: modelKeys, at: root.offset) : []
        return ParsedElement(
            xcode: "model", ModelSpelling().restored(root.list),
            children: entities + templates + configurations + composites + info
                + Self.keptChildren(of: root))
    }

    /// Unknown elements that were kept when the model was converted from Xcode.
    static func keptChildren(of element: ParsedElement) -> [ParsedElement] {
        let known = [
            IndexCollector.keptName, IndexCollector.keptUniqueName,
            XcodeTranslator.keptRequestName,
        ]
        return element.children.filter {
            $0.name.hasPrefix(XcodeNamespace.prefix) && !known.contains($0.name)
        }.map { $0.restored() }
    }

    /// The user info for the model itself, which has none in Xcode.
    private func modelKeys() -> [(key: String, value: String)] {
        let names = ["xmlns", "name", "version"]
        let spelling = ModelSpelling()
        let list = root.list.without(Set(names))
        var keys = spelling.own(from: spelling.restored(list)).keys(toBecome: list)
        keys += enumerationKeys()
        for (number, migration) in root.children(named: "migration").enumerated() {
            let text = migration.compactXML
            keys.append(("migration.\(number + 1)", text))
        }
        keys += Self.infoKeys(of: root) + UserInfo.suppressionKeys(of: root)
        for element in root.children(named: "configuration") {
            let name = element["name"]?.value ?? ""
            keys += Self.infoKeys(of: element).map {
                ("configuration.\(name).\($0.key)", $0.value)
            }
        }
        return keys
    }

    /// The keys for enumerations without attributes, and for properties of enumerations that
    /// attributes do not contain.
    private func enumerationKeys() -> [(key: String, value: String)] {
        let attributes = root.children.filter { ["entity", "composite"].contains($0.name) }
            .flatMap(\.children)
        var used: [String] = []
        for type in attributes.compactMap({ $0["type"]?.value })
        where enumerations[type] != nil && !used.contains(type) {
            used.append(type)
        }
        var keys: [(key: String, value: String)] = []
        let elements = root.children(named: "enum")
        let names = elements.compactMap { $0["name"]?.value }
        for element in elements {
            guard let name = element["name"]?.value, let text = enumerations[name] else { continue }
            if !used.contains(name) {
                keys.append(("enum.\(name).\(text.type)", text.text))
                used.append(name)
            }
            if element["type"] == nil {
                keys.append(("enum.\(name).\(AttributeList.withoutKey)", "type"))
            }
        }
        if used != names {
            keys.append((XcodeTranslator.enumerationOrder, names.joined(separator: " ")))
        }
        return keys
    }

    private func configuration(_ element: ParsedElement) -> ParsedElement {
        let entities = element["entities"]?.value ?? ""
        let members = entities.split { ", \t\n".contains($0) }.map { name in
            ParsedElement(
                xcode: "memberEntity",
                AttributeList(
                    ["name": String(name)], from: element["entities"], at: element.offset))
        }
        return ParsedElement(
            xcode: "configuration", NameSpelling().restored(element.list),
            children: members + Self.keptChildren(of: element))
    }

    private func composite(_ element: ParsedElement) -> ParsedElement {
        let attributes = element.children(named: "attribute").map {
            attribute($0, identity: nil, indexed: [])
        }
        let keys = NameSpelling().own(from: element.list).keys(toBecome: element.list)
        return ParsedElement(
            xcode: "composite", NameSpelling().restored(element.list),
            children: attributes + userInfo(of: element, keys: keys)
                + Self.keptChildren(of: element))
    }

    // MARK: User info

    /// The `<userInfo>` of an element; empty if it has none.
    func userInfo(
        of element: ParsedElement, keys: [(key: String, value: String)]
    ) -> [ParsedElement] {
        let infos = element.children(named: "info").map {
            ParsedElement(xcode: "entry", InfoSpelling().restored($0.list))
        }
        if infos.isEmpty, keys.isEmpty, element[XcodeNamespace.userInfo] != nil {
            return [ParsedElement(xcode: "userInfo", AttributeList(at: element.offset))]
        }
        return userInfo(infos: infos, keys: keys, at: element.offset)
    }

    private func userInfo(
        infos: [ParsedElement], keys: [(key: String, value: String)], at offset: Int
    ) -> [ParsedElement] {
        let entries =
            infos
            + keys.map { key, value in
                ParsedElement(
                    xcode: "entry",
                    AttributeList(["key": UserInfo.prefix + key, "value": value], at: offset))
            }
        guard !entries.isEmpty else { return [] }
        return [ParsedElement(xcode: "userInfo", AttributeList(at: offset), children: entries)]
    }

    /// Keys for the `<info>` of something that has no user info in Xcode.
    static func infoKeys(of element: ParsedElement) -> [(key: String, value: String)] {
        element.children(named: "info").map {
            ("info.\($0["key"]?.value ?? "")", $0["value"]?.value ?? "")
        }
    }
}

extension ParsedElement {
    /// Returns the element in its original form.
    fileprivate func restored() -> ParsedElement {
        ParsedElement(
            xcode: String(name.dropFirst(XcodeNamespace.prefix.count)), list,
            children: children.map { $0.restored() })
    }
}

extension AttributeList {
    /// All attributes except the ones with these names.
    func without(_ names: Set<String>) -> AttributeList {
        AttributeList(items.filter { !names.contains($0.name) }, at: offset)
    }
}

extension IdentitySpelling {
    /// The spelling with the elementIDs of Cambium's elements.
    func knowing(_ elements: [ParsedElement]) -> IdentitySpelling {
        var spelling = self
        for element in elements {
            var list = AttributeList(at: element.offset)
            let without = element[XcodeNamespace.without]?.value.split(separator: " ") ?? []
            if without.contains("elementID") { continue }
            setElementID(&list, from: element.list)
            if let id = element["xcode:elementID"]?.value ?? list.value("elementID") {
                spelling.taken.insert(id)
            }
        }
        return spelling
    }
}
