/// How large the buffers between the network and the disk are.
///
/// Three things pull in different directions. Large reads and writes cost less per byte: each passes through
/// the kernel's entry, the parser, a queue and a lock once. Small ones leave the bytes in the processor's cache
/// between the copy out of the socket and the copy into the page cache. And all of it is multiplied by the
/// number of connections, which together must stay within the memory that Ferry promises to need (I9).
struct BufferPlan: Sendable {
    /// How many bytes one read from a socket may return.
    var receiveBytes = 512 * 1024
    /// How many bytes one read may return while the response may still be a short one. Of a buffer that somebody still
    /// holds at the next read all is copied, and so each connection would have a large one for small files.
    var firstReceiveBytes = 64 * 1024
    /// How often a connection is read before its event loop turns to the others.
    var readsInARow: UInt = 1
    /// How many bytes of one body may wait for the disk before its connection is read no further. Twice the
    /// size of a read at least, so that network and disk work at the same time.
    var waitingBytes = 1024 * 1024
    /// A part below this size is copied together with its neighbours rather than written alone, and so is any
    /// that fills less than a quarter of the buffer which it would keep alive.
    var smallPartBytes = 64 * 1024

    /// How many bytes the next read may return when so many of a body have come: twice as many with each doubling, so that
    /// a long one has the largest reads soon and the buffer is seldom another one.
    func portion(afterReceiving arrived: Int) -> Int {
        var portion = firstReceiveBytes
        while portion < receiveBytes, portion <= arrived / 2 { portion *= 2 }
        return min(portion, receiveBytes)
    }

    /// The same for a connection over TLS, where each buffer is there twice.
    ///
    /// NIOSSL decrypts into one buffer that it keeps. As somebody still holds the bytes of the last read, it copies
    /// that buffer at the next one, with all of its capacity, which is up to twice what was read. With small reads
    /// such copies stay in the processor's cache, and 16 connections within what Ferry promises to need.
    var overTLS: BufferPlan {
        var plan = self
        plan.receiveBytes = min(receiveBytes, 256 * 1024)
        plan.waitingBytes = min(waitingBytes, 512 * 1024)
        return plan
    }
}
