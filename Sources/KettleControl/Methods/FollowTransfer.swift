import KettleModel

/// Asks a transfer on the list for what a new request for its URL asks, in place of adding another
/// one. It takes over all of it or nothing, and is started if it stands still.
package enum FollowTransfer: ControlMethod {
  package static let name = "transfers.follow"

  package struct Params: Codable, Hashable, Sendable {
    package var id: TransferID
    /// As for `transfers.add`.
    package var transfer: TransferSpec

    package init(id: TransferID, transfer: TransferSpec) {
      self.id = id
      self.transfer = transfer
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    package enum Outcome: String, Codable, Hashable, Sendable {
      /// The transfer leads to what is asked.
      case follows
      /// A new transfer is needed: the request means another file, the transfer or its file is
      /// gone, or the file was changed.
      case otherFile, transferGone, fileGone, fileChanged
      /// `parts` cannot be taken over any more.
      case tooLate
      /// The finished file has another digest than the checksum that is asked.
      case mismatch
      /// The finished file cannot be read to compare it.
      case unreadable
    }

    package var outcome: Outcome
    /// What was taken over, or what is too late.
    package var parts: [RequestPart]?
    /// For `tooLate`.
    package var state: TransferState?
    /// For `mismatch`: the finished file and its digest.
    package var path: String?
    package var found: String?
    /// For `unreadable`.
    package var error: TransferFailure?

    package init(_ outcome: Outcome, parts: [RequestPart]? = nil) {
      self.outcome = outcome
      self.parts = parts
    }
  }
}
