import Ferry
import Foundation

/// The files of the items, all of them sealed.
struct Shelf {
    let directory: String
    private let identities: [SealingIdentity]

    init(_ directory: String, _ identities: [SealingIdentity]) throws {
        (self.directory, self.identities) = (directory, identities)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }

    /// The recipients of sealed files.
    var recipients: [String] { identities.map(\.recipient) }

    /// The name of the file of a component.
    func name(_ component: Component, of item: NodeID) -> String { "\(item).\(component.rawValue).age" }

    /// The component of an item as it was fetched last; `nil` if it is not there.
    func open(_ component: Component, of item: NodeID) async throws -> SealedFile? {
        let path = "\(directory)/\(name(component, of: item))"
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        return try await SealedFile.open(path, with: identities)
    }

    /// What can be told of an item without a network.
    func summary(of item: NodeID) async throws -> String {
        var parts: [String] = []
        if let header = try await open(.header, of: item) {
            struct Header: Decodable { var subject: String }
            let bytes = try await header.read(0..<header.length)
            parts.append(try JSONDecoder().decode(Header.self, from: Data(bytes)).subject)
        }
        if let thumbnail = try await open(.thumbnail, of: item) {
            parts.append("thumbnail of \(thumbnail.length) bytes")
        }
        if let data = try await open(.data, of: item) {
            // Of a long file, only the first chunk is opened.
            let beginning = String(decoding: try await data.read(0..<24), as: UTF8.self)
            parts.append("data of \(data.length) bytes: \(beginning)…")
        }
        return parts.joined(separator: " | ")
    }

    /// Writes what is there of some items into a folder, in clear.
    func export(_ items: [NodeID], to folder: String) async throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for item in items {
            for component in Component.allCases {
                guard let file = try await open(component, of: item) else { continue }
                let name = try FileName(userGiven: "\(item).\(component.rawValue)")
                try await file.save(in: folder, as: name, replacesExisting: true)
            }
        }
    }

    /// Removes the files of items that are gone.
    func keep(only items: Set<NodeID>) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory)
        where name.hasSuffix(".age") {
            let item = NodeID(String(name.prefix { $0 != "." }))
            if !items.contains(item) { try FileManager.default.removeItem(atPath: "\(directory)/\(name)") }
        }
    }
}
