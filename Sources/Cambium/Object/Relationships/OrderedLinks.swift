import CambiumRecords

/// The order of an object's ordered to-manys.
struct OrderedLinks: ObjectAccess {
    let subject: ManagedObject

    /// Puts objects before the one that stands at an index now, or at the end.
    func place(_ objects: [ManagedObject], at index: Int, in ordinal: Int) {
        let before = subject.ownLinks.linksToChange(ordinal)
        let members = before.members
        precondition(
            index >= 0 && index <= members.count, "There is no place \(index) in the list.")
        let successor = members[index...].map(\.key)
        var seen: Set<Int64> = []
        let wanted = objects.filter { seen.insert($0.key).inserted }
        for object in wanted where !before.contains(object.key) {
            subject.ownLinks.link(ordinal, to: object)
        }
        // An object that could not be linked is not there.
        let after = subject.links(ordinal)
        let keys = wanted.map(\.key).filter(after.contains)
        guard !keys.isEmpty else { return }
        place(keys, before: successor, in: ordinal)
    }

    /// Moves members before the one that stands at an index now, or at the end.
    func place(_ keys: [Int64], before index: Int, in ordinal: Int) {
        let members = subject.ownLinks.linksToChange(ordinal).members
        precondition(
            index >= 0 && index <= members.count, "There is no place \(index) in the list.")
        place(keys, before: members[index...].map(\.key), in: ordinal)
    }

    /// Moves members before the first of the others, or at the end where these are none.
    func place(_ keys: [Int64], before others: [Int64], in ordinal: Int) {
        let moved = Set(keys)
        let order = subject.links(ordinal).members.map(\.key)
        let following = others.filter { !moved.contains($0) }
        let behind = Set(following)
        let leading = order.filter { !moved.contains($0) && !behind.contains($0) }
        let arranged = leading + keys + following
        guard arranged != order else { return }
        if following.isEmpty {
            moveToEnd(keys, ordinal)
        } else {
            arrange(moved, in: arranged, ordinal)
        }
    }

    /// Puts members at the end.
    func moveToEnd(_ keys: [Int64], _ ordinal: Int) {
        changeLinks(ordinal) { $0.moveToEnd(keys) }
    }

    /// Gives members places, so that the list looks like this.
    func arrange(_ keys: Set<Int64>, in arrangement: [Int64], _ ordinal: Int) {
        changeLinks(ordinal) { $0.place(keys, in: arrangement) }
    }

    func changeLinks(_ ordinal: Int, _ body: (inout LinkSet) -> Void) {
        guard lifecycle != .invalid, lifecycle != .discarded else { return }
        subject.ownLinks.willChangeLinks()
        subject.tracking.keepEventLinks(entity.relationships[ordinal])
        if entity.relationships[ordinal].isTransient {
            var links = subject.transients.links(of: entity.relationships[ordinal])
            body(&links)
            ownExtras.transientLinks[ordinal] = links
        } else if var links = ownExtras.links[ordinal] {
            // Taken out meanwhile, so that it is changed in place.
            ownExtras.links[ordinal] = nil
            body(&links)
            ownExtras.links[ordinal] = links
        }
        if notesReads { subject.notifyOfChange(of: .links(ordinal)) }
    }
}
