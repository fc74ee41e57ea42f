import KettleModel
import KettleSocket
import KettleSystem
import Logging

/// Logs the clients that the service drops, with the reason, at a limited rate so that a hostile
/// client cannot fill the log.
final class DroppedClientLog: Sendable {
  /// Why a client was dropped.
  enum Reason: Hashable, Sendable {
    /// It reads too slowly.
    case overflow
    case lineTooLong(byteCountMax: Int)
    /// It did not finish a line in time.
    case lineNotFinished
    case foreignUser(Int64)
    case tooManyConnections(countMax: Int)
    /// The connection failed during a write.
    case writeFailed

    /// The text for the log.
    var text: String {
      switch self {
      case .overflow: "overflow: it reads too slowly"
      case .lineTooLong(let byteCountMax): "it sent a line of more than \(byteCountMax) bytes"
      case .lineNotFinished: "it did not finish a line in time"
      case .foreignUser(let userID): "it runs as user \(userID)"
      case .tooManyConnections(let countMax): "\(countMax) connections are open"
      case .writeFailed: "writing to it failed"
      }
    }
  }

  private let limiter = Mutex(LogLimiter())
  private let logger: Logger
  private let now: @Sendable () -> MonotonicTime

  init(logger: Logger, now: @escaping @Sendable () -> MonotonicTime) {
    self.logger = logger
    self.now = now
  }

  /// - Parameter processID: the client's process; nil if unknown.
  func log(_ reason: Reason, processID: Int64? = nil) {
    switch limiter.withLock({ $0.admit(at: now()) }) {
    case .omitted: return
    case .logged(let omittedCount):
      var metadata: Logger.Metadata = ["reason": "\(reason.text)"]
      if let processID { metadata["process"] = "\(processID)" }
      if omittedCount > 0 { metadata["others"] = "\(omittedCount)" }
      logger.info("A client was dropped", metadata: metadata)
    }
  }
}

extension DroppedClientLog {
  func log(refused refusal: ControlListener.Refusal) {
    switch refusal {
    case .foreignUser(let userID): log(.foreignUser(userID))
    case .tooManyConnections(let countMax, let processID):
      log(.tooManyConnections(countMax: countMax), processID: processID)
    }
  }
}

/// Limits the rate of log records and counts the ones it omits.
struct LogLimiter: Sendable {
  enum Verdict: Hashable, Sendable {
    /// Includes the number of records omitted since the last one.
    case logged(omittedCount: Int)
    case omitted
  }

  /// Allows a burst of `countMax`; after that, one for each fraction of `milliseconds`.
  private let countMax: Int64
  private let milliseconds: Int64
  /// When the last accepted record no longer counts.
  private var busyUntil: MonotonicTime?
  private var omittedCount = 0

  init(countMax: Int64 = 20, milliseconds: Int64 = 60_000) {
    self.countMax = countMax
    self.milliseconds = milliseconds
  }

  mutating func admit(at now: MonotonicTime) -> Verdict {
    let begin = busyUntil.map { max($0, now) } ?? now
    let part = milliseconds / countMax
    guard begin.milliseconds(since: now) <= milliseconds - part else {
      omittedCount = omittedCount == .max ? .max : omittedCount + 1
      return .omitted
    }
    busyUntil = begin.advanced(byMilliseconds: part)
    defer { omittedCount = 0 }
    return .logged(omittedCount: omittedCount)
  }
}

/// Counts the connected clients, and reports when none has been connected for a while.
final class AbandonmentWatch: Sendable {
  private struct State: Sendable {
    var count = 0
    /// Increases with each client. A wait that began before the latest one no longer counts.
    var arrivalCount = 0
  }

  private let state = Mutex(State())
  private let afterPause: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let whenAbandoned: @Sendable () -> Void

  /// - Parameters:
  ///   - afterPause: calls its argument when a service without clients has waited long enough.
  ///   - whenAbandoned: called when no client has come during a pause.
  init(
    afterPause: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    whenAbandoned: @escaping @Sendable () -> Void
  ) {
    self.afterPause = afterPause
    self.whenAbandoned = whenAbandoned
  }

  /// Begins to wait for the first client.
  func begin() { wait(since: 0) }

  func arrived() {
    state.withLock {
      $0.count += 1
      $0.arrivalCount += 1
    }
  }

  /// Begins to wait for another client if this was the last one.
  func left() {
    let arrivalCount: Int? = state.withLock { state in
      state.count -= 1
      return state.count == 0 ? state.arrivalCount : nil
    }
    if let arrivalCount { wait(since: arrivalCount) }
  }

  private func wait(since arrivalCount: Int) {
    afterPause { [self] in
      let isAbandoned = state.withLock { $0.count == 0 && $0.arrivalCount == arrivalCount }
      if isAbandoned { whenAbandoned() }
    }
  }
}
