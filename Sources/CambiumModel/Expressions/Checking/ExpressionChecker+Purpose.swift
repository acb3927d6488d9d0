/// What a derived attribute and an index may not use.
extension ExpressionChecker {
    mutating func notOfItsRow(at offset: Int) -> Checked? {
        fail(
            "an index can only use properties of its own entity", at: offset,
            hint: "make a derived attribute of the path and index that")
    }

    mutating func isAllowed(_ attribute: Attribute, _ path: ObjectPath, at offset: Int) -> Bool {
        guard purpose.isStored else { return true }
        if attribute.isTransient {
            return refuse(
                "'\(attribute.name)' is transient: it is not in the store", at: offset)
        }
        if purpose == .index, !path.steps.isEmpty {
            _ = notOfItsRow(at: offset)
            return false
        }
        return true
    }

    mutating func isAllowed(
        _ relationship: Relationship, _ path: ObjectPath, at offset: Int
    ) -> Bool {
        guard purpose.isStored else { return true }
        if relationship.isTransient {
            return refuse(
                "'\(relationship.name)' is transient: it is not in the store", at: offset)
        }
        if purpose == .index, relationship.isToMany {
            _ = notOfItsRow(at: offset)
            return false
        }
        return true
    }

    mutating func isAllowed(
        _ relation: ComparisonOperator, _ options: ComparisonOptions, at offset: Int
    ) -> Bool {
        guard purpose == .index else { return true }
        if relation == .matches {
            return refuse(
                "SQLite has no regular expressions of its own, so an index cannot use MATCHES",
                at: offset, hint: "write LIKE or BEGINSWITH")
        }
        guard options.subtracting(.normalized).isEmpty else {
            return refuse(
                "SQLite does not know upper and lower case or accents beyond ASCII, so an index "
                    + "cannot use [c] or [d]", at: offset,
                hint: "make a derived attribute with canonical: and index that")
        }
        return true
    }

    mutating func isAllowed(
        _ function: ModelFunction, _ type: ExpressionType?, at offset: Int
    ) -> Bool {
        guard purpose == .fill || function != .uuid else {
            return refuse(
                "'uuid()' has another value for each row", at: offset,
                hint: "only a <fill> can use it")
        }
        guard purpose == .index, !function.descriptor.isInSQLite(type) else { return true }
        guard function != .now else {
            return refuse("'now()' has another value whenever it is asked", at: offset)
        }
        return refuse(
            "SQLite has no \(function.rawValue)() of its own for this, so an index cannot use it",
            at: offset, hint: "make a derived attribute of it and index that")
    }
}
