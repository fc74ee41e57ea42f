import KettleModel

/// What a row says beside the name of its file.
package enum RowStatus: Hashable, Sendable {
  /// A bar and numbers. The speed has several forms, the longest first.
  case moving(speeds: [String], connections: String)
  /// A bar, and a word in place of the speed.
  case still(String)
  /// Words in place of the bar, the longest form first.
  case words([String])
  /// When it was done, what was proved then, and what went wrong afterwards.
  case done(String, proof: String?, problem: String?)

  package init(_ row: TransferSnapshot, clock: ClockText, now: WallTime) {
    switch row.state {
    case .running:
      self = .moving(
        speeds: Self.speeds(row), connections: row.connections > 0 ? "\(row.connections)" : "")
    case .waiting: self = .words(Self.waitingForms(row, now: now))
    case .failed: self = .words(Strings.failed(row.error))
    case .completed:
      let finished = row.finishedAt.map { clock.short($0, now: now) }
      self = .done(
        Strings.done(at: finished), proof: Strings.proof(of: row),
        problem: Strings.problem(of: row))
    case .scheduled:
      let start = row.goesOnAt.map { clock.long($0, now: now) }
      self = .words(Strings.scheduled(start))
    case .idle:
      let kept = row.kept(at: now).map { Strings.kept($0, until: clock.short($0.until, now: now)) }
      self = .words((kept ?? []) + [Strings.idle(wasStarted: row.wasStarted)])
    case .queued:
      let opening = row.heldBack?.until.map { clock.short($0, now: now) }
      self = .words(Strings.queued(row, opening: opening))
    case .paused: self = row.bytesReceived > 0 ? .still(Strings.paused) : .words([Strings.paused])
    case .verifying: self = .still(row.fileWorkText ?? Strings.verifying)
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

  /// The time until the transfer is expected to be done; nil if that is not known.
  func timeLeft(now: WallTime) -> String? {
    switch state {
    case .completed, .failed, .idle, .paused: return nil
    case .running, .verifying, .queued, .waiting, .scheduled: break
    }
    if let readyAt {
      let milliseconds = readyAt.milliseconds(after: now)
      guard milliseconds > 0 else { return nil }
      let text = DurationText.brief((milliseconds - 1) / 1000 + 1)
      return Strings.guessed(text, isGuess: readyAtIsGuess == true)
    }
    return state == .running ? secondsLeft.map(DurationText.brief) : nil
  }

  /// What the bin still keeps of it.
  func kept(at now: WallTime) -> KeptBytes? {
    kept.flatMap { $0.until > now ? $0 : nil }
  }

  /// A stop discards the bytes but keeps the name of the file.
  var wasStarted: Bool { bytesReceived > 0 || path != nil || kept != nil }

  package var isWhole: Bool {
    switch state {
    case .completed: true
    // After a crash, the durable bytes of an unfinished file are compared.
    case .verifying: comparedByteCount == nil && storedByteCount == nil
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .failed: false
    }
  }

  package var percentText: String? {
    if isWhole { return PercentageText.text(1, of: 1, isWhole: true) }
    let byteCount = storedByteCount ?? bytesReceived
    guard let bytesExpected, bytesExpected > 0, byteCount > 0 else { return nil }
    return PercentageText.text(byteCount, of: bytesExpected, isWhole: false)
  }

  package var sizeText: String {
    if isWhole { return ByteText.size(bytesExpected ?? bytesReceived) }
    if let bytesExpected {
      return ByteText.progress(storedByteCount ?? bytesReceived, of: bytesExpected)
    }
    return bytesReceived > 0 ? ByteText.size(bytesReceived) : ""
  }

  /// Whether its finished file is damaged, edited, missing or unreadable.
  var isBad: Bool { state == .completed && check?.isBad == true }

  package var stateRole: Role {
    switch state {
    case .completed: isBad ? .attention : .good
    case .failed: .problem
    case .waiting: reason?.needsUser == true ? .problem : .waiting
    case .paused, .scheduled: .waiting
    case .running, .verifying: .heat2
    case .idle, .queued: .quiet
    }
  }
}
