import Cambium
import PackagesModel
import Testing

/// Controllers whose conditions, orders and sections look at objects two relationships away.
struct RelatedPathTests {
    @Test func `differences follow what changes at any step of a path`() throws {
        try forEachSeed { seed in
            try withContainer(Packages.model) { container in
                var work = try PathWork(container, seed: seed)
                for step in 0..<60 {
                    let faults = try work.step()
                    try #require(
                        faults.isEmpty,
                        """
                        CAMBIUM_SEED=\(seed), step \(step): \(faults.joined(separator: "\n"))
                        \(work.log.suffix(12).joined(separator: "\n"))
                        """)
                }
            }
        }
    }

    @Test func `what only leads to a changed object is not told as changed`() throws {
        try withContainer(Packages.model) { container in
            let main = container.newContext()
            let net = Section(in: main, name: "net")
            for name in ["curl", "wget"] {
                let package = PathWork.insert(name, into: main)
                package.section = net
            }
            let controller = FetchedResultsController(
                Package.fetchRequest().sorted(
                    by: Package.section.name.ascending, Package.name.ascending), in: main)
            try controller.performFetch()
            let delegate = MirrorDelegate(controller)
            controller.delegate = delegate
            net.name = "network"
            main.processPendingChanges()
            #expect(delegate.told.isEmpty, "all packages have the place that they had")
        }
    }
}

/// Two contexts that change sections, packages and dependencies.
struct PathWork {
    private(set) var log: [String] = []
    private var generator: SeededGenerator
    private let contexts: [ManagedObjectContext]
    private var followed: [FollowedController<Dependency>] = []
    /// The dependencies that may have changed themselves, by context; a save tells the others.
    private var touched: Set<ObjectID> = []
    private var unsaved: Set<ObjectID> = []

    init(_ container: PersistentContainer, seed: UInt64) throws {
        generator = SeededGenerator(seed: seed)
        contexts = (0..<2).map { _ in
            let context = container.newContext()
            context.automaticallyMergesChangesFromParent = true
            return context
        }
        let main = contexts[0]
        let sections = ["admin", "libs", "net"].map { Section(in: main, name: $0) }
        let packages = ["bash", "curl", "libc6", "wget"].map { Self.insert($0, into: main) }
        for package in packages { package.section = sections.randomElement(using: &generator) }
        for (clause, package) in (packages + packages).enumerated() {
            let dependency = Dependency(
                in: main, kind: .depends, clause: Int32(clause), alternative: 0, name: "any",
                dependent: package)
            dependency.target = packages.randomElement(using: &generator)
        }
        try main.save()
        let request = Dependency.fetchRequest()
        let bySection = request.sorted(
            by: Dependency.dependent.section.name.ascending, Dependency.clause.ascending)
        func follow(
            _ controller: FetchedResultsController<Dependency>,
            _ name: @escaping (Dependency) -> String = { _ in "" }
        ) throws -> FollowedController<Dependency> {
            try FollowedController(controller, sectionName: name) { dependency in
                "\(dependency.name) \(dependency.target?.objectID.description ?? "")"
            }
        }
        followed = [
            try follow(FetchedResultsController(bySection, in: main)),
            try follow(
                FetchedResultsController(
                    bySection.filter(Dependency.target.section.name < "m"), in: main)),
            try follow(
                FetchedResultsController(
                    request.filter(Dependency.target.stars > 1).sorted(by: Dependency.clause),
                    in: main, sectionedBy: Dependency.dependent.section.name)
            ) { $0.dependent.section?.name ?? "" },
        ]
    }

    static func insert(_ name: String, into context: ManagedObjectContext) -> Package {
        Package(
            in: context, name: name, version: "1", architecture: "amd64", source: name,
            priority: .optional)
    }

    mutating func step() throws -> [String] {
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            let isMain = generator.chance(0.5)
            let context = contexts[isMain ? 0 : 1]
            log.append(isMain ? "main:" : "sibling:")
            do {
                try change(context, isMain)
            } catch {
                log.append("failed: \(error)")
                if isMain { touched.formUnion(context.updatedObjects.map(\.objectID)) }
                context.rollback()
            }
        }
        _ = try contexts[0].count(for: Dependency.fetchRequest())  // merges and processes
        let looks = generator.chance(0.2)
        let faults = try followed.enumerated().flatMap { index, followed in
            try followed.faults(touched: touched, looks: looks).map { "list \(index): \($0)" }
        }
        touched = []
        return faults
    }

    private mutating func pick<Entity: ManagedObject>(
        _ request: FetchRequest<Entity>, in context: ManagedObjectContext
    ) throws -> Entity? {
        try context.fetch(request).randomElement(using: &generator)
    }

    private mutating func change(_ context: ManagedObjectContext, _ isMain: Bool) throws {
        guard let section = try pick(Section.fetchRequest(), in: context),
            let package = try pick(Package.fetchRequest(), in: context),
            let dependency = try pick(Dependency.fetchRequest(), in: context)
        else { return }
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<3:
            // The names stay unique.
            let number = Int.random(in: 0..<1000, using: &generator)
            section.name = (generator.chance(0.5) ? "a" : "z") + "\(number)"
            log.append("\(section.objectID) is \(section.name)")
        case 3..<5:
            package.section = generator.chance(0.2) ? nil : section
            log.append("\(package.objectID) to \(package.section?.objectID.description ?? "none")")
        case 5..<7:
            package.stars = Int32.random(in: 0..<4, using: &generator)
            log.append("\(package.objectID) has \(package.stars)")
        case 7..<9:
            dependency.target = generator.chance(0.2) ? nil : package
            touched.insert(dependency.objectID)
            if !isMain { unsaved.insert(dependency.objectID) }
            log.append("\(dependency.objectID) targets \(package.objectID)")
        case 9:
            log.append("roll back")
            if isMain {
                touched.formUnion(context.updatedObjects.map(\.objectID))
            } else {
                unsaved = []
            }
            context.rollback()
        default:
            log.append("save")
            try context.save()
            if !isMain {
                touched.formUnion(unsaved)
                unsaved = []
            }
        }
    }
}
