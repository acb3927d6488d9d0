import Cambium

/// The work through Cambium. Each function prepares its data, and times the same part of the work
/// as the C side. Every read starts in a new context, and objects are released after the
/// measurement.
extension CambiumColumn {
    static var filtered: FetchRequest<Employee> {
        Employee.fetchRequest()
            .filter(
                Employee.salary > Workload.salaryFloor && Employee.age < Int16(Workload.ageCeiling))
    }

    func insert(_ stopwatch: inout Stopwatch, in container: PersistentContainer) throws -> Checksum
    {
        let context = container.newContext()
        let departments = try Self.departments(in: context)
        try stopwatch.time {
            for values in dataset.employees {
                let employee = Employee(
                    in: context, name: values.name, email: values.email, salary: values.salary,
                    age: values.age, isActive: values.isActive,
                    hiredAt: Date(timeIntervalSinceReferenceDate: values.hiredAt))
                employee.department = departments[values.department - 1]
                employee.note = values.note
            }
            try context.save()
        }
        return Checksum()
    }

    func insertIndexed(
        _ stopwatch: inout Stopwatch, in container: PersistentContainer
    ) throws -> Checksum {
        let context = container.newContext()
        let departments = try context.fetch(IndexedDepartment.fetchRequest())
            .sorted { Self.number(of: $0.name) < Self.number(of: $1.name) }
        try stopwatch.time {
            for values in dataset.employees {
                let employee = IndexedEmployee(
                    in: context, name: values.name, email: values.email, salary: values.salary,
                    age: values.age, isActive: values.isActive,
                    hiredAt: Date(timeIntervalSinceReferenceDate: values.hiredAt))
                employee.department = departments[values.department - 1]
                employee.note = values.note
            }
            try context.save()
        }
        return Checksum()
    }

    func insertBatch(
        _ stopwatch: inout Stopwatch, in container: PersistentContainer
    ) throws -> Checksum {
        let context = container.newContext()
        let departments = try Self.departments(in: context)
        try stopwatch.time {
            let request = BatchInsertRequest<Employee>(dataset.employees) { employee, values in
                employee.name = values.name
                employee.email = values.email
                employee.salary = values.salary
                employee.age = values.age
                employee.isActive = values.isActive
                employee.hiredAt = Date(timeIntervalSinceReferenceDate: values.hiredAt)
                employee.department = departments[values.department - 1]
                employee.note = values.note
            }
            try context.execute(request)
        }
        return Checksum()
    }

    func scan(_ stopwatch: inout Stopwatch, in container: PersistentContainer) throws -> Checksum {
        let context = container.newContext()
        var checksum = Checksum()
        let employees = try stopwatch.time {
            let employees = try context.fetch(Employee.fetchRequest())
            for employee in employees { Self.touch(employee, &checksum) }
            return employees
        }
        return withExtendedLifetime(employees) { checksum }
    }

    func fetch(_ stopwatch: inout Stopwatch, in container: PersistentContainer) throws -> Checksum {
        let context = container.newContext()
        let employees = try stopwatch.time { try context.fetch(Employee.fetchRequest()) }
        return Self.checksum(ofRows: employees.count)
    }

    /// The context has every object and its values already.
    func refetch(
        _ stopwatch: inout Stopwatch, in container: PersistentContainer
    ) throws -> Checksum {
        let context = container.newContext()
        let known = try context.fetch(Employee.fetchRequest())
        let employees = try stopwatch.time { try context.fetch(Employee.fetchRequest()) }
        return withExtendedLifetime(known) { Self.checksum(ofRows: employees.count) }
    }

    private static func checksum(ofRows count: Int) -> Checksum {
        var checksum = Checksum()
        checksum.rows = Int64(count)
        return checksum
    }

    func filter(_ stopwatch: inout Stopwatch, in container: PersistentContainer) throws -> Checksum
    {
        let context = container.newContext()
        var checksum = Checksum()
        let employees = try stopwatch.time {
            let employees = try context.fetch(
                Self.filtered.sorted(by: Employee.name).limit(Workload.filterLimit))
            for employee in employees { Self.touch(employee, &checksum) }
            return employees
        }
        return withExtendedLifetime(employees) { checksum }
    }

