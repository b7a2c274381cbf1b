import FerryCore

extension InputProperty {
    /// A Metalink yields files with safe names, complete digests, and usable mirrors.
    package static let metalink = InputProperty("metalink") { input in
        let metalink: Metalink
        do throws(Metalink.ParseError) {
            metalink = try Metalink(parsing: input.bytes)
        } catch {
            return
        }
        try require(!metalink.files.isEmpty, "there is a file")
        for file in metalink.files {
            try requireSafe(file.name)
            try require((file.size ?? 0) >= 0, "a size is none below zero")
            for checksum in file.checksums { try requireWhole(checksum) }
            try require(
                Set(file.checksums.map(\.algorithm)).count == file.checksums.count,
                "there is one digest by each algorithm"
            )
            try requireUsable(file.mirrors, userinfo: true)
            guard let pieces = file.pieces else { continue }
            for checksum in pieces.checksums { try requireWhole(checksum) }
            try require(Set(pieces.checksums.map(\.algorithm)).count == 1, "all parts have one algorithm")
            guard let size = file.size else { continue }
            let before = (pieces.checksums.count - 1).multipliedReportingOverflow(by: Int(pieces.length))
            try require(!before.overflow && Int64(before.partialValue) < size, "no part lies behind the end")
            try require(size - Int64(before.partialValue) <= pieces.length, "the parts are all there is")
        }
    }
}
