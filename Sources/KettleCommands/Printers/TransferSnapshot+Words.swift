import KettleDashboard
import KettleModel

extension TransferSnapshot {
  /// The state in one or two words; for a waiting transfer, what it waits for.
  var stateWords: String {
    switch state {
    case .idle, .scheduled, .queued, .running, .paused, .verifying, .completed, .failed:
      state.rawValue
    case .waiting:
      switch reason {
      case .retry, .retryAfter: "retrying"
      case .network: "no network"
      case .hostUnreachable: "host down"
      case .proxy: "proxy"
      case .diskSpace: "disk full"
      case .discretionary: "deferred"
      case .needsLink: "needs link"
      case .needsLogin: "needs login"
      case .needsDecision: "needs decision"
      case nil: "waiting"
      }
    }
  }

  /// The dashboard's role for the state, except that completed transfers are quiet.
  var stateWordsRole: Role { state == .completed ? .quiet : stateRole }

  var percentWords: String {
    if state == .completed { return "100 %" }
    guard let bytesExpected else { return "" }
    return PercentageText.text(bytesReceived, of: bytesExpected, isWhole: false)
  }

  var sizeWords: String {
    if state == .completed { return ByteText.size(bytesReceived) }
    if let bytesExpected { return ByteText.progress(bytesReceived, of: bytesExpected) }
    return bytesReceived > 0 ? ByteText.size(bytesReceived) : ""
  }

  /// Empty in the first seconds, when no speed is known yet. A transfer to which nothing arrives
  /// has a cause for that.
  var speedWords: String {
    guard state == .running, bytesPerSecond > 0 || heldBack != nil else { return "" }
    return ByteText.speed(bytesPerSecond)
  }

  var leftWords: String {
    guard state == .running, let secondsLeft else { return "" }
    return DurationText.clock(secondsLeft)
  }

  /// The progress, for example `61 %, 402/659 MiB, 12.1 MiB/s, 0:21 left`; empty at the start.
  var progressWords: String {
    let left = leftWords.isEmpty ? "" : leftWords + " left"
    return [percentWords, sizeWords, speedWords, left].filter { !$0.isEmpty }
      .joined(separator: ", ")
  }

  /// The title, safe to show.
  var shownTitle: String { title.sanitizedForDisplay(limit: 200) }

  /// What went wrong, safe to show; nil when nothing did.
  var complaint: String? {
    if let taskNote { return taskNote }
    guard state == .failed || state == .waiting else { return nil }
    return problemSentence?.sanitizedForDisplay(limit: 400)
  }

  /// What a program's task waits for, where its state does not show it.
  private var taskNote: String? {
    guard let task else { return nil }
    if task.resumeToken != nil, state != .failed { return Sentences.taskIsSetAside }
    switch state {
    case .completed: return Sentences.taskIsUncollected
    case .waiting where reason == .needsLogin && task.challenge != nil:
      return Sentences.taskIsChallenged
    case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying, .failed:
      return nil
    }
  }
}
