import Cambium
import Testing

/// A controller follows what is undone and redone.
struct UndoneListTests {
    @Test func `an undone change of a value and of a section is told, and redone again`() throws {
        let shop = try ShopStack()
        shop.main.undoManager = ContextUndoManager()
        shop.product.title = "Other"
        shop.product.category = nil
        shop.main.processPendingChanges()
        #expect(shop.controller.sections.map(\.name) == [""])
        shop.delegate.forget()
        shop.main.undo()
        #expect(shop.controller.sections.map(\.name) == ["Books"])
        #expect(shop.delegate.words(\.title) == ["move Untitled"])
        shop.main.redo()
        #expect(shop.controller.sections.map(\.name) == [""])
        #expect(shop.delegate.words(\.title) == ["move Other", "move Other"])
        #expect(shop.delegate.mirror == ListMirror(shop.controller.sections))
        #expect(shop.delegate.faults.isEmpty)
    }

    @Test func `an undone delete puts the object back to its place, saved or not`() throws {
        for saves in [false, true] {
            let shop = try ShopStack()
            shop.main.undoManager = ContextUndoManager()
            shop.main.delete(shop.product)
            shop.main.processPendingChanges()
            if saves { try shop.main.save() }
            #expect(shop.controller.fetchedObjects == [])
            shop.main.undo()
            #expect(shop.controller.fetchedObjects?.map(\.sku) == ["AB-1"])
            shop.main.redo()
            #expect(shop.controller.fetchedObjects == [])
            #expect(shop.delegate.words(\.sku) == ["delete AB-1", "insert AB-1", "delete AB-1"])
            #expect(shop.delegate.mirror == ListMirror(shop.controller.sections))
            #expect(shop.delegate.faults.isEmpty)
        }
    }
}
