#if os(Linux)
internal import CFerryPlatform
internal import FerryCore
internal import Synchronization
internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#endif

/// The locks by which the owners of a store prove that they are alive. In `ferry.owners` in the data directory, each
/// owner locks one byte, its seat.
///
/// They are locks of the open file (`F_OFD_SETLK`). The kernel drops a lock when its process ends in any way, keeps it
/// while the process is stopped, and shows it to every PID namespace. The file contains a random number. The number and
/// the inode distinguish a removed or copied file from the one that replaces it. An owner that finds another file
/// there, or none, takes a seat in the current one.
final class OwnerLocks: Sendable {
    private struct Held {
        var descriptor: Int32
        var seat: ProcessIdentity.Seat
    }

    private let directory: String
    private let path: String
    /// The current seat, last, after the one it replaced: others check that one until the owner's row is
    /// updated.
    private let held = Mutex<[Held]>([])

    /// The byte that is locked while the file gets its number.
    private static let birthPlace: off_t = 0
    /// The length of the number in the file, in hexadecimal digits.
    private static let numberLength = 16

    init(directory: String) {
        self.directory = directory
        path = directory.hasSuffix("/") ? directory + "ferry.owners" : "\(directory)/ferry.owners"
    }

    deinit {
        release()
    }

    /// Takes a seat, or returns the current one if others can still see it; `nil` if the file system has no
    /// such locks.
    func take() async throws(StoreError) -> ProcessIdentity.Seat? {
        let seated = held.withLock { $0.last }
        if let seated, isInPlace(seated) { return seated.seat }
        let descriptor = try call {
            // Opening a FIFO must not wait for its other end.
            open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
        }
        do throws(StoreError) {
            try requireFile(descriptor)
            guard let file = try await number(in: descriptor), let place = try freePlace(in: descriptor)
            else {
                _ = close(descriptor)
                return seated?.seat
            }
            return keep(Held(descriptor: descriptor, seat: .init(file: file, place: place)), after: seated)
        } catch {
            _ = close(descriptor)
            throw error
        }
    }

    /// Keeps a new seat, unless another task was faster; returns the seat that counts.
    private func keep(_ fresh: Held, after seated: Held?) -> ProcessIdentity.Seat {
        let (seat, unneeded) = held.withLock { held -> (ProcessIdentity.Seat, [Held]) in
            if let latest = held.last, latest.seat != seated?.seat { return (latest.seat, [fresh]) }
            let unneeded = Array(held.dropLast())
            held = held.suffix(1) + [fresh]
            return (fresh.seat, unneeded)
        }
        for one in unneeded { give(up: one) }
        return seat
    }

    /// Whether the file with a seat is the one that others check.
    private func isInPlace(_ held: Held) -> Bool {
        var (there, here) = (stat(), stat())
        return lstat(path, &there) == 0 && fstat(held.descriptor, &here) == 0
            && there.st_dev == here.st_dev && there.st_ino == here.st_ino
            && Self.readNumber(held.descriptor) == held.seat.file
    }

    /// Gives up the seat.
    func release() {
        let former = held.withLock { held in
            defer { held = [] }
            return held
        }
        for one in former { give(up: one) }
    }

    private func give(up held: Held) {
        // A child process being started has a copy of the descriptor until it executes another program.
        _ = ferry_unlock_byte(held.descriptor, off_t(held.seat.place))
        _ = close(held.descriptor)
    }

    /// Throws for an entry with the lock file's name that is not a regular file.
    private func requireFile(_ descriptor: Int32) throws(StoreError) {
        var status = stat()
        _ = try call { fstat(descriptor, &status) }
        guard status.st_mode & S_IFMT != S_IFREG else { return }
        throw Self.noFile(path)
    }

    private static func noFile(_ path: String) -> StoreError {
        .unavailable(
            path: path,
            "it is not a regular file, which ferry needs for its locks; remove it, and ferry creates one"
        )
    }

