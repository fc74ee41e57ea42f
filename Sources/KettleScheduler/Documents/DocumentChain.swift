import KettleModel

/// The documents of a run that have each led to the next one. Without a limit, a document that
/// names itself would be requested for ever.
struct DocumentChain: Sendable, Hashable {
  /// Real chains are shorter: a redirect to a Metalink that lists a playlist, for example.
  static let countMax = 5

  private var urls: [TransferURL] = []

  /// Follows one more document. Returns what is wrong with that, for the detail of a failure.
  mutating func follow(_ url: TransferURL) -> String? {
    if urls.contains(url) { return "it leads back to itself" }
    guard urls.count < Self.countMax else {
      return "more than \(Self.countMax) documents lead from one to the next"
    }
    urls.append(url)
    return nil
  }
}
