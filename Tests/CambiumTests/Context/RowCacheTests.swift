@testable import Cambium
import CambiumRecords
import CambiumSQLite
import EverythingModel
import Testing

/// What the coordinator remembers of rows, so that a fault need not ask the store.
struct RowCacheTests {
    /// A file with a node that a context has read, and the path.
    private func withNode(
        _ body: (PersistentContainer, ManagedObjectContext, Node, String) throws -> Void
    ) throws {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let writer = container.newContext()
            let node = Node(in: writer, label: "old", number: 1)
            try writer.save()
            let context = container.newContext()
            let same = try #require(try context.fetch(Node.fetchRequest()).first)
            #expect(same.objectID == node.objectID)
            try body(container, context, same, path)
        }
    }

    private func changeOutside(_ path: String) throws {
        try execute(
            #"UPDATE "Node" SET "label" = 'outside', "_version" = "_version" + 1"#, in: path)
    }

    @Test
    func `rule 50: neither a fetch nor a refresh shows what was changed behind the coordinator`()
        throws
    {
        try withNode { _, context, node, path in
            try changeOutside(path)
            _ = try context.fetch(Node.fetchRequest())
            #expect(node.label == "old")
            context.refresh(node, mergeChanges: false)
            #expect(node.isFault)
            #expect(node.label == "old")
        }
    }

    @Test func `rule 50: with a staleness interval of 0 every fault asks the store`() throws {
        try withNode { _, context, node, path in
            try changeOutside(path)
            context.refresh(node, mergeChanges: false)
            context.stalenessInterval = 0
            #expect(node.label == "outside")
        }
    }

    @Test func `rule 50: a row is as old as its last reading from the store`() throws {
        try withNode { container, context, node, path in
            context.stalenessInterval = 3_600
            container.coordinator.rowCache.removeAll()
            context.refresh(node, mergeChanges: false)
            container.coordinator.rowCache.removeAll()
            #expect(node.label == "old")  // read from the store right now
            try changeOutside(path)
            context.refresh(node, mergeChanges: false)
            #expect(node.label == "old")
            context.refresh(node, mergeChanges: false)
            context.stalenessInterval = 0
            #expect(node.label == "outside")
        }
    }

    @Test func `rule 50: a fetch by anybody brings the row cache up to date`() throws {
        try withNode { container, context, node, path in
            let other = container.newContext()
            let same = try #require(try other.fetch(Node.fetchRequest()).first)
            context.refresh(node, mergeChanges: false)
            try changeOutside(path)
            // The other context has the object already, and it keeps its values.
            _ = try other.fetch(Node.fetchRequest())
            #expect(same.label == "old")
            #expect(node.label == "outside")
        }
    }

    @Test func `rule 50: a refresh that keeps changes reads the store`() throws {
        try withNode { _, context, node, path in
            node.number = 2
            try changeOutside(path)
            context.refresh(node, mergeChanges: true)
            #expect(node.label == "outside")
            #expect(node.number == 2)
            try context.save()
        }
    }

    @Test(arguments: StoreKind.kinds)
    func `a refresh shows what a sibling saved, whether its rows are remembered or not`(
        _ kind: StoreKind
    ) throws {
        for forgets in [true, false] {
            try withContainer(Everything.model, on: kind) { container in
                let (first, second) = (container.newContext(), container.newContext())
                let nodes = (0..<3).map { Node(in: first, label: "\($0)") }
                try first.save()
                let same: [Node] = try nodes.map { try second.get($0.objectID) }
                #expect(same.map(\.label) == ["0", "1", "2"])
                nodes[0].label = "new"
                first.delete(nodes[1])
                try first.save()
                if forgets { container.coordinator.rowCache.removeAll() }
                for node in same { second.refresh(node, mergeChanges: false) }
                second.onInaccessibleFault = { _, _ in }
                #expect(same[0].label == "new")
                #expect(same[1].label == "")
                #expect(same[1].isDeleted)
                #expect(same[2].label == "2")
            }
        }
    }

    @Test func `a fault whose row another context has read asks no store`() throws {
        try withNode { container, context, node, path in
            let other = container.newContext()
            let same: Node = try other.get(node.objectID)
            #expect(same.label == "old")
            try execute(#"DELETE FROM "Node""#, in: path)
            let reader = container.newContext()
            #expect(try reader.get(node.objectID, as: Node.self).label == "old")
            _ = context
        }
    }

    @Test func `values that are in memory only are not remembered`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(in: context)
            try context.save()
            sample.scratch = 42
            try context.save()
            let id = sample.objectID
            context.refresh(sample, mergeChanges: false)
            #expect(sample.scratch != 42)
            let reader = container.newContext()
            #expect(try reader.get(id, as: Sample.self).scratch != 42)
        }
    }

    @Test func `the row cache is bounded`() throws {
        let entity = try #require(Everything.model.modelDescription["Node"])
        let cache = RowCache(maximumRows: 10, maximumBytes: 1 << 20)
        func row(_ key: Int64) -> RowCache.Row {
            let placed = RecordWriter.compactCopy(entity.template.record, entity.shape)
            placed.record.key = key
            return RowCache.Row(entity: entity, placed: placed)
        }
        for key in Int64(1)...10_000 {
            cache.insert([row(key)], readAt: 0)
            #expect(cache.count <= 10)
        }
        // Those that came last are there.
        #expect(cache.entry(RowIdentity(root: entity.rootIndex, key: 10_000)) != nil)
        #expect(cache.entry(RowIdentity(root: entity.rootIndex, key: 9_990)) == nil)
        // The same row again and again takes no room.
        for _ in 0..<10_000 { cache.insert([row(10_000)], readAt: 0) }
        #expect((1...10).contains(cache.count))
        let small = RowCache(maximumRows: 1_000, maximumBytes: 1_000)
        for key in Int64(1)...100 { small.insert([row(key)], readAt: 0) }
        #expect(small.count < 20)
        #expect(small.count > 0)
    }

    @Test func `a row that was read before a commit does not get in after it`() throws {
        let entity = try #require(Everything.model.modelDescription["Node"])
        let cache = RowCache()
        let placed = RecordWriter.compactCopy(entity.template.record, entity.shape)
        placed.record.key = 1
        let row = RowCache.Row(entity: entity, placed: placed)
        cache.follow([], commit: 1)
        cache.insert([row], readAt: 0)
        cache.insertFaulted(row, knownCommit: 0)
        #expect(cache.isEmpty)
        cache.insertFaulted(row, knownCommit: 1)
        #expect(!cache.isEmpty)
    }

    // MARK: What others changed

    @Test(arguments: [true, false])
    func `changes of others are merged by hand`(_ hasChanges: Bool) throws {
        try withNode { container, context, node, path in
            let box = Box(in: context, name: "box")
            let doomed = Node(in: context, label: "doomed")
            try context.save()
            #expect(box.nodes.isEmpty)
            let view = container.newContext()
            let inView: Node = try view.get(node.objectID)
            #expect(inView.label == "old")
            if hasChanges { node.number = 7 }
            try execute(
                """
                UPDATE "Node" SET label = 'outside', box = (SELECT _id FROM "Box"), \
                _version = _version + 1 WHERE label = 'old'; \
                DELETE FROM "Node" WHERE label = 'doomed'
                """, in: path)
            #expect(node.label == "old")
            ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: RemoteChanges(
                    updated: [node.objectID], deleted: [doomed.objectID]),
                into: [context, view])
            let boxInView: Box = try view.get(box.objectID)
            for (node, box) in [(node, box), (inView, boxInView)] {
                #expect(!node.isFault)
                #expect(node.label == "outside")
                #expect(node.box === box)
                #expect(Array(box.nodes) == [node])
            }
            #expect(doomed.isDeleted)
            #expect(node.number == (hasChanges ? 7 : 1))
            #expect(node.hasChanges == hasChanges)
            try context.save()
            // The row cache has the new row.
            let reader = container.newContext()
            #expect(try reader.get(node.objectID, as: Node.self).label == "outside")
        }
    }
}
