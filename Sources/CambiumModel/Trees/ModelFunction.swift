/// A function of values.
public enum ModelFunction: String, Sendable, Hashable, CaseIterable {
    /// The moment of evaluation.
    case now
    /// A new random UUID for each row; in a fill only.
    case uuid
    /// The number of Unicode scalars of a string, or of bytes of data.
    case length
    /// The string in upper case.
    case uppercase
    /// The string in lower case.
    case lowercase
    /// The string without accents, in lower case.
    case canonical
    /// The characters of a string from the index on, as many as the length says. Where the range
    /// reaches beyond the string, what lies inside; a length below 0 counts as 0.
    case substring
    /// The first characters of a string, at most so many.
    case left
    /// The last characters of a string, at most so many.
    case right
    /// The index of the character at which the other string is found first; nil where it is not.
    case indexOf
    /// The string with another one in place of each occurrence of a part. An empty part does not
    /// occur.
    case replace
    /// The string without white space at its ends.
    case trim
    /// The number without its sign.
    case abs
    /// The least whole number that is not less.
    case ceiling
    /// The greatest whole number that is not greater.
    case floor
    /// The number without its fraction.
    case trunc
    /// The square root.
    case sqrt
    /// The remainder of a division of whole numbers.
    case modulus
    /// The number as text, or text as a number where it is one.
    case string
    /// The number as text; text as it is: `CAST(x, 'NSString')`.
    case text
    /// The number that the text spells, or the seconds of a date since 2001-01-01 UTC:
    /// `CAST(x, 'NSNumber')`.
    case number
    /// The moment that many seconds after 2001-01-01 UTC: `CAST(x, 'NSDate')`.
    case date
    /// The name of the entity of an object: `entity:(SELF)`.
    case entity
}