    /// Whether a process holds a seat; `nil` when that cannot be determined.
    func isHeld(_ seat: ProcessIdentity.Seat?) -> Bool? {
        guard let seat else { return nil }
        if held.withLock({ $0.contains { $0.seat == seat } }) { return true }
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        guard Self.readNumber(descriptor) == seat.file else { return nil }
        switch ferry_is_byte_locked(descriptor, off_t(seat.place)) {
        case 0: return false
        case 1: return true
        default: return nil
        }
    }

    /// The number in the file, which is written if missing; `nil` if the file system has no such locks.
    private func number(in descriptor: Int32) async throws(StoreError) -> UInt64? {
        if let number = Self.readNumber(descriptor) { return number }
        while true {
            guard let isMine = try lock(Self.birthPlace, of: descriptor) else { return nil }
            if isMine { break }
            // Another process is writing it: that takes microseconds.
            do {
                try await Task.sleep(for: .milliseconds(1))
            } catch {
                throw .unavailable(path: path, "the command was ended while it waited for its lock")
            }
        }
        defer { _ = ferry_unlock_byte(descriptor, Self.birthPlace) }
        if let number = Self.readNumber(descriptor) { return number }
        let number = UInt64.random(in: 1 ... .max)
        let digits = String(number, radix: 16)
        let text = Array((String(repeating: "0", count: Self.numberLength - digits.utf8.count) + digits).utf8)
        let count = try call { pwrite(descriptor, text, text.count, 0) }
        guard count == text.count else {
            throw .writeFailed(path: path, "only a part of it was written", isDiskFull: true)
        }
        // After a power loss the owners' rows may survive. Without this file, nothing would show that those
        // owners are dead.
        _ = try call { fsync(descriptor) }
        try synchronizeDirectory()
        return Self.readNumber(descriptor)
    }

    private func synchronizeDirectory() throws(StoreError) {
        let descriptor = try call { open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        defer { _ = close(descriptor) }
        _ = try call { fsync(descriptor) }
    }

    /// Locks a byte that no process has locked.
    private func freePlace(in descriptor: Int32) throws(StoreError) -> Int64? {
        while true {
            let place = Int64.random(in: 1...(1 << 60))
            guard let isMine = try lock(off_t(place), of: descriptor) else { return nil }
            if isMine { return place }
        }
    }

    /// Locks a byte; `false` if another opening holds it, `nil` if the file system has no such locks.
    private func lock(_ place: off_t, of descriptor: Int32) throws(StoreError) -> Bool? {
        while ferry_lock_byte(descriptor, place) != 0 {
            switch Platform.lastError {
            case .interrupted: continue
            case .resourceTemporarilyUnavailable, .permissionDenied: return false
            case .noLocks, .notSupported, .notSupportedOnSocket, .noFunction, .invalidArgument: return nil
            default: throw failure(Platform.lastError)
            }
        }
        return true
    }

    private func call<Value: SignedInteger>(_ body: () -> Value) throws(StoreError) -> Value {
        do throws(Errno) {
            return try Platform.retrying(body)
        } catch {
            throw failure(error)
        }
    }

    private func failure(_ error: Errno) -> StoreError {
        if [.isDirectory, .tooManySymbolicLinkLevels, .noSuchAddressOrDevice].contains(error) {
            return Self.noFile(path)
        }
        if [.permissionDenied, .readOnlyFileSystem, .notPermitted].contains(error) {
            return .mayOnlyBeRead(path: path)
        }
        let isDiskFull = [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(error)
        return isDiskFull
            ? .writeFailed(path: path, error.description, isDiskFull: true)
            : .unavailable(path: path, error.description)
    }

    private static func readNumber(_ descriptor: Int32) -> UInt64? {
        var text = [UInt8](repeating: 0, count: numberLength)
        var status = stat()
        guard pread(descriptor, &text, text.count, 0) == text.count, fstat(descriptor, &status) == 0 else {
            return nil
        }
        let number = UInt64(String(decoding: text, as: UTF8.self), radix: 16)
        // A copy of the file, for example from a backup, has the same digits but not the locks.
        return number.map { $0 ^ (UInt64(truncatingIfNeeded: status.st_ino) &* 0x9E37_79B9_7F4A_7C15) }
    }
}
#endif
