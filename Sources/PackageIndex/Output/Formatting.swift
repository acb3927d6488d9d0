/// A number with its thousands divided: `63,666`.
func grouped(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var result = number < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
        if index > 0 && (digits.count - index).isMultiple(of: 3) { result.append(",") }
        result.append(digit)
    }
    return result
}

/// A number and its noun: `1 package`, `2 packages`.
func counted(_ number: Int, _ singular: String, _ plural: String? = nil) -> String {
    "\(grouped(number)) \(number == 1 ? singular : plural ?? singular + "s")"
}

/// A duration to the precision that is of interest: `850 ms`, `12.3 s`.
func formatted(_ duration: Duration) -> String {
    let milliseconds =
        duration.components.seconds * 1000
        + duration.components.attoseconds / 1_000_000_000_000_000
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    return "\(milliseconds / 1000).\(milliseconds % 1000 / 100) s"
}

/// A number of bytes in the unit that suits it: `512 bytes`, `61.4 MB`.
func formatted(bytes: Int) -> String {
    if bytes < 1000 { return counted(bytes, "byte") }
    let (unit, name) = bytes < 1_000_000 ? (1000, "kB") : (1_000_000, "MB")
    return "\(grouped(bytes / unit)).\(bytes % unit * 10 / unit) \(name)"
}
