import Testing

@testable import CambiumRecords

struct LinkSetTests {
    private let member = LinkSet.Member(key: 34, entity: 0)
    private let other = LinkSet.Member(key: 35, entity: 0)

    /// As after an undo: the links were read, and who was added here is there already.
    private func settled(_ change: (inout LinkSet) -> Void = { _ in }) -> LinkSet {
        var links = LinkSet(isOrdered: true)
        links.add(member)
        change(&links)
        links.setStored([member, other], at: 1)
        links.keepChanges(added: { _ in false }, removed: { _ in true })
        return links
    }

    @Test func `an addition that the store has comes back once`() {
        var links = settled()
        #expect(!links.hasChanges && links.members == [member, other])
        links.remove(member.key)
        #expect(links.members == [other])
        links.add(member)
        #expect(links.members == [other, member])
    }

    @Test func `an addition that was put somewhere stays there though the store has it`() {
        var links = settled { $0.place([34], in: [35, 34]) }
        #expect(links.members == [other, member])
        links.remove(member.key)
        links.add(member)
        #expect(links.members == [other, member])
    }
}
