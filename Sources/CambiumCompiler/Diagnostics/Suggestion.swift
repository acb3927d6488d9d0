import CambiumModel

/// What somebody most probably meant.
package enum Suggestion {
    /// A sentence that names the candidate nearest to a misspelt word, or nil where none is near.
    package static func sentence(for word: String, among candidates: [String]) -> String? {
        nearestName(to: word, among: candidates).map { "Did you mean '\($0)'?" }
    }
}
