/// Dates in ISO 8601, without loss: a date that was written reads back unchanged.
///
/// A date is a floating-point number of seconds since 2001. Its decimal places are the shortest
/// that read back to the same number. They are read by the library's own exact conversion. All
/// other computations use only whole seconds.
package enum ISO8601Text {
    /// Beyond, in either direction, the calendar is not written: three million years.
    private static let greatest: Double = 1e14
    /// The day 2001-01-01, counted from 1970-01-01.
    private static let referenceDay: Int64 = 11_323
    private static let secondsPerDay: Int64 = 86_400

    // MARK: Writing

    /// Returns the text of a date; nil if it is too far away or not a number.
    package static func text(of date: Date) -> String? {
        let seconds = date.timeIntervalSinceReferenceDate
        guard seconds.magnitude < greatest else { return nil }
        var (whole, fraction) = DecimalText.plain(seconds.magnitude)
        if seconds < 0 {
            whole = -whole
            if !fraction.isEmpty {
                // Seconds are counted from below: −0.25 is 0.75 after −1.
                whole -= 1
                fraction = complement(fraction)
            }
        }
        let day = floorDivision(whole, secondsPerDay)
        let second = whole - day * secondsPerDay
        let (year, month, dayOfMonth) = civil(fromDay: day + referenceDay)
        let place = fraction.isEmpty ? "" : "." + fraction
        return yearText(year) + "-" + padded(month) + "-" + padded(dayOfMonth) + "T"
            + padded(second / 3600) + ":" + padded(second / 60 % 60) + ":" + padded(second % 60)
            + place + "Z"
    }

    private static func yearText(_ year: Int64) -> String {
        let digits = "\(year.magnitude)"
        let padded = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
        if (0...9999).contains(year) { return padded }
        return (year < 0 ? "-" : "+") + padded
    }

    private static func padded(_ number: Int64) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    // MARK: Reading

    /// Returns the date of a text; nil if the text is not a date.
    package static func date(of text: String) -> Date? {
        var cursor = Cursor(text)
        guard let day = cursor.day() else { return nil }
        var seconds = day * secondsPerDay
        var fraction: ArraySlice<UInt8> = []
        if !cursor.isAtEnd {
            guard let time = cursor.time() else { return nil }
            seconds += time.seconds
            fraction = time.fraction
        }
        guard cursor.isAtEnd else { return nil }
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        if fraction.isEmpty { return Date(timeIntervalSinceReferenceDate: Double(seconds)) }
        var places = String(decoding: fraction, as: UTF8.self)
        var whole = seconds
        if seconds < 0 {
            whole = -(seconds + 1)
            places = complement(places)
        }
        return Double("\(seconds < 0 ? "-" : "")\(whole).\(places)")
            .map(Date.init(timeIntervalSinceReferenceDate:))
    }

    private struct Cursor {
        private let bytes: [UInt8]
        private var index = 0

        init(_ text: String) {
            bytes = Array(text.utf8)
        }

        var isAtEnd: Bool { index == bytes.count }
        var next: UInt8? { index < bytes.count ? bytes[index] : nil }

        mutating func skip(_ byte: UInt8) -> Bool {
            guard next == byte else { return false }
            index += 1
            return true
        }

        /// Reads a number with this count of digits.
        mutating func number(_ count: Int) -> Int64? {
            guard bytes.count - index >= count else { return nil }
            var number: Int64 = 0
            for _ in 0..<count {
                guard let digit = digit() else { return nil }
                number = number * 10 + digit
            }
            return number
        }

        mutating func digit() -> Int64? {
            guard let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else {
                return nil
            }
            index += 1
            return Int64(byte - UInt8(ascii: "0"))
        }

        /// The day since 2001-01-01.
        mutating func day() -> Int64? {
            let isNegative = skip(UInt8(ascii: "-"))
            let isExpanded = isNegative || skip(UInt8(ascii: "+"))
            guard var year = number(4) else { return nil }
            if isExpanded {
                var count = 4
                while count < 9, let digit = digit() {
                    year = year * 10 + digit
                    count += 1
                }
            }
            guard skip(UInt8(ascii: "-")), let month = number(2), (1...12).contains(month),
                skip(UInt8(ascii: "-")), let day = number(2), day >= 1,
                day <= daysOfMonth(month, isNegative ? -year : year)
            else { return nil }
            return ISO8601Text.day(isNegative ? -year : year, month, day) - referenceDay
        }

        /// The time of day, less the difference from UTC.
        mutating func time() -> (seconds: Int64, fraction: ArraySlice<UInt8>)? {
            guard skip(UInt8(ascii: "T")) || skip(UInt8(ascii: "t")) || skip(ASCII.space),
                let hour = number(2), hour < 24, skip(UInt8(ascii: ":")),
                let minute = number(2), minute < 60
            else { return nil }
            var seconds = hour * 3600 + minute * 60
            var fraction: ArraySlice<UInt8> = []
            if skip(UInt8(ascii: ":")) {
                guard let second = number(2), second < 60 else { return nil }
                seconds += second
                if skip(UInt8(ascii: ".")) || skip(ASCII.comma) {
                    let start = index
                    while digit() != nil {}
                    guard index > start else { return nil }
                    fraction = bytes[start..<index]
                }
            }
            guard let difference = zone() else { return nil }
            return (seconds - difference, fraction)
        }

        /// The difference from UTC in seconds; none means UTC.
        private mutating func zone() -> Int64? {
            if isAtEnd || skip(UInt8(ascii: "Z")) || skip(UInt8(ascii: "z")) { return 0 }
            let isNegative = skip(UInt8(ascii: "-"))
            guard isNegative || skip(UInt8(ascii: "+")), let hour = number(2), hour < 24 else {
                return nil
            }
            var minute: Int64 = 0
            if !isAtEnd {
                _ = skip(UInt8(ascii: ":"))
                guard let number = number(2), number < 60 else { return nil }
                minute = number
            }
            return (hour * 3600 + minute * 60) * (isNegative ? -1 : 1)
        }
    }

    // MARK: The calendar

    private static func daysOfMonth(_ month: Int64, _ year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the day of a date of the Gregorian calendar, counted from 1970-01-01. The
    /// computation starts years in March, so that the leap day is their last day. 400 years are an
    /// era and always have the same length.
    private static func day(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = floorDivision(year, 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private static func civil(fromDay day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let day = day + 719_468
        let era = floorDivision(day, 146_097)
        let dayOfEra = day - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func floorDivision(_ number: Int64, _ divisor: Int64) -> Int64 {
        let quotient = number / divisor
        return number % divisor < 0 ? quotient - 1 : quotient
    }

    /// Returns the decimal places of one minus the number with these places. The last digit is not
    /// 0.
    private static func complement(_ places: String) -> String {
        var digits = Array(places.utf8)
        for index in digits.indices {
            let digit = digits[index] - UInt8(ascii: "0")
            digits[index] = UInt8(ascii: "0") + (index == digits.count - 1 ? 10 : 9) - digit
        }
        return String(decoding: digits, as: UTF8.self)
    }
}
