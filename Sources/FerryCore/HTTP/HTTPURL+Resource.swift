extension HTTPURL {
    /// What tells a resource from the others of its server, for comparison and never for a message: the URL without
    /// userinfo and fragment, and without what a known signature adds to its query, which is another one each time.
    ///
    /// A parameter that is not known to belong to a signature stays, whatever its name, as it may say which file is meant.
    /// Where it changes from time to time all the same, two answers are taken for two resources, and their bytes are compared.
    var resource: String {
        "\(scheme.rawValue)://\(hostAndPort)\(withoutSignature(QuerySignature.all).requestTarget)"
    }
}
