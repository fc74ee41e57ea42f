import Glibc
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

  /// Returns one id for each spec: that of the transfer on the list, which is started if it stands
  /// still, or that of a new one.
  ///
  /// - Parameters:
  ///   - filesAreHere: whether the paths of the service are those of this machine.
  ///   - add: adds the others.
  ///   - following: called for each that is followed.
  func ids(
    for specs: [TransferSpec], filesAreHere: Bool,
    adding add: ([TransferSpec]) async throws -> [TransferID],
    following: (TransferID) -> Void
  ) async throws -> [TransferID] {
    var known: [Int: TransferID] = [:]
    let urls = isWanted ? Set(specs.map(\.url.text)).sorted() : []
    let found = try await ListedURLs(service: service).find(urls)
    for (index, spec) in specs.enumerated() {
      guard let copy = found[spec.url.text],
        try await isUsable(copy, for: spec, filesAreHere: filesAreHere)
      else { continue }
      known[index] = copy.id
      following(copy.id)
    }
    let new = specs.indices.filter { known[$0] == nil }
    let ids = new.isEmpty ? [] : try await add(new.map { specs[$0] })
    guard ids.count == new.count else { throw ControlError(.internalError, AddTransfers.name) }
    for (index, id) in zip(new, ids) { known[index] = id }
    return specs.indices.compactMap { known[$0] }
  }

  /// Whether a transfer leads to the file that was requested. Starts it if it stands still.
  private func isUsable(
    _ copy: FindURLs.Found, for spec: TransferSpec, filesAreHere: Bool
  ) async throws -> Bool {
    let row: TransferSnapshot
    do {
      row = try await service.call(DescribeTransfer.self, .init(id: copy.id)).snapshot
    } catch let error as ControlError where error.code == .unknownTransfer {
      return false
    }
    guard row.session == spec.session, Self.isWhereWanted(row.path, spec) else { return false }
    switch row.state {
    case .completed:
      // A file that was deleted since is fetched again.
      return followsCompleted && (row.path.map { filesAreHere && access($0, F_OK) == 0 } ?? false)
    case .idle, .paused, .failed:
      let selection = TransferSelection.ids([copy.id])
      _ = try await service.call(
        ControlTransfers.self, .init(control: .start, selection: selection))
      return true
    case .scheduled, .queued, .running, .waiting, .verifying: return true
    }
  }

  private static func isWhereWanted(_ path: String?, _ spec: TransferSpec) -> Bool {
    guard spec.directory != nil || spec.name != nil else { return true }
    guard let path, let slash = path.lastIndex(of: "/") else { return false }
    let isDirectory = spec.directory.map { path[..<slash] == $0 } ?? true
    return isDirectory && spec.name.map { path[slash...].dropFirst() == $0.text } ?? true
  }
}
