extension String {
    /// Whether both texts are the same, octet for octet. `==` also finds texts equal that are only composed differently.
    ///
    /// The octets are compared where they are: to iterate over the view of a text takes several times as long.
    package func hasSameOctets(as other: String) -> Bool {
        var (one, two) = (self, other)
        return one.withUTF8 { octets in two.withUTF8 { octets.elementsEqual($0) } }
    }
}

extension String? {
    /// Whether both texts are the same, octet for octet, or both are missing.
    package func hasSameOctets(as other: String?) -> Bool {
        switch (self, other) {
        case (let one?, let two?): one.hasSameOctets(as: two)
        case (nil, nil): true
        default: false
        }
    }
}
