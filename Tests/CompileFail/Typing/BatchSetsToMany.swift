import Cambium
import EverythingModel

/// A batch update sets a relationship that leads to many objects.
func empty(_ part: Part) -> BatchUpdateRequest<Node> {
    #if MISTAKE
        BatchUpdateRequest().set(Node.parts, to: part)  // error: ToManyKey
    #else
        BatchUpdateRequest().set(Node.box, to: nil)
    #endif
}
