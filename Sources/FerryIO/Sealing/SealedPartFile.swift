internal import FerryCore
internal import FerrySealed
internal import Synchronization

/// A part file whose bytes are sealed before they are written, in the chunks of age's format. Offsets and lengths are those of
/// the bytes in clear.
///
/// A chunk is sealed when all of it has come, and is in memory until then. The last one is sealed when the file ends. No byte
/// lies on the disk in clear.
final class SealedPartFile: PartFile {
    private let layout: PartSeal
    private let file: POSIXPartFile
    private let threads: IOThreads
    private let opener: PayloadOpener
    /// The length of the file when it was opened. Chunks before that may have been sealed.
    private let formerLength: Int64
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var sealer: PayloadSealer
        /// The bytes of chunks that are not sealed yet.
        var texts: [Int64: [UInt8]] = [:]
        /// The number of the last chunk, if the length is known.
        var last: Int64?
        /// The highest number of a chunk that was begun.
        var latest: Int64 = 0

        /// Takes the chunks that are whole and are not the last.
        mutating func takeWhole() -> [(chunk: Int64, text: [UInt8])] {
            let end = last ?? latest
            let whole = texts.filter { $0.key < end && $0.value.count == Int(PartSeal.chunkLength) }
            for chunk in whole.keys { texts[chunk] = nil }
            return whole.map { ($0.key, $0.value) }
        }
    }

    /// The number of sealed chunks that are read at once for a digest.
    private static let chunksRead: Int64 = 16

    /// Begins a new file, which must be empty. Blocks.
    init(
        beginning file: POSIXPartFile,
        for recipients: [String],
        wrappedBy wrapping: WrappingKey,
        _ threads: IOThreads
    ) throws(StorageProblem) {
        var random = SystemRandomNumberGenerator()
        let preamble = try Self.preamble(for: recipients, &random)
        try file.write(preamble.bytes.span.bytes, at: 0)
        (self.file, self.threads) = (file, threads)
        layout = PartSeal(
            preamble: preamble.bytes,
            key: preamble.key.wrapped(by: wrapping, using: &random)
        )
        formerLength = layout.preambleLength
        opener = PayloadOpener(preamble.key)
        state = Mutex(State(sealer: PayloadSealer(preamble.key)))
    }

    /// Continues a file that was begun before. Blocks.
    init(
        resuming file: POSIXPartFile,
        as seal: PartSeal,
        wrappedBy wrapping: WrappingKey,
        _ threads: IOThreads
    ) throws(StorageProblem) {
        guard let key = seal.key.flatMap({ PayloadKey($0, wrappedBy: wrapping) }) else {
            let text =
                "The key that has sealed the first part of the file is gone. Cancel the transfer and start again."
            throw StorageProblem(.permanent(.cannotOpen, text), errno: 0)
        }
        (self.file, self.threads, layout) = (file, threads, seal)
        try Self.restorePreamble(of: file, as: seal)
        formerLength = try file.length()
        opener = PayloadOpener(key)
        state = Mutex(State(sealer: PayloadSealer(key)))
    }

    /// Writes the preamble again if the file has lost some of it.
    private static func restorePreamble(of file: POSIXPartFile, as seal: PartSeal) throws(StorageProblem) {
        guard let preamble = seal.preamble, try file.bytes(of: 0..<seal.preambleLength) != preamble
        else { return }
        try file.write(preamble.span.bytes, at: 0)
    }

    private static func preamble(
        for recipients: [String],
        _ random: inout SystemRandomNumberGenerator
    ) throws(StorageProblem) -> SealedPreamble {
        do throws(KeyProblem) {
            let keys = try recipients.map { text throws(KeyProblem) in try X25519Recipient(parsing: text) }
            guard let recipients = Recipients.keys(keys) else { throw .invalid }
            return try SealedPreamble(sealingTo: recipients, using: &random)
        } catch {
            throw StorageProblem(.permanent(.refused, "Cannot seal the file: \(error)"), errno: 0)
        }
    }

    var seal: PartSeal? { layout }
    var identity: FileIdentity { file.identity }
    var isNamed: Bool { file.isNamed }

    // MARK: Writing

    func expect(_ length: Int64) {
        state.withLock { $0.last = max(0, length - 1) / PartSeal.chunkLength }
    }

    func write(_ bytes: RawSpan, at offset: Int64) throws(StorageProblem) {
        var done = 0
        while done < bytes.byteCount {
            let (chunk, start) = (offset + Int64(done)).quotientAndRemainder(
                dividingBy: PartSeal.chunkLength
            )
            let count = min(Int(PartSeal.chunkLength - start), bytes.byteCount - done)
            let piece = bytes.extracting(done..<(done + count))
            guard let whole = piece.withUnsafeBytes({ take($0, in: chunk, from: Int(start)) }) else {
                throw .defect("Bytes of a sealed file came out of order.")
            }
            for (chunk, text) in whole { try store(text, as: chunk, isLast: false) }
            done += count
        }
    }

    /// Takes bytes of a chunk; returns the chunks that can be sealed now, or `nil` if bytes before these are missing.
    private func take(
        _ piece: UnsafeRawBufferPointer,
        in chunk: Int64,
        from start: Int
    ) -> [(chunk: Int64, text: [UInt8])]? {
        state.withLock { state in
            var text = state.texts.removeValue(forKey: chunk) ?? []
            let isNext = text.count == start
            if isNext { text += piece }
            state.texts[chunk] = text
            state.latest = max(state.latest, chunk)
            return isNext ? state.takeWhole() : nil
        }
    }

    /// Seals a chunk, and writes it.
    private func store(_ text: [UInt8], as chunk: Int64, isLast: Bool) throws(StorageProblem) {
        let place = place(of: chunk)
        let earlier = place.lowerBound < formerLength ? try file.bytes(of: place) : []
        let sealed: [UInt8]?
        do throws(SealingRefusal) {
            sealed = try state.withLock { state throws(SealingRefusal) in
                try state.sealer.seal(text, as: chunk, isLast: isLast, over: earlier)
            }
        } catch .otherText {
            throw .bytesDiffer
        } catch {
            throw .defect("\(error)")
        }
        if let sealed { try file.write(sealed.span.bytes, at: place.lowerBound) }
    }

    /// The place of a whole chunk in the file.
    private func place(of chunk: Int64) -> Range<Int64> {
        let start = layout.preambleLength + chunk * ChunkMap.sealedChunkLength
        return start..<(start + ChunkMap.sealedChunkLength)
    }

    func write(all bytes: [UInt8], at offset: Int64) async throws(StorageProblem) {
        try await threads.storage { [self] () throws(StorageProblem) in
            try write(bytes.span.bytes, at: offset)
        }
    }

    func reserve(_ length: Int64) async throws(StorageProblem) {
        try await file.reserve(layout.fileLength(of: length))
    }

    /// Seals the last chunk.
    func cut(behind length: Int64) async throws(StorageProblem) {
        try await threads.storage { [self] () throws(StorageProblem) in
            try Self.restorePreamble(of: file, as: layout)
            let last = max(0, length - 1) / PartSeal.chunkLength
            let wanted = Int(length - last * PartSeal.chunkLength)
            let (texts, held) = state.withLock { ($0.texts.count, $0.texts.removeValue(forKey: last)) }
            guard texts <= (held == nil ? 0 : 1) else {
                throw .defect("A chunk of a sealed file was not sealed.")
            }
            if let text = held ?? (length == 0 ? [] : nil) {
                guard text.count == wanted else { throw .defect("The last chunk is not whole.") }
                try store(text, as: last, isLast: true)
            } else {
                // It was sealed before the process died.
                _ = try text(
                    of: last,
                    file.bytes(of: place(of: last)).prefix(wanted + Self.growth),
                    isLast: true
                )
            }
        }
        try await file.cut(behind: layout.fileLength(of: length))
    }

    private static let growth = Int(ChunkMap.sealedChunkLength - PartSeal.chunkLength)

    // MARK: Reading

    func read(_ range: Range<Int64>) async throws(StorageProblem) -> [UInt8] {
        try await threads.storage { [self] () throws(StorageProblem) in try bytes(of: range) }
    }

    private func bytes(of range: Range<Int64>) throws(StorageProblem) -> [UInt8] {
        var bytes: [UInt8] = []
        var offset = range.lowerBound
        while offset < range.upperBound {
            let (chunk, start) = offset.quotientAndRemainder(dividingBy: PartSeal.chunkLength)
            let text = try text(of: chunk)
            let end = min(range.upperBound - offset + start, Int64(text.count))
            guard start < end else { break }
            bytes += text[Int(start)..<Int(end)]
            offset += end - start
        }
        return bytes
    }

    /// The bytes in clear of a chunk, as far as they are there.
    private func text(of chunk: Int64) throws(StorageProblem) -> [UInt8] {
        if let text = state.withLock({ $0.texts[chunk] }) { return text }
        let sealed = try file.bytes(of: place(of: chunk))
        guard sealed.count > Self.growth else { return [] }
        let isLast = !opener.opens(sealed[...], as: chunk, isLast: false)
        return try text(of: chunk, sealed[...], isLast: isLast)
    }

    private func text(
        of chunk: Int64,
        _ sealed: ArraySlice<UInt8>,
        isLast: Bool
    ) throws(StorageProblem) -> [UInt8] {
        do throws(SealedProblem) {
            return try opener.open(sealed, as: chunk, isLast: isLast)
        } catch {
            throw .sealedBytesDamaged
        }
    }

    func digest(_ algorithm: Checksum.Algorithm, length: Int64) async throws(StorageProblem) -> Checksum {
        try await digest(algorithm, of: 0..<length)
    }

    func digest(
        _ algorithm: Checksum.Algorithm,
        of range: Range<Int64>
    ) async throws(StorageProblem) -> Checksum {
        var digester = Digester(algorithm)
        var offset = range.lowerBound
        while offset < range.upperBound {
            // From chunk to chunk, so that each is opened once.
            let next = (offset / PartSeal.chunkLength + Self.chunksRead) * PartSeal.chunkLength
            let slice = offset..<min(next, range.upperBound)
            digester = try await threads.storage { [self, digester] () throws(StorageProblem) in
                var digester = digester
                let bytes = try bytes(of: slice)
                guard Int64(bytes.count) == slice.upperBound - slice.lowerBound else {
                    throw StorageProblem(
                        .transient(.partFileLost, "A part of the sealed file is missing."),
                        errno: 0
                    )
                }
                bytes.withUnsafeBytes { digester.update($0) }
                return digester
            }
            offset = slice.upperBound
        }
        return digester.checksum
    }

    // MARK: The file

    func takeName() async throws(StorageProblem) { try await file.takeName() }

    func synchronize() async throws(StorageProblem) { try await file.synchronize() }

    func publish(
        as name: FileName,
        replacing: Bool,
        dated date: Instant?
    ) async throws(StorageProblem) -> Int64? {
        try await file.publish(as: name, replacing: replacing, dated: date)
    }

    func close() async { await file.close() }
}
