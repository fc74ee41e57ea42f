import KettleControl
import KettleModel
import KettleRPC
import KettleSystem

/// Answers the program that started `kettle-aria2c` about its downloads, over aria2's RPC. yt-dlp
/// shows progress that way, and ends the program with `aria2.shutdown`.
final class Aria2cDoor: RPCPerforming, InterruptionSource {
  private struct State: Sendable {
    var ids: [TransferID] = []
    var rows: [TransferID: TransferSnapshot] = [:]
    var isShutDown = false
    var listeners: [AsyncStream<Interruption>.Continuation] = []
  }

  private let state = Mutex(State())
  private let signals: any InterruptionSource

  /// - Parameter signals: other reasons to end the command.
  init(signals: any InterruptionSource) { self.signals = signals }

  func begin(with ids: [TransferID]) { state.withLock { $0.ids = ids } }

  func note(_ row: TransferSnapshot) {
    state.withLock { if $0.ids.contains(row.id) { $0.rows[row.id] = row } }
  }

  var isShutDown: Bool { state.withLock { $0.isShutDown } }

  // MARK: The end

  /// Those of the signals, and one more when the client shuts down.
  func interruptions() -> AsyncStream<Interruption> {
    let others = signals.interruptions()
    let (stream, continuation) = AsyncStream<Interruption>.makeStream()
    let forwarding = Task {
      for await one in others { continuation.yield(one) }
    }
    continuation.onTermination = { _ in forwarding.cancel() }
    let isOver = state.withLock { state in
      state.listeners.append(continuation)
      return state.isShutDown
    }
    if isOver { continuation.yield(.terminate) }
    return stream
  }

  /// Ends the program as the client does with `aria2.shutdown`.
  func shutDown() {
    let listeners = state.withLock { state in
      state.isShutDown = true
      return state.listeners
    }
    for listener in listeners { listener.yield(.terminate) }
  }

  // MARK: Methods

  func addAll(_ requests: [RPCAddition]) async -> [Result<RPCValue, RPCError>] {
    requests.map { _ in .failure(Self.refusal) }
  }

  private static let refusal = RPCError.refused(
    "kettle-aria2c only reports on its downloads; to control them, run \"kettle rpc enable\"")

  private var downloads: [RPCDownload] {
    state.withLock { state in
      state.ids.compactMap { id in state.rows[id].map { RPCDownload(gid: GID(id), row: $0) } }
    }
  }

  func perform(_ method: RPCMethod) async throws(RPCError) -> RPCValue {
    switch method {
    case .tellActive(let keys): return list(keys) { $0 == .active }
    case .tellWaiting(let window, let keys):
      return list(keys, window) { $0 == .waiting || $0 == .paused }
    case .tellStopped(let window, let keys): return list(keys, window) { $0.isStopped }
    case .tellStatus(let gid, let keys):
      guard let one = downloads.first(where: { gid.range.contains($0.gid) }) else {
        throw .unknownGID(gid.text)
      }
      return StatusAnswer.fields(of: one, keys)
    case .globalStatistics:
      let all = downloads
      return ServiceAnswer.statistics(
        bytesPerSecond: all.reduce(0) { $0 + $1.row.bytesPerSecond },
        active: all.count { $0.status == .active },
        waiting: all.count { $0.status == .waiting || $0.status == .paused },
        stopped: all.count(where: \.status.isStopped))
    case .version: return ServiceAnswer.version
    case .sessionInformation: return ServiceAnswer.session(instance: "kettle-aria2c")
    case .shutdown:
      shutDown()
      return "OK"
    case .saveSession: return "OK"
    case .listMethods: return .list(RPCMethod.names.map(RPCValue.text))
    case .listNotifications:
      return .list(RPCNotification.allCases.map { .text($0.rawValue) })
    case .addURIs, .addMetalink, .addTorrent, .remove, .pause, .unpause, .pauseAll, .unpauseAll,
      .uris, .files, .peers, .servers, .changePosition, .changeURIs, .option, .changeOption,
      .globalOption, .changeGlobalOption, .purgeResults, .removeResult, .multicall:
      throw Self.refusal
    }
  }

  private func list(
    _ keys: StatusKeys, _ window: RPCWindow = RPCWindow(offset: 0, count: .max),
    where isListed: (RPCStatus) -> Bool
  ) -> RPCValue {
    let listed = downloads.filter { isListed($0.status) }
    let (range, isReversed) = window.rows(of: listed.count)
    let rows = listed[range].map { StatusAnswer.fields(of: $0, keys) }
    return .list(isReversed ? rows.reversed() : rows)
  }
}
