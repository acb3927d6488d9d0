import CambiumRecords

/// An object's values before the current event changed them.
enum EventBase {
    /// The event has not changed them, or the object is new in it.
    case none
    /// They were those last read or saved.
    case snapshot
    /// They differed from those already, or the object was never saved.
    case copy(PlacedRecord)
}

/// An object's links before the current event changed them.
final class EventLinks {
    // Safety: see `ManagedObject`.
    /// By the number of the relationship; also those of transient ones.
    @exclusivity(unchecked) private(set) var bases: [Int: LinkSet] = [:]
    @exclusivity(unchecked) private var known = SlotSet()

    /// Whether the links of a relationship are kept.
    @inline(__always)
    func keeps(_ ordinal: Int) -> Bool { known.contains(ordinal) }

    /// Keeps the links of a relationship, unless those of an earlier moment are kept.
    @inline(__always)
    func keep(_ ordinal: Int, _ links: () -> LinkSet) {
        if known.contains(ordinal) { return }
        known.insert(ordinal)
        bases[ordinal] = links()
    }
}

/// Attributes that were set without being noted as a change: by `setPrimitiveValue`, or in a hook
/// that is called when an object was read.
final class QuietChanges {
    /// The values before, where the object had not changed otherwise.
    var base: PlacedRecord?
    /// The slots that were set.
    var slots = SlotSet()
}

extension ManagedObject {
    /// The record before the current event changed it; nil where it did not, or the object is new.
    final var eventBaseRecord: PlacedRecord? {
        switch extras?.eventBase {
        case .snapshot: extras?.snapshot
        case .copy(let placed): placed
        case nil, .some(.none): nil
        }
    }
}
