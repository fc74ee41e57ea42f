import KettleClient
import KettleControl
import KettleModel

/// Finds the transfers that `get` follows in place of fetching the same URL twice.
struct ListedCopies {
  let service: any ServiceCalling
  /// Whether any is followed.
  let isWanted: Bool
  /// Whether a file that is complete is not fetched again.
  var followsCompleted = true

  /// What became of the requests.
  struct Outcome: Hashable {
    /// In the order of the requests, without those that were refused.
    var ids: [TransferID] = []
    var refusedCount = 0
  }

  /// Something to say about a request whose URL is on the list.
  enum Report: Hashable {
    /// It is followed, with these parts taken over.
    case follows(TransferID, [RequestPart])
    /// Another copy is fetched.
    case another(TransferID, FollowTransfer.Result.Outcome)
    /// Nothing is done.
    case refused(String)
  }

  /// Returns one id for each spec: that of the transfer on the list, which takes over what the spec
  /// asks and is started if it stands still, or that of a new one.
  ///
  /// - Parameters:
  ///   - add: adds the others.
  ///   - report: called for each whose URL is on the list.
  func ids(
    for specs: [TransferSpec], adding add: ([TransferSpec]) async throws -> [TransferID],
    report: (Report) -> Void
  ) async throws -> Outcome {
    let urls = isWanted ? Set(specs.map(\.url.text)).sorted() : []
    let found = try await ListedURLs(service: service).find(urls)
    var known: [Int: TransferID] = [:]
    var refused: Set<Int> = []
    for (index, spec) in specs.enumerated() {
      guard let copy = found[spec.url.text],
        followsCompleted || copy.state != .completed
      else { continue }
      let said = try await follow(copy.id, as: spec)
      report(said)
      switch said {
      case .follows(let id, _): known[index] = id
      case .another: break
      case .refused: refused.insert(index)
      }
    }
    let new = specs.indices.filter { known[$0] == nil && !refused.contains($0) }
    let ids = new.isEmpty ? [] : try await add(new.map { specs[$0] })
    guard ids.count == new.count else { throw ControlError(.internalError, AddTransfers.name) }
    for (index, id) in zip(new, ids) { known[index] = id }
    return Outcome(ids: specs.indices.compactMap { known[$0] }, refusedCount: refused.count)
  }

  private func follow(_ id: TransferID, as spec: TransferSpec) async throws -> Report {
    let result = try await service.call(FollowTransfer.self, .init(id: id, transfer: spec))
    switch result.outcome {
    case .follows: return .follows(id, result.parts ?? [])
    case .otherFile, .transferGone, .fileGone, .fileChanged: return .another(id, result.outcome)
    case .tooLate, .mismatch, .unreadable:
      return .refused(Sentences.notFollowed(id, result, asked: spec))
    }
  }
}
