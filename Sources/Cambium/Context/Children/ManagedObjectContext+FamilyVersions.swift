import CambiumRecords

// In a family of contexts the last one wins. Which versions of a row are the family's own, and which
// are those of others, is known only where it is noted.
extension ManagedObjectContext {
    /// Lets the children know that a save of this context, which uses the stores, has made new
    /// versions of rows.
    func noteVersions(of changeSets: [ChangeSet]) {
        if children.isEmpty { return }
        for child in livingChildren { child.noteVersions(of: changeSets, in: self) }
    }

    private func noteVersions(of changeSets: [ChangeSet], in root: ManagedObjectContext) {
        for entity in changeSets.flatMap(\.entities) {
            let written = entity.updated.filter { !$0.slots.isEmpty }.map(\.key)
            for key in entity.inserted.map(\.key) + written {
                let id = RowIdentity(root: entity.entity.rootIndex, key: key)
                guard objects[id.root].map[key] != nil,
                    let version = root.objects[id.root].map[key]?.record?.version
                else { continue }
                let known = familyVersions[id]
                let continued = known?.upperBound == version - 1 ? known : nil
                familyVersions[id] = (continued?.lowerBound ?? version - 1)...version
            }
        }
        for child in livingChildren { child.noteVersions(of: changeSets, in: root) }
    }

    /// Whether others than the family have saved a row since an object of this child read it.
    ///
    /// - Parameter version: The row's version now.
    func hasOthersVersion(_ object: ManagedObject, _ version: Int64) -> Bool {
        guard let base = object.readRow?.record.version, base < version else { return false }
        guard let own = familyVersions[RowIdentity(object)] else { return true }
        return !own.contains(base) || !own.contains(version)
    }
}

extension ManagedObject {
    /// The row that the unsaved changes rest on.
    final var readRow: PlacedRecord? { extras?.snapshot ?? placed }
}
