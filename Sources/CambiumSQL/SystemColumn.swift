/// The columns that every table has beside those of the model. Real models have attributes named
/// `id` and `version`, hence the underscore, which the compiler refuses in names of a model.
package enum SystemColumn {
    /// The object's key, unique in its hierarchy and never reused.
    package static let key = "_id"
    /// The number of times the row was saved.
    package static let version = "_version"
    /// The name of the object's entity, where the root has sub-entities.
    package static let entity = "_entity"
}
