import Cambium
import EverythingModel

/// A request selects a key of another entity.
func labels() -> ResultRequest<Node, String?> {
    #if MISTAKE
        Node.fetchRequest().select(Box.name)  // error: Box
    #else
        Node.fetchRequest().select(Node.label)
    #endif
}
