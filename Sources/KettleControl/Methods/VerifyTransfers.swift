import KettleModel

/// Compares finished files with what is known of their bytes, and repairs those that are damaged.
/// The reply says at once how far each one is; a client asks again until all have ended.
package enum VerifyTransfers: ControlMethod {
  package static let name = "transfers.verify"

  /// How many files one request may name.
  package static let idCountMax = 256

  package struct Params: Codable, Hashable, Sendable {
    package var ids: [TransferID]
    /// A file that was compared at this time or later is not compared again.
    package var since: WallTime
    package var consequence: VerificationConsequence

    package init(
      ids: [TransferID], since: WallTime, consequence: VerificationConsequence = .report
    ) {
      self.ids = ids
      self.since = since
      self.consequence = consequence
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// In the order of the request.
    package var progress: [VerificationProgress]

    package init(progress: [VerificationProgress]) { self.progress = progress }
  }
}
