import Cambium
import ExtendedModel
import Foundation
import Testing

struct ExtendedSnapshotTests {
    private func withPerson(
        on kind: StoreKind = .current,
        _ body: (ManagedObjectContext, ExtendedModel.Person) throws -> Void
    ) throws {
        try withContainer(Extended.model, on: kind) { container in
            let context = container.newContext()
            let person = ExtendedModel.Person(
                in: context, name: "Ann",
                home: Address(street: "High St", spot: Spot(latitude: 1.5, longitude: 2)),
                balance: 0.1, nicknames: ["A", "B"], size: Size(width: 1.25, height: 2))
            try body(context, person)
        }
    }

    @Test func `composite values, codables and exact decimals are read and set`() throws {
        try withPerson { _, person in
            var snapshot = person.snapshot
            #expect(snapshot.home == person.home)
            #expect(snapshot.office == nil)
            #expect(snapshot.nicknames == ["A", "B"])
            #expect(snapshot.size == Size(width: 1.25, height: 2))
            #expect(snapshot.balance == 0.1)
            snapshot.home.street = "Low St"
            snapshot.office = Address(street: "Work St")
            snapshot.nicknames.append("C")
            snapshot.balance = 7
            #expect(person.home.street == "High St")
            try person.update(from: snapshot)
            #expect(person.home.street == "Low St")
            #expect(person.home.spot == Spot(latitude: 1.5, longitude: 2))
            #expect(person.office == Address(street: "Work St"))
            #expect(person.nicknames == ["A", "B", "C"])
            #expect(person.balance == 7)
        }
    }

    @Test func `composite values nest in JSON, and codables are JSON of their own`() throws {
        try withPerson { context, person in
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let snapshot = person.snapshot
            let data = try encoder.encode(snapshot)
            let id = person.objectID.uri.replacingOccurrences(of: "/", with: "\\/")
            #expect(
                String(decoding: data, as: UTF8.self)
                    == #"{"balance":0.1,"home":{"spot":{"latitude":1.5,"longitude":2},"#
                    + #""street":"High St"},"name":"Ann","nicknames":["A","B"],"#
                    + #""objectID":"\#(id)","size":{"height":2,"width":1.25}}"#)
            #expect(
                try JSONDecoder().decode(ExtendedModel.Person.Snapshot.self, from: data) == snapshot
            )
        }
    }

    @Test func `a missing part of a composite value is an error with its path`() throws {
        let json = #"{"name": "Ann", "home": {"number": 1}}"#
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(ExtendedModel.Person.Snapshot.self, from: Data(json.utf8))
        }
        guard case .keyNotFound(let key, let context)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(key.stringValue == "street")
        #expect(context.codingPath.map(\.stringValue) == ["home"])
    }

    @Test(arguments: StoreKind.databases)
    func `a large value comes along`(kind: StoreKind) throws {
        try withPerson(on: kind) { context, person in
            let photo = Data(repeating: 7, count: 300_000)
            person.photo = photo
            try context.save()
            let snapshot = person.snapshot
            person.photo = Data([1])
            try context.save()
            #expect(snapshot.photo == photo)
            try person.update(from: snapshot)
            try context.save()
            #expect(person.photo == photo)
        }
    }

    @Test func `derived values are read, and not set`() throws {
        try withPerson { context, person in
            try context.save()
            let snapshot = person.snapshot
            #expect(snapshot.nameLength == 3)
            let copy = try ExtendedModel.Person(in: context, snapshot)
            copy.name = "Bertha"
            try context.save()
            #expect(copy.nameLength == 6)
        }
    }
}
