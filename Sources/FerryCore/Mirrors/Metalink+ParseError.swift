extension Metalink {
    /// Why a document is refused.
    package enum ParseError: Error, Hashable, Sendable {
        /// It is longer than ``Metalink/longest``.
        case tooLong
        /// It is not UTF-8.
        case encoding
        /// It declares a document type, which could name files of this machine or expand without end.
        case documentType
        /// It is not well-formed.
        case malformed
        /// It is nested too deeply.
        case tooDeep
        /// It is XML, but not a Metalink of version 4.
        case notMetalink
        /// It names no file.
        case noFile
        /// A file has no name, or one that leads out of the directory.
        case unsafeName
        /// The size of a file is invalid, or given twice.
        case size
        /// A digest has the wrong length for its algorithm, or an algorithm occurs twice.
        case digest
        /// The digests of parts do not fit the size of the file, or the length of the parts is invalid.
        case pieces

        init(_ refusal: XMLReader.Refusal) {
            self =
                switch refusal {
                case .encoding: .encoding
                case .documentType: .documentType
                case .malformed: .malformed
                case .tooLarge: .tooDeep
                }
        }
    }
}

extension Metalink.ParseError: CustomStringConvertible {
    /// The reason in one sentence for a person.
    package var description: String {
        switch self {
        case .tooLong: "The Metalink is longer than \(Metalink.longest >> 20) MiB."
        case .encoding: "The Metalink is not in UTF-8."
        case .documentType: "The Metalink declares a document type, which Ferry does not read."
        case .malformed: "The Metalink is not well-formed XML."
        case .tooDeep: "The Metalink is nested too deeply."
        case .notMetalink: "This is not a Metalink of version 4 (RFC 5854)."
        case .noFile: "The Metalink names no file."
        case .unsafeName: "The Metalink has a file without a name, or one whose name leads elsewhere."
        case .size: "The size of a file in the Metalink is invalid."
        case .digest: "A digest in the Metalink is invalid."
        case .pieces: "The digests of parts in the Metalink do not fit the file."
        }
    }
}
