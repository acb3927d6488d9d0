import Cambium
import ExtendedModel

/// The store cannot look into values that it keeps as JSON.
func wide() -> Condition<Person> {
    #if MISTAKE
        Person.size == Size(width: 1, height: 2)  // error: Size
    #else
        Person.size != nil
    #endif
}
