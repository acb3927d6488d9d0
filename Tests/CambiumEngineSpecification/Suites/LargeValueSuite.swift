import Cambium
import Foundation
import Testing

extension EngineSuite {
    /// Data that may be kept elsewhere than in rows comes back as any other value does.
    package static let largeValues = EngineSuite("large values") {
        EngineCase("data of every size comes back") { engine in
            try engine.withStore(Album.model) { store in
                let context = store.container.newContext()
                let sizes = [0, 1, 102_399, 102_400, 102_401, 1 << 20, 5 << 20]
                for size in sizes {
                    let film = try context.make("Film", ["name": "\(size)"])
                    film[data: "image"] = data(size, 1)
                    film[data: "sound"] = data(size, 2)
                }
                try context.save()
                func expect(_ context: ManagedObjectContext) throws {
                    for film in try context.all("Film") {
                        let size = Int(film["name"]) ?? -1
                        #expect(film[data: "image"] == data(size, 1), "\(size)")
                        #expect(film[data: "sound"] == data(size, 2), "\(size)")
                        #expect(film[data: "preview"] == nil)
                    }
                }
                try expect(context)
                try store.read(expect)
            }
        }

        EngineCase("a value is replaced and taken away") { engine in
            try engine.withContainer(Album.model) { container in
                let context = container.newContext()
                let photo = try context.make("Photo")
                let values = [
                    data(200_000, 1), data(300_000, 2), data(5, 3), data(200_000, 4), nil,
                ]
                for value in values {
                    photo[data: "image"] = value
                    photo[data: "preview"] = data(150_000, 9)
                    try context.save()
                    let reader = container.newContext()
                    let read = reader.object(with: photo.objectID)
                    #expect(read[data: "image"] == value)
                    #expect(read[data: "preview"] == data(150_000, 9))
                    #expect(photo[data: "image"] == value)
                }
            }
        }

        EngineCase("a change of something else leaves it as it is") { engine in
            try engine.withContainer(Album.model) { container in
                let context = container.newContext()
                let photo = try context.make("Film", ["name": "one"])
                photo[data: "image"] = data(200_000, 1)
                try context.save()
                let other = container.newContext()
                let same = other.object(with: photo.objectID)
                same["name"] = "two"
                same[data: "sound"] = data(200_000, 2)
                try other.save()
                context.refreshAllObjects()
                #expect(photo["name"] == "two")
                #expect(photo[data: "image"] == data(200_000, 1))
                #expect(photo[data: "sound"] == data(200_000, 2))
            }
        }

        EngineCase("who has read the row before sees the value that others set") { engine in
            try engine.withContainer(Album.model) { container in
                let (ours, theirs) = (container.newContext(), container.newContext())
                let photo = try ours.make("Photo")
                photo[data: "image"] = data(200_000, 1)
                try ours.save()
                let same = theirs.object(with: photo.objectID)
                #expect(same["name"] == "")
                photo[data: "image"] = data(200_000, 2)
                try ours.save()
                let seen = same[data: "image"]
                // The former value, or the one that replaced it; never none.
                #expect(seen == data(200_000, 1) || seen == data(200_000, 2))
            }
        }

        EngineCase("a conflict is decided for large values, too") { engine in
            for (policy, expected) in [(MergePolicy.objectTrump, 2), (.storeTrump, 1)] {
                try engine.withContainer(Album.model) { container in
                    let (ours, theirs) = (container.newContext(), container.newContext())
                    let photo = try ours.make("Photo")
                    photo[data: "image"] = data(200_000, 0)
                    try ours.save()
                    let same = theirs.object(with: photo.objectID)
                    #expect(same[data: "image"] == data(200_000, 0))
                    photo[data: "image"] = data(200_000, 1)
                    photo[data: "preview"] = data(200_000, 7)
                    try ours.save()
                    same[data: "image"] = data(200_000, 2)
                    theirs.mergePolicy = policy
                    try theirs.save()
                    for context in [theirs, container.newContext()] {
                        let read = context.object(with: photo.objectID)
                        #expect(read[data: "image"] == data(200_000, expected))
                        #expect(read[data: "preview"] == data(200_000, 7))
                    }
                }
            }
        }

        EngineCase("objects that exchange unique values keep theirs") { engine in
            try engine.withContainer(Album.model) { container in
                let context = container.newContext()
                let photos = try (0..<3).map { number in
                    let photo = try context.make("Photo", ["code": "\(number)"])
                    photo[data: "image"] = data(200_000, number)
                    return photo
                }
                try context.save()
                for (number, photo) in photos.enumerated() {
                    photo["code"] = "\((number + 1) % 3)"
                }
                photos[0][data: "image"] = data(200_000, 8)
                try context.save()
                let reader = container.newContext()
                for (number, photo) in photos.enumerated() {
                    let read = reader.object(with: photo.objectID)
                    #expect(read[data: "image"] == data(200_000, number == 0 ? 8 : number))
                }
            }
        }

        EngineCase("a save that fails leaves the value as it was") { engine in
            try engine.withContainer(Album.model) { container in
                let context = container.newContext()
                let photo = try context.make("Photo", ["code": "1"])
                photo[data: "image"] = data(200_000, 1)
                try context.save()
                photo[data: "image"] = data(200_000, 2)
                _ = try context.make("Photo", ["code": "1"])
                #expect(throws: ConstraintConflictError.self) { try context.save() }
                let reader = container.newContext()
                #expect(reader.object(with: photo.objectID)[data: "image"] == data(200_000, 1))
                #expect(photo[data: "image"] == data(200_000, 2))
            }
        }

        EngineCase("many are saved, and deleted, at once") { engine in
            try engine.withContainer(Album.model) { container in
                let context = container.newContext()
                for number in 0..<40 {
                    let photo = try context.make("Photo", ["name": "\(number)"])
                    photo[data: "image"] = data(1 << 20, number)
                }
                try context.save()
                let reader = container.newContext()
                let photos = try reader.all("Photo")
                #expect(photos.count == 40)
                for photo in photos {
                    #expect(photo[data: "image"] == data(1 << 20, Int(photo["name"]) ?? -1))
                    reader.delete(photo)
                }
                try reader.save()
                #expect(try container.newContext().all("Photo").isEmpty)
            }
        }

        EngineCase("who reads the store as it was reads the value that it had") { engine in
            guard try EngineCapability.generations.isOffered(by: engine) else { return }
            try engine.withContainer(Album.model) { container in
                let (past, other) = (container.newContext(), container.newContext())
                let photo = try other.make("Photo")
                photo[data: "image"] = data(200_000, 1)
                try other.save()
                try past.setQueryGeneration(.current)
                #expect(try past.all("Photo").count == 1)
                photo[data: "image"] = data(200_000, 2)
                try other.save()
                let child = past.newChildContext()
                #expect(child.object(with: photo.objectID)[data: "image"] == data(200_000, 1))
                #expect(past.object(with: photo.objectID)[data: "image"] == data(200_000, 1))
                try past.setQueryGeneration(.unpinned)
                past.refreshAllObjects()
                #expect(past.object(with: photo.objectID)[data: "image"] == data(200_000, 2))
            }
        }

        EngineCase("batch operations write them") { engine in
            guard try EngineCapability.batches.isOffered(by: engine) else { return }
            try engine.withContainer(Album.model) { container in
                let context = container.newContext()
                try context.execute(
                    BatchInsertRequest<ManagedObject>(
                        entityName: "Photo",
                        objects: (0..<5).map {
                            ["name": .string("\($0)"), "image": .data(data(200_000, $0))]
                        }))
                for photo in try context.all("Photo") {
                    #expect(photo[data: "image"] == data(200_000, Int(photo["name"]) ?? -1))
                }
                try context.execute(
                    BatchUpdateRequest<ManagedObject>(entityName: "Photo")
                        .setValue(.data(data(300_000, 9)), forKey: "image"))
                let reader = container.newContext()
                for photo in try reader.all("Photo") {
                    #expect(photo[data: "image"] == data(300_000, 9))
                }
                try context.execute(BatchDeleteRequest<ManagedObject>(entityName: "Photo"))
                #expect(try container.newContext().all("Photo").isEmpty)
            }
        }
    }
}

/// So many bytes, which others of the same number have not.
private func data(_ count: Int, _ seed: Int) -> Data {
    var data = Data(repeating: UInt8(truncatingIfNeeded: seed &* 7), count: count)
    for place in stride(from: 0, to: count, by: 4_001) {
        data[place] = UInt8(truncatingIfNeeded: place &* 31)
    }
    return data
}
