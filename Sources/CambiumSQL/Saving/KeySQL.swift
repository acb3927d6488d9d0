import CambiumModel

/// The statement that reserves keys. A key is given once and never again, also after a delete.
package enum KeySQL {
    /// The table of the next free key of each root entity.
    package static let table = "_keys"

    /// Takes a number (parameter 2) of keys of a root entity (parameter 1); answers with the first.
    package static let reserve = """
        UPDATE "_keys" SET "next" = "next" + ?2 WHERE "entity" = ?1 RETURNING "next" - ?2
        """
}
