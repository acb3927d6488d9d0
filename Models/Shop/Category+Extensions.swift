import Cambium

extension Category {
    /// The title of the section of a list in which the category stands.
    public var sectionTitle: String { isBrand ? "Brands" : "Categories" }

    /// Brands first, and the newest first in each section: the order of the list.
    public static var listed: FetchRequest<Category> {
        fetchRequest().sorted(by: Category.isBrand.descending, Category.created.descending)
    }
}
