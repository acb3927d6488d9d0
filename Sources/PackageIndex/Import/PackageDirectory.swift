import Cambium
import PackagesModel

/// The sections and maintainers of a store by name. Missing ones are created.
struct PackageDirectory {
    private let context: ManagedObjectContext
    private var sections: [String: Section] = [:]
    private var maintainers: [Mailbox: Maintainer] = [:]

    init(_ context: ManagedObjectContext) throws {
        self.context = context
        for section in try context.fetch(Section.fetchRequest()) {
            sections[section.name] = section
        }
        for maintainer in try context.fetch(Maintainer.fetchRequest()) {
            maintainers[Mailbox(name: maintainer.name, email: maintainer.email)] = maintainer
        }
    }

    mutating func section(named name: String) -> Section {
        if let section = sections[name] { return section }
        let section = Section(in: context, name: name)
        sections[name] = section
        return section
    }

    mutating func maintainer(_ mailbox: Mailbox) -> Maintainer {
        if let maintainer = maintainers[mailbox] { return maintainer }
        let maintainer = Maintainer(in: context, name: mailbox.name)
        maintainer.email = mailbox.email
        maintainers[mailbox] = maintainer
        return maintainer
    }
}
