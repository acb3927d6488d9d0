import Cambium
import EverythingModel
import Foundation
import Testing

struct KeyValueTests {
    private func withNode(_ body: (ManagedObjectContext, Node) throws -> Void) throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            try body(context, Node(in: context, label: "a", number: 3))
        }
    }

    @Test func `values are read and set by name`() throws {
        try withNode { _, node in
            #expect(try node.value(forKey: "label") == .string("a"))
            try node.setValue(.int(7), forKey: "number")
            #expect(node.number == 7)
        }
    }

    @Test func `an unknown name is an error that knows a nearer one`() throws {
        try withNode { _, node in
            let error = #expect(throws: StoreError.self) { try node.value(forKey: "lable") }
            #expect(error?.code == .unknownName)
            #expect(error?.message.contains("label") == true)
        }
    }

    @Test func `a value of another type is an error and changes nothing`() throws {
        try withNode { _, node in
            let error = #expect(throws: StoreError.self) {
                try node.setValue(.string("7"), forKey: "number")
            }
            #expect(error?.code == .invalidRequest)
            #expect(node.number == 3)
        }
    }

    @Test func `relationships are followed and set by name`() throws {
        try withNode { context, node in
            let box = Box(in: context)
            try node.setRelatedObject(box, forKey: "box")
            #expect(try node.relatedObject(forKey: "box") === box)
            #expect(try Array(box.relatedObjects(forKey: "nodes")) == [node])
        }
    }

    @Test func `an object of the wrong entity is refused by the next save`() throws {
        try withNode { context, node in
            try node.setRelatedObject(Topic(in: context), forKey: "box")
            #expect(node.box == nil)
            let error = #expect(throws: StoreError.self) { try context.save() }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func `an object is inserted by the name of its entity`() throws {
        try withNode { context, _ in
            let box = try context.insertObject(ofEntity: "Box")
            #expect(box is Box)
            #expect(throws: StoreError.self) { try context.insertObject(ofEntity: "Being") }
            #expect(throws: StoreError.self) { try context.insertObject(ofEntity: "Nothing") }
        }
    }

    @Test func `an enumeration takes its cases alone`() throws {
        try withContainer(Everything.model) { container in
            let context = container.newContext()
            let sample = Sample(in: context)
            try sample.setValue(.string("GREEN"), forKey: "colour")
            #expect(sample.colour == .green)
            for set in [Sample.setValue, Sample.setPrimitiveValue] {
                let error = #expect(throws: StoreError.self) {
                    try set(sample)(.string("blue"), "colour")
                }
                #expect(error?.message.contains("'red', 'GREEN'") == true)
            }
            #expect(throws: StoreError.self) { try sample.setValue(.int(3), forKey: "size") }
            #expect(sample.colour == .green && sample.size == .large)
        }
    }

    @Test func `a raw value without a case reads as the default, and the next save says so`() throws
    {
        try withStoreFile { path in
            let container = try PersistentContainer(model: Everything.model, at: .temporary(path))
            let context = container.newContext()
            let sample = Sample(in: context)
            sample.size = .small
            try context.save()
            try execute(#"UPDATE "Sample" SET "size" = 5, "colour" = 'blue'"#, in: path)
            let reader = try PersistentContainer(model: Everything.model, at: .temporary(path))
                .newContext()
            let same = try #require(try reader.fetch(Sample.fetchRequest()).first)
            #expect(same.size == .large && same.size == .large)
            #expect(same.colour == nil)
            let error = #expect(throws: StoreError.self) { try reader.save() }
            #expect(error?.code == .corrupt)
            #expect(error?.message.contains("size") == true)
            same.size = .small
            same.colour = .red
            try reader.save()
        }
    }

    @Test func `a relationship that is asked for as a value is told what to use`() throws {
        try withNode { _, node in
            let error = #expect(throws: StoreError.self) { try node.value(forKey: "box") }
            #expect(error?.message.contains("relatedObject(forKey:)") == true)
            let other = #expect(throws: StoreError.self) {
                try node.relatedObjects(forKey: "label")
            }
            #expect(other?.message.contains("value(forKey:)") == true)
        }
    }
}
