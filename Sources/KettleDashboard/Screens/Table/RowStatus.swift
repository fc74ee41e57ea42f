import KettleModel

/// The right end of a row: numbers while the transfer runs, otherwise words.
package enum RowStatus: Hashable, Sendable {
  /// The speed has several forms, the longest first.
  case moving(speeds: [String], connections: String, ready: String)
  /// The longest form first. `ready` is when it will be ready, or was; empty if that is not known.
  case words([String], ready: String)

  package init(_ row: TransferSnapshot, clock: ClockText, now: WallTime) {
    let ready =
      row.expectedReadyAt(now: now).map {
        Strings.guessed(clock.brief($0, now: now), isGuess: row.readyAtIsGuess == true)
      } ?? ""
    switch row.state {
    case .running:
      self = .moving(
        speeds: Self.speeds(row), connections: row.connections > 0 ? "\(row.connections)" : "",
        ready: ready)
    case .waiting: self = .words(Self.waitingForms(row, now: now), ready: ready)
    case .failed: self = .words(Strings.failed(row.error), ready: "")
    case .completed:
      let finished = row.finishedAt.map { clock.brief($0, now: now) }
      self = .words(Strings.ready(row), ready: finished ?? "")
    case .scheduled:
      let start = row.goesOnAt.map { clock.long($0, now: now) }
      self = .words(Strings.scheduled(start), ready: ready)
    case .idle: self = .words([Strings.idle(wasStarted: row.wasStarted)], ready: "")
    case .queued:
      let opening = row.heldBack?.until.map { clock.short($0, now: now) }
      self = .words(Strings.queued(row, opening: opening), ready: ready)
    case .paused: self = .words([Strings.paused], ready: "")
    case .verifying: self = .words([Strings.verifying], ready: ready)
    }
  }

  /// Includes the limit if there is one and it fits.
  private static func speeds(_ row: TransferSnapshot) -> [String] {
    let speed = ByteText.speed(row.bytesPerSecond)
    guard let limit = row.limitBytesPerSecond, limit > 0 else { return [speed] }
    return [ByteText.speed(row.bytesPerSecond, limit: limit), speed]
  }

  private static func waitingForms(_ row: TransferSnapshot, now: WallTime) -> [String] {
    guard let reason = row.reason else { return [Strings.waits] }
    guard reason.isRetry else { return HeldBackWords(reason, of: row).forms }
    let seconds = row.goesOnAt.map { ($0.milliseconds(after: now) - 1) / 1000 + 1 }
    let countdown = seconds.map { $0 > 0 ? DurationText.countdown($0) : nil } ?? nil
    return Strings.retry(in: countdown, because: row.error)
  }
}

extension TransferSnapshot {
  /// When the transfer is expected to be complete; nil if that is not known.
  package func expectedReadyAt(now: WallTime) -> WallTime? {
    if let readyAt { return readyAt }
    guard state == .running, let secondsLeft else { return nil }
    let (milliseconds, isTooLong) = secondsLeft.multipliedReportingOverflow(by: 1000)
    return isTooLong ? nil : now.advanced(byMilliseconds: milliseconds)
  }

  /// A stop discards the bytes but keeps the name of the file.
  var wasStarted: Bool { bytesReceived > 0 || path != nil }

  package var isWhole: Bool {
    switch state {
    case .completed, .verifying: true
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .failed: false
    }
  }

  package var percentText: String? {
    if isWhole { return PercentageText.text(1, of: 1, isWhole: true) }
    guard let bytesExpected, bytesExpected > 0, bytesReceived > 0 else { return nil }
    return PercentageText.text(bytesReceived, of: bytesExpected, isWhole: false)
  }

  package var sizeText: String {
    if isWhole { return ByteText.size(bytesExpected ?? bytesReceived) }
    if let bytesExpected { return ByteText.progress(bytesReceived, of: bytesExpected) }
    return bytesReceived > 0 ? ByteText.size(bytesReceived) : ""
  }

  package var stateRole: Role {
    switch state {
    case .completed: .good
    case .failed: .problem
    case .waiting: reason?.needsUser == true ? .problem : .waiting
    case .paused, .scheduled: .waiting
    case .running, .verifying: .key
    case .idle, .queued: .quiet
    }
  }
}
