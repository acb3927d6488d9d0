import CambiumModel

extension ModelChecker {
    /// Reports properties that an ancestor declares too.
    ///
    /// In a model of Xcode's, a second declaration of the same value adds nothing: the one of the
    /// ancestor holds. Names that differ in case only are two names there.
    func checkShadowing(of drafts: [EntityDraft]) {
        guard drafts.contains(where: { $0.parent != nil }) else { return }
        let byName = drafts.byName
        let isFolded = !parsed.isOfXcode
        func folded(_ name: String) -> String { isFolded ? name.lowercased() : name }
        let names = byName.mapValues { Set($0.declarations.keys.map(folded)) }
        for index in drafts.indices where drafts[index].parent != nil {
            for property in drafts[index].declarations.keys.sorted() {
                guard let name = drafts[index].declaration(of: property)?["name"],
                    let owner = ancestors(of: drafts[index], byName).first(where: {
                        names[$0.name]?.contains(folded(property)) ?? false
                    })
                else { continue }
                let message =
                    "'\(property)' is inherited from '\(owner.name)' and cannot be declared again"
                let isSame = drafts[index].storesTheSame(property, as: owner)
                report(
                    .shadowedProperty, message, at: name,
                    inXcode: isSame ? "the declaration of '\(owner.name)' holds" : nil)
                if isSame, parsed.isOfXcode { drafts[index].remove(property) }
            }
        }
    }

    private func ancestors(
        of draft: EntityDraft, _ byName: [String: EntityDraft]
    ) -> [EntityDraft] {
        var ancestors: [EntityDraft] = []
        var parent = draft.parent
        while let ancestor = parent.flatMap({ byName[$0] }) {
            ancestors.append(ancestor)
            parent = ancestor.parent
        }
        return ancestors
    }
}

extension EntityDraft {
    /// Whether a property of another entity holds all that the one of this entity can hold.
    fileprivate func storesTheSame(_ property: String, as other: EntityDraft) -> Bool {
        if let attribute = attributes.first(where: { $0.name == property }) {
            let inherited = other.attributes.first { $0.name == property }
            return inherited.map {
                $0.type == attribute.type && $0.isTransient == attribute.isTransient
                    && ($0.derivation == nil) == (attribute.derivation == nil)
                    && ($0.isOptional || !attribute.isOptional)
            } ?? false
        }
        if let relationship = relationships.first(where: { $0.name == property }) {
            let inherited = other.relationships.first { $0.name == property }
            return inherited.map {
                $0.destination == relationship.destination && $0.inverse == relationship.inverse
                    && $0.isToMany == relationship.isToMany
                    && $0.isTransient == relationship.isTransient
            } ?? false
        }
        return false
    }
}
