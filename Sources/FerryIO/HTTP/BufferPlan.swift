/// The sizes of the buffers between network and disk.
///
/// Three goals conflict. Large reads and writes cost less per byte: each needs one system call, one pass
/// through the parser, one queue entry and one lock. Small ones keep the bytes in the processor's cache
/// between the copy from the socket and the copy to the page cache. And every size is multiplied by the
/// number of connections, whose total must stay within Ferry's promised memory (I9).
struct BufferPlan: Sendable {
    /// Maximum bytes that one read from a socket may return.
    var receiveBytes = 512 * 1024
    /// Maximum bytes of one read while the response may still be short. If a buffer is still in use at the
    /// next read, NIO makes another of that size, so small files would otherwise cost large buffers. A body of up to this
    /// length is short: its head awaits it for a moment.
    var firstReceiveBytes = 64 * 1024
    /// Reads of a connection before its event loop serves the others.
    var readsInARow: UInt = 1
    /// Bytes of one body that may wait for the disk before its connection is held back. At least twice the size of a read,
    /// so that network and disk work at the same time.
    var waitingBytes = 1024 * 1024
    /// A part smaller than this is copied together with its neighbours instead of written alone. So is any
    /// part that fills less than a quarter of the buffer that it would keep alive. A part without neighbours is not copied
    /// out of a buffer of up to `firstReceiveBytes`.
    var smallPartBytes = 64 * 1024

    /// Maximum bytes of the next read after `arrived` bytes of a body: it doubles with each doubling of that
    /// number. So a long body soon has the largest reads, and the buffer rarely changes.
    func portion(afterReceiving arrived: Int) -> Int {
        var portion = firstReceiveBytes
        while portion < receiveBytes, portion <= arrived / 2 { portion *= 2 }
        return min(portion, receiveBytes)
    }

    /// The plan for a connection over TLS, where each buffer exists twice.
    ///
    /// NIOSSL decrypts into one buffer that it keeps. The bytes of the last read are still in use, so at the
    /// next read it copies that buffer with its whole capacity, up to twice the bytes read. With small reads
    /// such copies stay in the processor's cache, and 16 connections stay within Ferry's promised memory.
    var overTLS: BufferPlan {
        var plan = self
        plan.receiveBytes = min(receiveBytes, 256 * 1024)
        plan.waitingBytes = min(waitingBytes, 512 * 1024)
        return plan
    }
}
