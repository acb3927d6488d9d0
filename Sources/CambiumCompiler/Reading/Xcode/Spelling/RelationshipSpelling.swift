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
