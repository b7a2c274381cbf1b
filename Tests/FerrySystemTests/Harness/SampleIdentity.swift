/// An identity of age that was made for these tests alone.
enum SampleIdentity {
    /// As a key file has it.
    static let text = "AGE-SECRET-KEY-14VXQP45XVVVQNUQLMW24KGX4MDEY7LHN0LFKWFMTGC27SEQ5CZGS36KUQF"
    /// Seals for it.
    static let recipient = "age1gvqdyczx650d6pwuv5jyzaz9kncznh2u6czl0jzvw23kdw8l7s2qy5hvw5"
}
