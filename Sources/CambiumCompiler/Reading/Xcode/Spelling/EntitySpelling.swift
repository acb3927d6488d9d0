/// `<entity>`, `<composite>`, `<configuration>` and `<model>` without what is in them.
package struct EntitySpelling: Spelling {
    let identity: IdentitySpelling?
    /// Names of classes that are no class for one entity alone.
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

    /// Classes that more than one entity has, of what is written at each.
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

/// `<model>`. Its name and version are the bundle's and the file's, not Xcode's to say.
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
