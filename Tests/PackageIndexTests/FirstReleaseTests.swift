import Foundation
import Testing

@testable import PackageIndex

@Suite struct FirstReleaseTests {
    @Test func `the first release has version 1 of the model exactly as it shipped`() throws {
        let models = URL(filePath: #filePath).appending(path: "../../../Models").standardized
        let first = try Data(
            contentsOf: models.appending(path: "FirstPackages/Packages.cambium/1.xml"))
        let shipped = try Data(
            contentsOf: models.appending(path: "Packages/Packages.cambium/1.xml"))
        #expect(first == shipped)
    }
}
