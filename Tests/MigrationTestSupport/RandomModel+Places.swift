import CambiumModel

// Changes of composite values: they are added, dropped and renamed, and a part of them is filled.
extension RandomModel {
    /// A composite value.
    struct Place {
        let id: String
        var name: String
        var isOptional = true
        /// Whether all its parts are optional. Such a value is always optional itself.
        var isLoose = false
        var from: String?

        /// Its type.
        var composite: Composite { isLoose ? RandomModel.mark : RandomModel.place }
    }

    mutating func place() -> Place {
        let name = self.name("c")
        let isLoose = random.next(3) == 0
        return Place(
            id: name, name: name, isOptional: isLoose || random.next(2) == 0, isLoose: isLoose)
    }

    mutating func changePlaces() {
        let index = random.next(kinds.count)
        guard !kinds[index].places.isEmpty, random.next(3) > 0 else {
            let place = self.place()
            kinds[index].places.append(place)
            if !place.isOptional { fillStreet(of: place.name, in: kinds[index].name) }
            if place.isLoose { fillNumber(of: place.name, in: kinds[index].name) }
            return
        }
        let number = random.next(kinds[index].places.count)
        let place = kinds[index].places[number]
        switch random.next(3) {
        case 0:
            kinds[index].places.remove(at: number)
            if let kind = oldName(of: kinds[index]) {
                drops.append(
                    .init(entity: kind, property: place.from ?? place.name, reason: "test"))
            }
        case 1:
            kinds[index].places[number].name = name("c")
            kinds[index].places[number].from = place.from ?? place.name
            fills.removeAll { $0.attribute.hasPrefix(place.name + ".") }
            if !place.isOptional {
                fillStreet(of: kinds[index].places[number].name, in: kinds[index].name)
            }
        case _ where place.isLoose:
            fillNumber(of: place.name, in: kinds[index].name)
            if random.next(2) == 0 { fillStreet(of: place.name, in: kinds[index].name) }
        default:
            kinds[index].places[number].isOptional.toggle()
            if place.isOptional {
                fillStreet(of: place.name, in: kinds[index].name)
            } else {
                fillNumber(of: place.name, in: kinds[index].name)
            }
        }
    }

    private mutating func fillStreet(of place: String, in kind: String) {
        fill("\(place).street", in: kind, with: .string("High St"))
    }

    private mutating func fillNumber(of place: String, in kind: String) {
        fill("\(place).number", in: kind, with: .int(7))
    }

    private mutating func fill(_ part: String, in kind: String, with value: Value) {
        guard !fills.contains(where: { $0.entity == kind && $0.attribute == part }) else { return }
        fills.append(.init(entity: kind, attribute: part, value: .literal(value)))
    }

    // MARK: The types

    static let spot = Composite(
        name: "Spot",
        attributes: [
            Attribute(name: "latitude", type: .double), Attribute(name: "longitude", type: .double),
        ])

    static let place = composite("Place", needsStreet: true)

    static let mark = composite("Mark", needsStreet: false)

    private static func composite(_ name: String, needsStreet: Bool) -> Composite {
        Composite(
            name: name,
            attributes: [
                Attribute(name: "street", type: .string, isOptional: !needsStreet),
                Attribute(name: "number", type: .int32, isOptional: true),
                Attribute(name: "spot.latitude", type: .double, isOptional: true),
                Attribute(name: "spot.longitude", type: .double, isOptional: true),
            ],
            compositeAttributes: [
                CompositeAttribute(name: "spot", composite: "Spot", isOptional: true)
            ])
    }

    func parts(of place: Place) -> [Attribute] {
        place.composite.attributes.map {
            Attribute(
                name: "\(place.name).\($0.name)", type: $0.type,
                isOptional: $0.isOptional || place.isOptional)
        }
    }
}
