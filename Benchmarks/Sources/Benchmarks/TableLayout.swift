/// The names of the tables and system columns for the C code.
struct TableLayout {
    var departmentTable: String
    var employeeTable: String
    var idColumn: String
    var versionColumn: String
    var departmentColumn: String
    var hasForeignKeys: Bool

    /// A table as a program without a persistence layer would define it.
    static let bare = TableLayout(
        departmentTable: "department", employeeTable: "employee", idColumn: "id",
        versionColumn: "version", departmentColumn: "department_id", hasForeignKeys: false)

    /// The table that Cambium generates from `Employees.cambium`.
    static let generated = TableLayout(
        departmentTable: "Department", employeeTable: "Employee", idColumn: "_id",
        versionColumn: "_version", departmentColumn: "department", hasForeignKeys: true)

    /// The table that Cambium generates from `EmployeesIndexed.cambium`.
    static let generatedIndexed = TableLayout(
        departmentTable: "IndexedDepartment", employeeTable: "IndexedEmployee", idColumn: "_id",
        versionColumn: "_version", departmentColumn: "department", hasForeignKeys: true)

    static let bareSchema = """
        CREATE TABLE department(
            id INTEGER PRIMARY KEY, version INTEGER NOT NULL, name TEXT NOT NULL);
        CREATE TABLE employee(
            id INTEGER PRIMARY KEY, version INTEGER NOT NULL, name TEXT NOT NULL,
            email TEXT NOT NULL, salary REAL NOT NULL, age INTEGER NOT NULL,
            isActive INTEGER NOT NULL, hiredAt REAL NOT NULL, department_id INTEGER, note TEXT);
        CREATE INDEX employee_department ON employee(department_id);
        """

    static let bareIndexedSchema =
        bareSchema + """
            CREATE INDEX employee_name ON employee(name);
            CREATE INDEX employee_hired ON employee(hiredAt);
            """
}
