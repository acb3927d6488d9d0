import Cambium
import EverythingModel
import ShopModel
import Testing

/// Unsaved links to an object that another context deletes: when the deletion is merged, they are
/// cleared, and the rest can be saved.
struct ClearedLinkTests {
    static let policies: [MergePolicy] = [
        .error, .objectTrump, .storeTrump, .overwrite, .rollback,
    ]

    private func withContexts(
        _ model: CompiledModel = Everything.model, _ policy: MergePolicy = .error,
        _ body: (ManagedObjectContext, _ sibling: ManagedObjectContext) throws -> Void
    ) throws {
        let container = try PersistentContainer(model: model, at: .temporary)
        let context = container.newContext()
        context.automaticallyMergesChangesFromParent = true
        context.mergePolicy = policy
        try body(context, container.newContext())
        context.processPendingChanges()
        #expect(context.invariantFaults() == [])
        #expect(!context.hasChanges)
    }

    private func delete(_ object: ManagedObject, by sibling: ManagedObjectContext) throws {
        sibling.delete(sibling.object(with: object.objectID))
        try sibling.save()
    }

    /// - Parameter looks: Who looks at the category: nobody, a controller, an observer, a program.
    @Test(arguments: policies, ["nobody", "controller", "observer", "program"])
    func `a to-one, whatever looks at it and whatever the policy`(
        _ policy: MergePolicy, _ looks: String
    ) throws {
        try withContexts(Shop.model, policy) { context, sibling in
            let category = ShopModel.Category(in: context, name: "k")
            let product = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
            try context.save()
            var followers: [AnyObject] = []
            let controller = FetchedResultsController(
                Product.fetchRequest().sorted(by: Product.title), in: context,
                sectionedBy: Product.category.name)
            if looks == "controller" {
                try controller.performFetch()
                followers.append(MirrorDelegate(controller))
                controller.delegate = followers[0] as? MirrorDelegate<Product>
            }
            if looks == "observer" {
                followers.append(
                    try ContextObserver(Product.category.name == "k", in: context) { _ in })
            }
            product.category = category
            let new = Product(in: context, sku: "AB-2", kind: .toy, price: 1)
            new.category = category
            context.processPendingChanges()
            try delete(category, by: sibling)
            context.mergePending()
            #expect(category.isDeleted && !product.isDeleted && !new.isDeleted)
            if looks == "program" { #expect(product.category?.name == nil) }
            #expect(product.category == nil && new.category == nil)
            if looks == "controller" { #expect(controller.sections.map(\.name) == [""]) }
            for _ in 0..<3 { try context.save() }
            withExtendedLifetime(followers) {}
        }
    }

    @Test func `the change is notified, and seen by controllers at once`() throws {
        try withContexts { context, sibling in
            let (box, node) = (Box(in: context, name: "b"), Node(in: context))
            try context.save()
            let controller = FetchedResultsController(
                Node.fetchRequest().filter(Node.box == nil).sorted(by: Node.label), in: context)
            let followed = try FollowedController(controller) { $0.label }
            node.box = box
            context.processPendingChanges()
            #expect(controller.fetchedObjects == [])
            var told: [ObjectsDidChange] = []
            let token = context.observe(.objectsDidChange) { told.append($0) }
            try delete(box, by: sibling)
            context.mergePending()
            #expect(told.map(\.deleted) == [[box], []])
            #expect(told.map(\.updated) == [[], [node]])
            #expect(controller.fetchedObjects == [node])
            #expect(try followed.faults(touched: [node.objectID], looks: true) == [])
            try context.save()
            withExtendedLifetime(token) {}
        }
    }

    @Test(arguments: policies, [false, true])
    func `one-to-ones, whichever side keeps the key`(_ policy: MergePolicy, _ isNew: Bool) throws {
        try withContexts(Everything.model, policy) { context, sibling in
            let lost = Node(in: context)
            try context.save()
            let (one, other) = (Node(in: context), Node(in: context))
            if !isNew { try context.save() }
            one.next = lost
            other.previous = lost
            context.processPendingChanges()
            try delete(lost, by: sibling)
            _ = try context.fetch(Node.fetchRequest())
            #expect(lost.isDeleted && one.next == nil && other.previous == nil)
            try context.save()
        }
    }

    @Test(arguments: policies, [false, true])
    func `pairs of a join table, from either side`(_ policy: MergePolicy, _ isTopic: Bool) throws {
        try withContexts(Everything.model, policy) { context, sibling in
            let (node, topic) = (Node(in: context), Topic(in: context))
            try context.save()
            node.tags.insert(topic)
            node.queue.append(topic)
            context.processPendingChanges()
            var told: Set<ManagedObject> = []
            let token = context.observe(.objectsDidChange) {
                told.formUnion($0.updated.union($0.refreshed))
            }
            try delete(isTopic ? topic : node, by: sibling)
            context.mergePending()
            #expect(told == [isTopic ? node : topic])
            if isTopic {
                #expect(node.tags.isEmpty && node.queue.isEmpty)
            } else {
                #expect(topic.nodes.isEmpty && topic.waiting.isEmpty)
            }
            try context.save()
            #expect(node.isDeleted == !isTopic && topic.isDeleted == isTopic)
            withExtendedLifetime(token) {}
        }
    }

    @Test func `links in memory only are cleared, too`() throws {
        try withContainer(Widened.model) { container in
            let (context, sibling) = (container.newContext(), container.newContext())
            let (ann, bob) = (context.makeCustomer("Ann"), context.makeCustomer("Bob"))
            try context.save()
            ann.partner = bob
            context.processPendingChanges()
            try delete(bob, by: sibling)
            context.mergePending()
            #expect(bob.isDeleted && ann.partner == nil)
            try context.save()
        }
    }

    @Test(arguments: [false, true])
    func `a required to-one is a validation error that names it`(_ isNew: Bool) throws {
        try withContexts { context, sibling in
            let (node, other) = (Node(in: context), Node(in: context))
            let part = isNew ? Part(in: context, node: node) : Part(in: context, node: other)
            if isNew { context.delete(part) }
            try context.save()
            let member = isNew ? Part(in: context, node: node) : part
            member.node = node
            context.processPendingChanges()
            try delete(node, by: sibling)
            context.mergePending()
            #expect(!member.isDeleted, "no cascade follows an unsaved link")
            for _ in 0..<3 {
                let error = #expect(throws: ValidationError.self) { try context.save() }
                #expect(error?.code == .missing && error?.property == "node")
                #expect(error?.objectID == member.objectID)
            }
            member.node = other
            try context.save()
            #expect(Array(other.parts) == [member])
        }
    }

    @Test func `no undo restores it, nor does a redo, and the clearing itself is not undone`()
        throws
    {
        try withContexts { context, sibling in
            let (box, node) = (Box(in: context), Node(in: context))
            try context.save()
            context.undoManager = ContextUndoManager()
            node.label = "changed"
            context.processPendingChanges()
            node.box = box
            context.processPendingChanges()
            context.undo()
            context.redo()
            #expect(node.box == box)
            try delete(box, by: sibling)
            context.mergePending()
            #expect(node.box == nil)
            context.undo()
            #expect(node.box == nil && node.label == "changed")
            context.undo()
            #expect(node.label == "", "the clearing was no group of its own")
            for _ in 0..<2 {
                context.redo()
                #expect(node.box == nil)
            }
            #expect(node.label == "changed")
            try context.save()
        }
    }

    @Test(arguments: policies)
    func `an object with unsaved values keeps its links until its conflict is decided`(
        _ policy: MergePolicy
    ) throws {
        try withContexts(Everything.model, policy) { context, sibling in
            let (box, node) = (Box(in: context), Node(in: context))
            try context.save()
            box.name = "changed"
            node.box = box
            context.processPendingChanges()
            try delete(box, by: sibling)
            _ = try context.fetch(Node.fetchRequest())
            #expect(!box.isDeleted && node.box == box)
            if policy == .error {
                #expect(throws: ConflictError.self) { try context.save() }
                context.refresh(box, mergeChanges: false)
            }
            try context.save()
            let lives = policy == .objectTrump || policy == .overwrite
            #expect(box.isDeleted == !lives)
            #expect(node.box == (lives ? box : nil))
        }
    }

    @Test(arguments: policies)
    func `a context that does not merge decides at its save`(_ policy: MergePolicy) throws {
        try withContexts(Shop.model, policy) { context, sibling in
            context.automaticallyMergesChangesFromParent = false
            let category = ShopModel.Category(in: context, name: "k")
            let product = Product(in: context, sku: "AB-1", kind: .toy, price: 1)
            try context.save()
            context.refreshAllObjects()
            product.category = category
            let controller = FetchedResultsController(
                Product.fetchRequest().sorted(by: Product.category.name), in: context,
                sectionedBy: Product.category.name)
            try delete(category, by: sibling)
            try controller.performFetch()
            let delegate = CallLog<Product> { $0.title }
            controller.delegate = delegate
            #expect(controller.fetchedObjects == [product])
            if policy == .error {
                for _ in 0..<3 {
                    let error = #expect(throws: ValidationError.self) { try context.save() }
                    #expect(error?.property == "category")
                    #expect(product.category == category)
                }
                context.mergePending()
            }
            try context.save()
            #expect(product.category == nil)
            #expect(!delegate.calls.isEmpty)
        }
    }

    // MARK: Children

    @Test func `a child clears its own links`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            try family.parent.save()
            let same: Box = try family.child.get(box.objectID)
            family.same.box = same
            family.child.processPendingChanges()
            let sibling = family.container.newContext()
            try delete(box, by: sibling)
            family.parent.mergePending()
            family.child.mergePending()
            #expect(same.isDeleted && family.same.box == nil)
            try family.child.save()
            try family.parent.save()
            #expect(family.child.invariantFaults() == [])
        }
    }

    @Test func `a child follows where its parent has cleared what it had saved`() throws {
        try withFamily { family in
            let box = Box(in: family.parent)
            try family.parent.save()
            family.same.box = try family.child.get(box.objectID)
            try family.child.save()
            #expect(family.node.box == box)
            try delete(box, by: family.container.newContext())
            family.parent.mergePending()
            #expect(family.node.box == nil)
            family.child.mergePending()
            #expect(family.same.box == nil)
            family.same.label = "changed"
            try family.child.save()
            try family.parent.save()
            #expect(family.child.invariantFaults() == [])
        }
    }
}
