import KettleControl
import KettleEngine
import KettleModel
import KettleRPC
import KettleScheduler

/// Performs the methods of aria2's RPC: the only place that knows both them and the engine.
struct RPCMethods: RPCPerforming {
  let engine: TransferEngine
  let settings: RPCSettings
  let ledger: RPCLedger
  let lists: RPCLists
  /// Unique to this start of the service.
  let instance: String
  /// Closes the port.
  let shutDown: @Sendable () -> Void

  func perform(_ method: RPCMethod) async throws(RPCError) -> RPCValue {
    switch method {
    case .addURIs(let uris, let options, let position):
      return try await add(uris, options, at: position)
    case .addMetalink(let bytes, let options, let position):
      return try await addMetalink(bytes, options, at: position)
    case .addTorrent: throw .refused("BitTorrent is not supported; give a URL or a Metalink")
    case .remove(let gid): return try await remove(gid)
    case .pause(let gid): return try await pause(gid)
    case .unpause(let gid): return try await unpause(gid)
    case .pauseAll: return await pauseAll()
    case .unpauseAll: return await unpauseAll()
    case .purgeResults: return try await purgeResults()
    case .removeResult(let gid): return try await removeResult(gid)
    case .changePosition(let gid, let offset, let origin):
      return .integer(Int64(try await changePosition(of: gid, offset: offset, from: origin)))
    case .changeURIs(let gid, let file, let removed, let added):
      return try await changeURIs(of: gid, file: file, removed: removed, added: added)
    case .tellStatus(let gid, let keys):
      return StatusAnswer.fields(of: try await anyDownload(gid), keys)
    case .tellActive(let keys): return try await tellActive(keys)
    case .tellWaiting(let window, let keys): return try await tellWaiting(window, keys)
    case .tellStopped(let window, let keys): return try await tellStopped(window, keys)
    case .uris(let gid): return try await uris(of: gid)
    case .files(let gid): return StatusAnswer.files(of: try await anyDownload(gid))
    case .peers(let gid):
      _ = try await anyDownload(gid)
      return []
    case .servers(let gid): return try await servers(of: gid)
    case .option(let gid): return try await options(of: gid)
    case .changeOption(let gid, let options): return try await change(gid, options)
    case .globalOption: return OptionAnswer.options(of: await globals())
    case .changeGlobalOption(let options): return try await changeGlobals(options)
    case .globalStatistics:
      return ServiceAnswer.statistics(
        bytesPerSecond: lists.bytesPerSecond, active: try await lists.count(.active),
        waiting: try await lists.count(.pending),
        stopped: try await lists.count(.ended) + ledger.removed.count)
    case .version: return ServiceAnswer.version
    case .sessionInformation: return ServiceAnswer.session(instance: instance)
    case .shutdown:
      shutDown()
      return "OK"
    // Every change is stored at once.
    case .saveSession: return "OK"
    case .listMethods: return .list(RPCMethod.names.map(RPCValue.text))
    case .listNotifications:
      return .list(RPCNotification.allCases.map { .text($0.rawValue) })
    case .multicall: throw .refused("Recursive system.multicall forbidden.")
    }
  }

  // MARK: Names

  /// The one that a client names.
  enum Named: Sendable {
    case transfer(EngineDetails)
    case removed(RPCDownload)
  }

  func named(_ gid: GIDText) async throws(RPCError) -> Named {
    let removed = ledger.removed(in: gid.range)
    if let exact = gid.exact, let details = await engine.details(of: ledger.transferID(of: exact)),
      ledger.gid(of: details.record.id) == exact
    {
      return .transfer(details)
    }
    let ids = gid.exact == nil ? try await lists.ids(in: gid.range) : []
    guard ids.count + removed.count < 2 else { throw .ambiguousGID(gid.text) }
    if let download = removed.first { return .removed(download) }
    guard let id = ids.first, let details = await engine.details(of: id) else {
      throw .unknownGID(gid.text)
    }
    return .transfer(details)
  }

  /// A transfer that is in the list.
  func transfer(_ gid: GIDText) async throws(RPCError) -> EngineDetails {
    switch try await named(gid) {
    case .transfer(let details): return details
    case .removed(let download): throw .noDownload(download.gid)
    }
  }

  func download(_ details: EngineDetails) -> RPCDownload {
    RPCDownload(
      gid: ledger.gid(of: details.record.id), row: details.snapshot, record: details.record,
      received: details.received, directory: details.directory)
  }
}

extension EngineDetails {
  /// What is durable, and what the connections have received since.
  fileprivate var received: ByteRangeSet {
    connections.reduce(into: record.resumeData?.durable ?? ByteRangeSet()) { held, connection in
      guard let lower = connection.range?.lower,
        let range = ByteRange(lower: lower, upper: connection.receivedUpTo)
      else { return }
      held.insert(range)
    }
  }
}

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
      TransferDetails(details).liveConnections, url: download.row.url)
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
