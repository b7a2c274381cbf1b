internal import FerryCore
internal import FerrySealed
internal import SystemPackage

/// The key that wraps the keys of unfinished sealed files: a file in the data directory that only its owner can read. A copy
/// of the store without it opens nothing.
struct SealingKeyFile: Sendable {
    /// The data directory.
    let directory: String

    private static let name = "seal.key"

    private var path: String { "\(directory)/\(Self.name)" }

    /// The key, which is made when it is needed first. Blocks.
    func key() throws(StorageProblem) -> WrappingKey {
        if let key = try existing() { return key }
        try make()
        guard let key = try existing() else { throw .defect("\(path) was made, and is not there.") }
        return key
    }

    private func existing() throws(StorageProblem) -> WrappingKey? {
        let bytes: [UInt8]
        do throws(Errno) {
            let file = try Platform.openForReading(path)
            defer { Platform.close(file) }
            bytes = try Self.read(file)
        } catch {
            guard error != .noSuchFileOrDirectory else { return nil }
            throw StorageProblem(error, while: .open, path: path)
        }
        guard let key = WrappingKey(bytes) else {
            let text = "\(path) is not a key. Without it, unfinished sealed files cannot be resumed."
            throw StorageProblem(.permanent(.cannotOpen, text), errno: 0)
        }
        return key
    }

    private static func read(_ file: FileDescriptor) throws(Errno) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: WrappingKey.length + 1)
        var span = bytes.mutableSpan
        let count = try span.withUnsafeMutableBytes { (buffer) throws(Errno) in
            try Platform.read(into: buffer, from: file, at: 0)
        }
        return Array(bytes.prefix(count))
    }

    /// Makes the file with all of its bytes, durably. Another process that has made it meanwhile wins.
    private func make() throws(StorageProblem) {
        let handle = try DirectoryHandle(directory)
        do throws(Errno) {
            // A file without a name disappears if the process dies before it has all of its bytes.
            if let file = try Platform.createNameless(in: handle.descriptor) {
                defer { Platform.close(file) }
                try Platform.setPermissions(0o600, of: file)
                try Self.fill(file)
                try Platform.link(file, as: Self.name, in: handle.descriptor)
            } else {
                try makeNamed(in: handle)
            }
        } catch {
            guard error != .fileExists else { return }
            throw StorageProblem(error, while: .create, path: path)
        }
        try handle.synchronize()
    }

    private func makeNamed(in handle: DirectoryHandle) throws(Errno) {
        let draft = "\(Self.name).\(UInt64.random(in: .min ... .max))"
        let file = try Platform.open(
            draft,
            beneath: handle.descriptor,
            .createExclusively,
            permissions: 0o600
        )
        defer { Platform.close(file) }
        let failure: Errno?
        do throws(Errno) {
            try Self.fill(file)
            try Platform.link(draft, as: Self.name, in: handle.descriptor)
            failure = nil
        } catch {
            failure = error
        }
        try Platform.unlink(draft, in: handle.descriptor)
        if let failure { throw failure }
    }

    private static func fill(_ file: FileDescriptor) throws(Errno) {
        var random = SystemRandomNumberGenerator()
        let bytes = (0..<WrappingKey.length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let count = try bytes.span.bytes.withUnsafeBytes { (buffer) throws(Errno) in
            try Platform.write(buffer, to: file, at: 0)
        }
        guard count == bytes.count else { throw .ioError }
        try Platform.synchronizeData(of: file)
    }
}
