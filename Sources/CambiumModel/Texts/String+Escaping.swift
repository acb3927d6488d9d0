extension String {
    /// The text with other text in the place of some scalars: of those for which there is one.
    package func escaping(_ escape: (Unicode.Scalar) -> String?) -> String {
        var text = ""
        for scalar in unicodeScalars {
            if let escaped = escape(scalar) {
                text += escaped
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// Whether it cannot be seen, ends a line, or changes the direction of writing.
    package var isInvisible: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
            true
        default: false
        }
    }
}
