extension HTTPURL {
    /// Identifies a resource on its server, for comparison and never for a message. It is the URL without userinfo
    /// and fragment, and without what a known signature adds to its query, which differs each time.
    ///
    /// A parameter that is not known to belong to a signature stays, whatever its name, as it may identify the file.
    /// If it changes from time to time anyway, two answers count as two resources, and their bytes are compared.
    var resource: String {
        "\(scheme.rawValue)://\(hostAndPort)\(withoutSignature(QuerySignature.all).requestTarget)"
    }
}