    func count(_ stopwatch: inout Stopwatch, in container: PersistentContainer) throws -> Checksum {
        let context = container.newContext()
        var checksum = Checksum()
        checksum.rows = Int64(try stopwatch.time { try context.count(for: Self.filtered) })
        return checksum
    }

    func traverse(
        _ stopwatch: inout Stopwatch, in container: PersistentContainer
    ) throws -> Checksum {
        let context = container.newContext()
        let departments = try Self.departments(in: context)
        var checksum = Checksum()
        stopwatch.time { Self.touchEmployees(of: departments, &checksum) }
        return withExtendedLifetime(context) { checksum }
    }

    /// The fetch of the departments is included in the time, because it reads the employees.
    func prefetch(
        _ stopwatch: inout Stopwatch, in container: PersistentContainer
    ) throws -> Checksum {
        let context = container.newContext()
        var checksum = Checksum()
        try stopwatch.time {
            let departments = try Self.departments(
                in: context, Department.fetchRequest().prefetching(Department.employees))
            Self.touchEmployees(of: departments, &checksum)
        }
        return withExtendedLifetime(context) { checksum }
    }

    private static func touchEmployees(of departments: [Department], _ checksum: inout Checksum) {
        for (index, department) in departments.enumerated() {
            var part = Checksum()
            for employee in department.employees { touch(employee, &part) }
            checksum.add(part, weight: index + 1)
        }
    }

    func update(_ stopwatch: inout Stopwatch, in container: PersistentContainer) throws -> Checksum
    {
        let context = container.newContext()
        let employees = try context.fetch(Employee.fetchRequest())
        try stopwatch.time {
            for employee in employees { employee.salary += 1 }
            try context.save()
        }
        return Checksum()
    }

    func delete(_ stopwatch: inout Stopwatch, in container: PersistentContainer) throws -> Checksum
    {
        let context = container.newContext()
        let employees = try context.fetch(Employee.fetchRequest())
        try stopwatch.time {
            for employee in employees { context.delete(employee) }
            try context.save()
        }
        return Checksum()
    }

    /// Measures the time from setting a property until the change is received, with 50,000 rows in
    /// the list.
    func observe(
        _ stopwatch: inout Stopwatch, in container: PersistentContainer
    ) async throws -> Checksum {
        let context = container.newContext()
        let request = Employee.fetchRequest()
            .filter(Employee.isActive == true)
            .sorted(by: Employee.name)
        let controller = FetchedResultsController(request, in: context)
        try controller.performFetch()
        let byEmail = Dictionary(
            (controller.fetchedObjects ?? []).map { ($0.email, $0) },
            uniquingKeysWith: { first, _ in first })
        var changes = controller.changes.makeAsyncIterator()
        for (index, name) in dataset.renames {
            guard let employee = byEmail[dataset.employees[index].email] else { continue }
            try await stopwatch.time {
                employee.name = name
                try context.save()
                _ = await changes.next(isolation: #isolation)
            }
        }
        var checksum = Checksum()
        for employee in controller.fetchedObjects ?? [] { Self.touch(employee, &checksum) }
        return checksum
    }

    /// Reads every property through its typed accessor.
    @inline(__always)
    static func touch(_ employee: Employee, _ checksum: inout Checksum) {
        let name = Checksum.touch(employee.name)
        var values = name &+ Checksum.touch(employee.email)
        values &+= employee.salary.bitPattern
        values &+= UInt64(truncatingIfNeeded: employee.age)
        values &+= employee.isActive ? 1 : 0
        values &+= employee.hiredAt.timeIntervalSinceReferenceDate.bitPattern
        if let note = employee.note { values &+= Checksum.touch(note) }
        checksum.add(name: name, values: values, isLinked: employee.department != nil)
    }

    private static func departments(
        in context: ManagedObjectContext,
        _ request: FetchRequest<Department> = Department.fetchRequest()
    ) throws -> [Department] {
        try context.fetch(request)
            .sorted { number(of: $0.name) < number(of: $1.name) }
    }

    /// 17 of "Department 17".
    private static func number(of name: String) -> Int {
        name.split(separator: " ").last.flatMap { Int($0) } ?? 0
    }
}
