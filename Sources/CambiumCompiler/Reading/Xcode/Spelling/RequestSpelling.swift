/// `<fetchRequest>` and what our `<fetch>` and `<fetched>` take from it.
package struct RequestSpelling: Spelling {
    /// The name of the attribute that holds the condition; in `<fetch>` it is the text.
    package static let condition = "where"

    package init() {}

    /// Pairs of Cambium's own name and Xcode's.
    private static let flags = [
        ("distinct", "returnDistinctResults"), ("includesSubentities", "includeSubentities"),
        ("includesPropertyValues", "includePropertyValues"),
        ("includesPendingChanges", "includesPendingChanges"),
        ("returnsFaults", "returnObjectsAsFaults"),
    ]
    private static let numbers = [
        ("limit", "fetchLimit"), ("offset", "fetchOffset"), ("batchSize", "fetchBatchSize"),
    ]
    private static let results = [
        ("objects", "0"), ("ids", "1"), ("dictionaries", "2"), ("count", "4"),
    ]

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = AttributeList(named: xcode)
        own.copy("entity", of: xcode, as: "to")
        if let condition = xcode["predicateString"] {
            own.set(Self.condition, condition.text.trimmed.value, from: condition)
        }
        // Zero means none.
        for (name, other) in Self.numbers where xcode.value(other) != "0" {
            own.copy(other, of: xcode, as: name)
        }
        if let result = xcode["resultType"] {
            let word = Self.results.first { $0.1 == result.value }?.0
            own.set("result", word ?? result.value, from: result)
        }
        for (name, other) in Self.flags {
            guard let written = xcode[other] else { continue }
            let words = ["YES": "true", "NO": "false"]
            own.set(name, words[written.value] ?? written.value, from: written)
        }
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        var xcode = AttributeList(named: own)
        xcode.copy("to", of: own, as: "entity")
        xcode.copy(Self.condition, of: own, as: "predicateString")
        for (name, other) in Self.numbers { xcode.copy(name, of: own, as: other) }
        if let result = own["result"] {
            let number = Self.results.first { $0.0 == result.value }?.1
            xcode.set("resultType", number ?? result.value, from: result)
        }
        for (name, other) in Self.flags {
            guard let written = own[name] else { continue }
            let words = ["true": "YES", "false": "NO"]
            xcode.set(other, words[written.value] ?? written.value, from: written)
        }
        return xcode
    }
}

/// `<fetchRequest>` as a template: the function that it becomes needs a name that Swift can have,
/// and Xcode takes any text.
package struct TemplateSpelling: Spelling {
    package init() {}

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = RequestSpelling().own(from: xcode)
        own.set("name", xcode.value("name").map(Self.identifier), from: xcode["name"])
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        RequestSpelling().xcode(from: own)
    }

    /// As in the name of a bundle, an underscore stands for what cannot be in an identifier.
    private static func identifier(_ name: String) -> String {
        guard !name.isEmpty, !Vocabulary.isIdentifier(name) else { return name }
        let signs = name.unicodeScalars.map { scalar in
            scalar.properties.isXIDContinue ? Character(scalar) : "_"
        }
        let legal = String(signs)
        return Vocabulary.isIdentifier(legal) ? legal : "fetch" + legal
    }
}

/// `<fetched>` without the request in it. It keeps no data, so that a new name is no renaming.
package struct FetchedSpelling: Spelling {
    package init() {}

    package func own(from xcode: AttributeList) -> AttributeList {
        var own = AttributeList(named: xcode)
        own.copy("versionHashModifier", of: xcode, as: "hashModifier")
        return own
    }

    package func xcode(from own: AttributeList) -> AttributeList {
        var xcode = AttributeList(named: own)
        xcode.set("optional", "YES")
        xcode.copy("hashModifier", of: own, as: "versionHashModifier")
        return xcode
    }
}
