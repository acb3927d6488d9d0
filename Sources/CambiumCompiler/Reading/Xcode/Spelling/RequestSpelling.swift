/// `<fetchRequest>` and what our `<fetch>` and `<fetched>` take from it.
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

/// `<fetched>` without the request in it. It keeps no data, so that a new name is no renaming.
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
