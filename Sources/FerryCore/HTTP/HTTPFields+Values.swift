import HTTPTypes

extension HTTPFields {
    /// The value of a field; `nil` without one. The values of several lines are joined (RFC 9110 §5.3).
    ///
    /// The subscript joins a single value, too, which takes much longer.
    func value(of name: HTTPField.Name) -> String? {
        let values = self[values: name]
        return values.count > 1 ? values.joined(separator: ", ") : values.first
    }
}
