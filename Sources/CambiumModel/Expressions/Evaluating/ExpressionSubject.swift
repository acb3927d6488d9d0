/// An object as an expression in memory sees it.
package protocol ExpressionSubject: AnyObject {
    /// The key by which objects of one hierarchy are told apart.
    var expressionKey: Int64 { get }

    /// The name of the object's own entity.
    var expressionEntity: String { get }

    /// The value of an attribute of the object's entity or an ancestor.
    func value(ofAttribute name: String) -> Value

    /// The object that a to-one relationship leads to.
    func related(_ toOne: String) -> (any ExpressionSubject)?

    /// The objects that a to-many relationship leads to.
    func relatedObjects(_ toMany: String) -> [any ExpressionSubject]
}
