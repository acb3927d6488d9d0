import Cambium
import Testing

/// What a merge has left out, because an unsaved change contradicted it, shows when that is gone.
struct MissedChangeTests {
    @Test(arguments: [Int64(5), 11])
    func `an undo shows what others saved`(_ theirs: Int64) throws {
        try withCounter { context, counter, others in
            context.undoManager = ContextUndoManager()
            counter[number: "count"] = 11
            try others.save("count", theirs)
            try others.save("other", 9)
            _ = try context.countCounters()
            #expect(counter[number: "other"] == 10)
            context.undo()
            #expect(counter[number: "count"] == theirs)
            #expect(counter[number: "other"] == 9)
            #expect(!context.hasChanges)
            context.redo()
            #expect(counter[number: "count"] == 11)
            #expect(counter[number: "other"] == 9, "what others saved is not undone")
            try context.save()
        }
    }

    @Test(arguments: [false, true])
    func `an undo of a deletion shows what others saved`(_ isChangedFirst: Bool) throws {
        try withCounter { context, counter, others in
            context.undoManager = ContextUndoManager()
            if isChangedFirst { counter[number: "count"] = 11 }
            try others.save("count", 5)
            context.delete(counter)
            _ = try context.countCounters()
            for _ in 0..<2 {
                context.undo()
                #expect(counter[number: "count"] == 5)
                #expect(!context.hasChanges)
                context.redo()
                #expect(context.deletedObjects == [counter])
            }
            context.undo()
            try context.save()
            #expect(counter[number: "count"] == 5)
            counter[number: "count"] = 6
            try context.save()
        }
    }

    @Test func `an undo of the contradiction alone leaves the rest to be saved`() throws {
        try withCounter { context, counter, others in
            context.undoManager = ContextUndoManager()
            counter[number: "other"] = 11
            context.processPendingChanges()
            counter[number: "count"] = 11
            try others.save("count", 5)
            _ = try context.countCounters()
            context.undo()
            #expect(counter[number: "count"] == 5)
            #expect(counter[number: "other"] == 11)
            try context.save()
            #expect(counter[number: "count"] == 5)
        }
    }

    @Test func `a refresh shows what others saved`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 11
            try others.save("count", 5)
            _ = try context.countCounters()
            context.refresh(counter, mergeChanges: false)
            #expect(counter[number: "count"] == 5)
            counter[number: "count"] += 1
            try context.save()
            #expect(counter[number: "count"] == 6)
        }
    }

    @Test func `what was set back yields at the save`() throws {
        try withCounter { context, counter, others in
            counter[number: "count"] = 11
            try others.save("count", 5)
            _ = try context.countCounters()
            counter[number: "count"] = 10
            try context.save()
            #expect(counter[number: "count"] == 5)
        }
    }

    @Test func `after a save nothing is missed any more`() throws {
        try withCounter(.objectTrump) { context, counter, others in
            counter[number: "count"] = 11
            try others.save("count", 5)
            try context.save()
            counter[number: "other"] = 12
            context.rollback()
            #expect(!counter.isFault, "there is nothing that it has to read again")
            #expect(counter[number: "count"] == 11)
        }
    }
}
