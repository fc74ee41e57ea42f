import KettleAria2
import KettleControl
import KettleEngine
import KettleModel

/// Questions about downloads.
extension RPCMethods {
  func tellActive(_ keys: StatusKeys) async throws(RPCError) -> RPCValue {
    let count = try await lists.count(.active)
    return .list(await fields(of: try await lists.rows(.active, 0..<count), keys))
  }

  func tellWaiting(
    _ window: RPCWindow, _ keys: StatusKeys
  ) async throws(RPCError) -> RPCValue {
    let (range, isReversed) = window.rows(of: try await lists.count(.pending))
    let rows = try await lists.rows(.pending, range)
    return .list(await fields(of: isReversed ? rows.reversed() : rows, keys))
  }

  func uris(of gid: GIDText) async throws(RPCError) -> RPCValue {
    let download = try await anyDownload(gid)
    guard !download.status.isStopped else {
      throw .refused("No URI data is available for GID#\(download.gid)")
    }
    return StatusAnswer.uris(of: download)
  }

  func servers(of gid: GIDText) async throws(RPCError) -> RPCValue {
    let details = try await transfer(gid)
    let download = download(details)
    guard download.status == .active else {
      throw .refused("No active download for GID#\(download.gid)")
    }
    return StatusAnswer.servers(
      TransferDetails(details).liveConnections ?? [], url: download.row.url)
  }

  func anyDownload(_ gid: GIDText) async throws(RPCError) -> RPCDownload {
    switch try await named(gid) {
    case .removed(let download): return download
    case .transfer(let details):
      let download = download(details)
      // One that was cleared from view is as good as purged.
      guard details.snapshot.isCleared != true else { throw .unknownGID(gid.text) }
      return download
    }
  }

  /// Those that clients removed come after all others.
  func tellStopped(
    _ window: RPCWindow, _ keys: StatusKeys
  ) async throws(RPCError) -> RPCValue {
    let count = try await lists.count(.ended)
    let removed = ledger.removed
    let (range, isReversed) = window.rows(of: count + removed.count)
    let rows = try await lists.rows(.ended, range.clamped(to: 0..<count))
    let rest = range.clamped(to: count..<(count + removed.count))
    let tail = removed[(rest.lowerBound - count)..<(rest.upperBound - count)]
    let all =
      await fields(of: rows, keys) + tail.map { StatusAnswer.fields(of: $0, keys) }
    return .list(isReversed ? all.reversed() : all)
  }

  private func fields(of rows: [TransferSnapshot], _ keys: StatusKeys) async -> [RPCValue] {
    guard keys.contains(anyOf: StatusAnswer.fieldsOfRecord) else {
      return rows.map { row in
        StatusAnswer.fields(of: RPCDownload(gid: ledger.gid(of: row.id), row: row), keys)
      }
    }
    return await engine.details(of: rows.map(\.id)).map {
      StatusAnswer.fields(of: download($0), keys)
    }
  }
}
