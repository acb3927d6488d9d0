import CompilerTestSupport
import Foundation
import Testing

@testable import CambiumCompiler

/// Every line that a finding about a migration says to write puts it right when it is pasted.
struct PastedFixTests {
    /// Pastes what the notes say, one after the other.
    ///
    /// - Returns: How many said to write something.
    private func pasteAll(_ files: [String: Data], _ name: String) throws -> Int {
        let folder = try BundleFolder(
            files.mapValues { String(decoding: $0, as: UTF8.self) })
        let before = ModelCompiler.compile(folder.bundle.path).diagnostics
        let (bundle, _) = BundleReader.read(folder.bundle.path)
        guard let current = bundle.chain.last else { return 0 }
        let previous = bundle.chain.dropLast().last?.version
        let file = folder.bundle.appendingPathComponent("\(current.version).xml")
        let errors = Set(before.filter(\.isError).map(\.message))
        var pasted = 0
        for diagnostic in before where diagnostic.isAboutMigration {
            guard diagnostic.position.path == file.path else { continue }
            for note in diagnostic.notes {
                let fix = try NotedFix(note, of: diagnostic, in: current, after: previous)
                guard fix.isPasted else { continue }
                pasted += 1
                try Data(fix.file.utf8).write(to: file)
                let after = ModelCompiler.compile(folder.bundle.path).diagnostics
                // Which values a pattern is for its author knows.
                let isGone =
                    note.contains("TERNARY(…")
                    || !after.contains {
                        $0.code == diagnostic.code && $0.message == diagnostic.message
                    }
                let caused = after.filter { $0.isError && !errors.contains($0.message) }
                #expect(
                    isGone && caused.isEmpty,
                    """
                    \(name): \(diagnostic.message)
                    \(note)
                    \(isGone ? "" : "comes back") \(caused.map(\.rendered))
                    \(fix.file)
                    """)
            }
        }
        return pasted
    }

    private static let cases = DiagnosticCaseTests.cases.filter {
        $0.hasPrefix("CM7") || $0.hasPrefix("LQ")
    }

    @Test(arguments: Corpus.sample(cases, oneIn: 4, full: 1))
    func `what the notes of the examples say puts them right`(name: String) throws {
        let bundle = DiagnosticCaseTests.folder.appendingPathComponent("\(name)/fail/Shop.cambium")
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: bundle.path) else {
            return
        }
        let contents = try files.map {
            ($0, try Data(contentsOf: bundle.appendingPathComponent($0)))
        }
        _ = try pasteAll(Dictionary(uniqueKeysWithValues: contents), name)
    }

    @Test(arguments: Corpus.sample(Undecided.allCases, oneIn: 4, full: 1))
    func `what the notes of what is undecided say puts it right`(example: Undecided) throws {
        func version(_ number: Int, _ body: String) -> Data {
            Data(
                "<model xmlns='urn:cambium:model:1' name='Shop' version='\(number)'>\(body)</model>"
                    .utf8)
        }
        let (first, second) = example.versions
        let pasted = try pasteAll(
            ["1.xml": version(1, first), "2.xml": version(2, second)], "\(example)")
        #expect(pasted > 0)
    }

    /// What two versions can leave open.
    enum Undecided: CaseIterable {
        case partGone, partRenamed, partRequired, partInComposite, partOfPart, valueMoved
        case typeChanged, typeOfPartChanged, linkForValue, valueForLink, becomesDerived
        case otherDestination, otherRequiredDestination, fewerAtBothEnds, requiredFromMany
        case otherDestinationWithInverse, otherDestinationOfMany
        case requiredOneToOne, requiredInFamily, goneBelow, destinationDropped, newEntityName
        case derivedStored, typeOfRenamedChanged, limitsMoved

        var versions: (String, String) {
            let size = #"<attribute name="width" type="int32"/>"#
            let depth = #"<attribute name="depth" type="int32" optional="true"/>"#
            func composite(_ parts: String) -> String {
                #"<composite name="Size">\#(parts)</composite>"#
                    + #"<entity name="A"><attribute name="size" type="Size"/></entity>"#
            }
            func a(_ properties: String, _ more: String = "") -> String {
                #"<entity name="A"><attribute name="key" type="int32"/>\#(properties)</entity>"#
                    + more
            }
            let b = #"<entity name="B"><attribute name="name" type="string"/></entity>"#
            let c = #"<entity name="C"><attribute name="name" type="string"/></entity>"#
            func ends(_ a: String, _ b: String) -> String {
                #"<entity name="A"><relationship name="bs" to="B" inverse="as" \#(a)/></entity>"#
                    + #"<entity name="B"><relationship name="as" to="A" inverse="bs" \#(b)/></entity>"#
            }
            let many = #"many="true""#
            let optional = #"optional="true""#
            switch self {
            case .partGone: return (composite(size + depth), composite(size))
            case .partRenamed:
                return (
                    composite(size + depth),
                    composite(size + depth.replacing("depth", with: "length"))
                )
            case .partRequired:
                return (
                    composite(size + depth),
                    composite(size + #"<attribute name="depth" type="int32"/>"#)
                )
            case .partInComposite:
                return (
                    a(#"<attribute name="width" type="int32"/>"#),
                    #"<composite name="Size">\#(size)</composite>"#
                        + a(#"<attribute name="size" type="Size"/>"#)
                )
            case .partOfPart:
                func nested(_ parts: String) -> String {
                    #"<composite name="Edge">\#(parts)</composite><composite name="Size">"#
                        + #"<attribute name="edge" type="Edge"/></composite>"#
                        + #"<entity name="A"><attribute name="size" type="Size"/></entity>"#
                }
                return (
                    nested(size + depth),
                    nested(size + #"<attribute name="depth" type="int32"/>"#)
                )
            case .valueMoved:
                return (
                    #"<entity name="P"/><entity name="A" parent="P"><attribute name="key" type="int32"/></entity>"#,
                    #"<entity name="P"/><entity name="A" parent="P"><attribute name="number" type="int32"/></entity>"#
                )
            case .typeChanged:
                return (
                    a(#"<attribute name="x" type="date"/>"#),
                    a(
                        #"<attribute name="x" type="uuid" optional="true"/><attribute name="y" type="bool"/>"#
                    )
                )
            case .typeOfPartChanged:
                return (
                    composite(size + depth.replacing("int32", with: "date")),
                    composite(size + depth.replacing("int32", with: "bool"))
                )
            case .linkForValue:
                return (
                    a(#"<attribute name="x" type="int32"/>"#, b),
                    a(#"<relationship name="x" to="B" optional="true"/>"#, b)
                )
            case .valueForLink:
                return (
                    a(#"<relationship name="x" to="B" optional="true"/>"#, b),
                    a(#"<attribute name="x" type="int32"/>"#, b)
                )
            case .becomesDerived:
                return (
                    a(#"<attribute name="x" type="int32" optional="true"/>"#),
                    a(#"<derived name="x" type="int32" optional="true" expression="key + 1"/>"#)
                )
            case .otherDestination:
                return (
                    a(#"<relationship name="x" to="B" optional="true"/>"#, b + c),
                    a(#"<relationship name="x" to="C" optional="true"/>"#, b + c)
                )
            case .otherRequiredDestination:
                return (
                    a(#"<relationship name="x" to="B"/>"#, b + c),
                    a(#"<relationship name="x" to="C"/>"#, b + c)
                )
            case .otherDestinationWithInverse, .otherDestinationOfMany:
                let x = self == .otherDestinationOfMany ? many : optional
                func led(to name: String) -> String {
                    [b, c].map { entity in
                        let back = #"<relationship name="as" to="A" inverse="x" many="true"/>"#
                        return entity.contains(#""\#(name)""#)
                            ? entity.replacing("</entity>", with: back + "</entity>") : entity
                    }.joined()
                }
                func way(_ name: String) -> String {
                    a(
                        #"<relationship name="x" to="\#(name)" inverse="as" \#(x)/>"#,
                        led(to: name))
                }
                return (way("B"), way("C"))
            case .fewerAtBothEnds: return (ends(many, many), ends(optional, optional))
            case .requiredFromMany: return (ends(many, many), ends("", many))
            case .requiredOneToOne: return (ends(optional, optional), ends(optional, ""))
            case .requiredInFamily:
                func family(_ rest: String) -> String {
                    #"<entity name="P"><relationship name="x" to="B"\#(rest)/></entity>"#
                        + #"<entity name="A" parent="P"/>"# + b
                }
                return (family(#" optional="true""#), family(""))
            case .goneBelow:
                return (
                    #"<entity name="P"><attribute name="x" type="int32"/></entity><entity name="A" parent="P"/>"#,
                    #"<entity name="P"><attribute name="x" type="int32"/></entity><entity name="A"/>"#
                )
            case .destinationDropped:
                return (
                    a(
                        #"<relationship name="x" to="B"/>"#,
                        b + #"<entity name="S" parent="B"/>"#),
                    a(
                        #"<relationship name="x" to="B"/>"#,
                        b + #"<migration from="1"><drop entity="S" reason="gone"/></migration>"#)
                )
            case .derivedStored:
                let name = #"<attribute name="name" type="string"/>"#
                return (
                    a(name + #"<derived name="x" type="string" expression="canonical:(name)"/>"#),
                    a(name + #"<attribute name="x" type="string"/>"#)
                )
            case .typeOfRenamedChanged:
                return (
                    a(#"<attribute name="x" type="date"/>"#),
                    a(#"<attribute name="y" type="string" renamedFrom="x"/>"#)
                )
            case .limitsMoved:
                let sku = #"<attribute name="sku" type="string"/>"#
                return (
                    #"<entity name="A">\#(sku)</entity>"#,
                    #"<entity name="P" abstract="true">"#
                        + sku.replacing("/>", with: #" maxLength="4"/>"#)
                        + #"</entity><entity name="A" parent="P"/>"#
                )
            case .newEntityName:
                return (
                    #"<entity name="P"/>"# + b,
                    #"<entity name="P"/><entity name="Brand" parent="P" hashModifier="x"><attribute name="name" type="string"/></entity>"#
                )
            }
        }
    }
}

extension Diagnostic {
    /// Whether it is about a step between two versions.
    fileprivate var isAboutMigration: Bool {
        code.name.hasPrefix("CM7") || code.name.hasPrefix("LQ")
    }
}
