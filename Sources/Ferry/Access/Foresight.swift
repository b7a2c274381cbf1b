package import FerryCore

/// What a download would meet if it were added now.
package struct Foresight: Sendable {
    /// The download as it would be added.
    package let new: NewTransfer
    /// The earlier transfer of the same download.
    package let earlier: Earlier

    /// An earlier transfer of the same download.
    package enum Earlier: Hashable, Sendable {
        /// There is none that counts.
        case none
        /// It is completed, and its file is still in its place: nothing would be fetched.
        case fulfilled(Transfer)
        /// It is unfinished or has failed: it would be resumed.
        case met(Transfer)
        /// It was cancelled, and has left a part file: a new transfer would resume from that.
        case kept(Transfer)
    }

    package init(_ new: NewTransfer, _ earlier: Earlier) { (self.new, self.earlier) = (new, earlier) }

    /// The earlier transfer, if there is one.
    package var transfer: Transfer? {
        switch earlier {
        case .none: nil
        case .fulfilled(let transfer), .met(let transfer), .kept(let transfer): transfer
        }
    }

    /// The name that the file has; `nil` while only a server knows it.
    package var name: FileName? {
        let work = transfer?.work ?? new.work
        return work.download.flatMap { $0.place?.name }
    }

    /// The file that the server would be asked for another version of; `nil` if there is none.
    package var saved: SavedVersion? {
        let work = if case .met(let transfer) = earlier { transfer.work } else { new.work }
        return work.download.flatMap(\.progress.saved)
    }
}
