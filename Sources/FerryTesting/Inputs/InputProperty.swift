/// A property that holds for every input of a parser of untrusted bytes.
///
/// The same properties are checked in two ways: the suite runs them on the seeds under `Fuzz/Corpus`, and
/// `scripts/fuzz` lets libFuzzer search for an input that breaks one.
package struct InputProperty: Sendable {
    /// The name, which its folder of seeds has as well.
    package let name: String
    private let body: @Sendable (OutsideInput) throws -> Void

    /// Creates a property; `body` throws a ``Violation`` for an input that breaks it.
    package init(_ name: String, _ body: @escaping @Sendable (OutsideInput) throws -> Void) {
        self.name = name
        self.body = body
    }

    /// Checks one input.
    ///
    /// - Throws: ``Violation`` when the property does not hold.
    package func check(_ bytes: [UInt8]) throws {
        try body(OutsideInput(bytes))
    }

    /// A claim that does not hold.
    package struct Violation: Error, CustomStringConvertible {
        /// The claim.
        package let description: String
    }

    /// Throws ``Violation`` with the claim unless it holds.
    package static func require(
        _ holds: Bool,
        _ claim: @autoclosure () -> String
    ) throws(Violation) {
        guard holds else { throw Violation(description: claim()) }
    }

    /// The properties of everything in the core that reads outside bytes.
    package static let core: [InputProperty] = [
        answer, byteCount, checksum, checksumFile, contentDisposition, contentRange, credentials, entityTag,
        fileName,
        headerLine, httpDate, ipAddress, link, listFile, mediaType, metalink, netrc, noProxy, proxy,
        proxyEnvironment,
        rate, redirect,
        response, retryAfter, segmentMap, url, validator, volunteeredDigest,
    ]
}
