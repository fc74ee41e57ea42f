import KettleModel

/// Compares finished files with what is known of their bytes, and repairs those that are damaged.
/// The reply says at once how far each one is; a client asks again until all have ended.
package enum VerifyTransfers: ControlMethod {
  package static let name = "transfers.verify"

  /// How many files one request may name.
  package static let idCountMax = 256

  package struct Params: Codable, Hashable, Sendable {
    package var ids: [TransferID]
    /// A file that was compared at this time or later is not compared again. nil in the first
    /// request; later ones repeat the time of the first reply, which comes from the clock of the
    /// service.
    package var since: WallTime?
    /// In the first request, how long ago a comparison may be; nil for 0.
    package var ageMaxMilliseconds: Int64?
    package var consequence: VerificationConsequence

    package init(
      ids: [TransferID], since: WallTime? = nil, ageMaxMilliseconds: Int64? = nil,
      consequence: VerificationConsequence = .report
    ) {
      self.ids = ids
      self.since = since
      self.ageMaxMilliseconds = ageMaxMilliseconds
      self.consequence = consequence
    }
  }

  package struct Result: Codable, Hashable, Sendable {
    /// In the order of the request.
    package var progress: [VerificationProgress]
    /// To be repeated in the next request.
    package var since: WallTime

    package init(progress: [VerificationProgress], since: WallTime) {
      self.progress = progress
      self.since = since
    }
  }
}
