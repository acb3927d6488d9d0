/// The statements about keys. A key is given once and never again, also after a delete.
package enum KeySQL {
    /// The table of the next free key of each root entity.
    package static let table = "_keys"

    /// Takes a number (parameter 2) of keys of a root entity (parameter 1); answers with the first.
    package static let reserve = """
        UPDATE "_keys" SET "next" = "next" + ?2 WHERE "entity" = ?1 RETURNING "next" - ?2
        """

    /// The next free key of a root entity (parameter 1).
    package static let query = """
        SELECT "next" FROM "_keys" WHERE "entity" = ?1
        """

    /// Makes a key (parameter 2) the next free one of a root entity (parameter 1), unless that is a
    /// later one already.
    package static let raise = """
        UPDATE "_keys" SET "next" = max("next", ?2) WHERE "entity" = ?1
        """
}
