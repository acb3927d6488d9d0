import Cambium
import EverythingModel

/// A column that may be nil is taken for one that is not.
func labels() -> ResultRequest<Node, String> {
    #if MISTAKE
        Node.fetchRequest().select(Node.label)  // error: String
    #else
        Node.fetchRequest().select(Node.label.required)
    #endif
}
