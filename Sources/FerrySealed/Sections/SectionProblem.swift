/// Why a payload is not read as a sectioned file.
package enum SectionProblem: Error, Hashable, Sendable {
    /// It has no sections.
    case notSectioned
    /// Its version is another one.
    case unknownVersion
    /// Its header contradicts itself or the length of the payload.
    case invalid
    /// The thumbnail is not the one of the header.
    case otherThumbnail
}

extension SectionProblem: CustomStringConvertible {
    /// What is wrong, in a sentence.
    package var description: String {
        switch self {
        case .notSectioned: "It has no sections."
        case .unknownVersion: "Its sections have another version than 1."
        case .invalid: "The header of its sections is invalid."
        case .otherThumbnail: "Its thumbnail is not the one that its header names."
        }
    }
}
