import CambiumRecords

// Parents and children.
extension ManagedObjectContext {
    /// A new context for a draft of changes to this one: it reads what this context shows, unsaved
    /// changes included, and its save makes its changes unsaved changes of this context, all of
    /// them or none. The stores hear of them when this context is saved.
    ///
    /// ```swift
    /// let draft = container.viewContext.newChildContext()
    /// let product = try draft.existingObject(with: id, as: Product.self)
    /// product.price = 12          // the view context shows the old price
    /// try draft.save()            // now it shows 12, unsaved
    /// try container.viewContext.save()
    /// ```
    ///
    /// A child belongs to the isolation of its parent, like the parent's objects, and ends its
    /// events with it. (Core Data's children may have a queue of their own, and block the parent's
    /// for each fetch. For work beside the main actor use a background context, a sibling.) It may
    /// have children itself.
    ///
    /// - Reading: a fetch of the child is a fetch of the parent, over which the child's own unsaved
    ///   changes are laid. The parent gets objects for what is read. An object that the child has
    ///   keeps its values until it is refreshed or a merge brings others.
    /// - Saving: changes are validated, `willSave()` and `didSave()` are called, and everything
    ///   that is told of a save is told of this one. Between the two there are no conflicts: of a
    ///   property that both have changed the parent takes the child's value, and the child takes over
    ///   what the parent has changed of other properties of the objects that it saves. Unique
    ///   constraints and merge policies act when the stores are written; what others saved and the
    ///   parent has merged, but the child has not, is a conflict of the parent's save then. Links to
    ///   what the parent has deleted meanwhile are cleared where they have an inverse. A change of
    ///   its values is an error, after which nothing has changed anywhere, and so is a link to it
    ///   without an inverse.
    /// - Identity: new objects keep their identity on the way up, and it is temporary
    ///   (``ObjectID/isTemporary``) until they are in a store.
    /// - Undoing: what a child saves can be undone in the parent like any other change.
    ///
    /// The child merges by hand unless ``automaticallyMergesChangesFromParent`` is set. It uses no
    /// row cache and no query generation of its own: it reads what its parent reads.
    public func newChildContext() -> ManagedObjectContext {
        let child = ManagedObjectContext(
            coordinator: coordinator, parent: self, mergesAutomatically: false, schedule: schedule)
        child.objectsAreObservable = objectsAreObservable
        children.removeAll { $0.context == nil }
        children.append(WeakContext(context: child))
        return child
    }

    var livingChildren: [ManagedObjectContext] { children.compactMap(\.context) }

    // MARK: Telling

    /// Lets the children know that what they have read is other now. They are told which rows, and
    /// read these again: an unsaved row has no version that tells which is newer.
    ///
    /// - Parameters:
    ///   - changeSets: What was saved or merged.
    ///   - objects: Objects that got other values otherwise, came or went.
    ///   - isComplete: Whether that is all; if not, anything may have changed.
    ///   - origin: The child that changed it.
    func tellChildren(
        _ changeSets: [ChangeSet], of objects: [ManagedObject] = [], isComplete: Bool = true,
        except origin: ManagedObjectContext? = nil
    ) {
        if children.isEmpty { return }
        let listeners = livingChildren.filter { $0 !== origin }
        guard !listeners.isEmpty else { return }
        let news =
            changeSets.map(\.withoutRows)
            + self.changeSets(of: entityChanges(of: objects), unsavedAmong: objects)
        for child in listeners {
            for changeSet in news where !changeSet.isEmpty {
                child.mailbox.post(changeSet)?()
            }
            if !isComplete { child.mailbox.postLoss()?() }
        }
    }

    private func entityChanges(of objects: [ManagedObject]) -> [EntityChanges] {
        var changes: [Int: EntityChanges] = [:]
        // What another object stands for now is not gone: children follow it by themselves.
        for object in objects where object.extras?.survivor == nil {
            let entity = object.entityDescription
            switch object.lifecycle {
            case .clean, .inserted, .updated:
                changes[entity.index, default: EntityChanges(entity: entity)].updated
                    .append(.anything(of: entity, object.key))
            case .deleted, .discarded, .gone:
                changes[entity.index, default: EntityChanges(entity: entity)].deleted
                    .append(object.key)
            }
        }
        return changes.sorted { $0.key < $1.key }.map(\.value)
    }

    /// Changes of several entities, by store, for those who take changes over.
    ///
    /// - Parameter objects: All that changed, among them those that no store has yet.
    func changeSets(
        of entities: [EntityChanges], unsavedAmong objects: [ManagedObject] = []
    ) -> [ChangeSet] {
        let number = coordinator.latestCommit
        let unsaved = Set(objects.filter(\.ownObjectID.isTemporary).map { RowIdentity($0) })
        let byStore = Dictionary(grouping: entities) {
            coordinator.storeIdentifier(ofRoot: $0.entity.rootIndex)
        }
        return byStore.map { store, entities in
            ChangeSet(
                number: number, origin: identifier, store: store, entities: entities,
                unsaved: unsaved)
        }
    }

    /// Begins to take over what came from the parent: what was read of relationships before is
    /// compared with this number.
    func startMerge() -> Int64 {
        mergedCommit += 1
        return mergedCommit
    }
}

/// A child as its parent knows it.
struct WeakContext {
    weak var context: ManagedObjectContext?
}

extension ChangeSet {
    /// The same changes, without the rows as they were saved.
    var withoutRows: ChangeSet {
        ChangeSet(
            number: number, origin: origin, store: store, entities: entities.map(\.withoutRows),
            unsaved: unsaved)
    }
}

extension EntityChanges {
    fileprivate var withoutRows: EntityChanges {
        var changes = self
        changes.inserted = inserted.map { InsertedRow(key: $0.key, placed: nil) }
        changes.updated = updated.map {
            UpdatedRow(key: $0.key, slots: $0.slots, links: $0.links, placed: nil)
        }
        return changes
    }
}
