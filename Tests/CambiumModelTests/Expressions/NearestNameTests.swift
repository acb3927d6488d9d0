import CambiumModel
import Testing

@Suite struct NearestNameTests {
    @Test(arguments: [
        ("prise", "price"), ("pirce", "price"), ("Price", "price"), ("pric", "price"),
        ("categry", "category"), ("stokc", "stock"),
    ])
    func `a misspelt name is near to the right one`(_ name: String, _ expected: String) {
        #expect(nearestName(to: name, among: ["stock", "price", "category"]) == expected)
    }

    @Test(arguments: ["", "colour", "x", "priceless"])
    func `a name that is none of them is near to none`(_ name: String) {
        #expect(nearestName(to: name, among: ["stock", "price", "category"]) == nil)
    }

    @Test func `a single letter is near to itself only`() {
        #expect(nearestName(to: "a", among: ["b", "x"]) == nil)
        #expect(nearestName(to: "a", among: ["b", "A"]) == "A")
    }
}
