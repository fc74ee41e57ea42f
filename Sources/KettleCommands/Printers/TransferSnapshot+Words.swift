import KettleControl
import KettleDashboard
import KettleModel

extension TransferSnapshot {
  /// Stands before a time that is a guess.
  var guessMark: String { readyAtIsGuess == true ? "~" : "" }

  /// The state in one or two words; for a waiting transfer, what it waits for.
  var stateWords: String {
    guard state == .waiting, let reason else { return state.rawValue }
    return HeldBackWords(reason).state
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

/// Formats an event as a line for people: time, id, what happened, title.
struct EventLine {
  let clock: any CommandClock

  func text(of event: TransferEvent) -> String {
    let words: String
    switch event.kind {
    case .added: words = "added, \(event.snapshot.stateWords)"
    case .removed: words = "removed"
    case .stateChanged: words = Self.stateWords(event.snapshot)
    case .progress: words = event.snapshot.progressWords
    }
    let id = ColumnText.right(event.id.description, 4)
    return "\(time(event.at))  \(id)  \(event.snapshot.shownTitle): \(words)"
  }

  private static func stateWords(_ row: TransferSnapshot) -> String {
    if row.state == .completed, let path = row.path {
      return "completed, \(row.sizeWords) in \(Sentences.quoted(path, limit: 1024))"
    }
    return row.complaint.map { "\(row.stateWords): \($0)" } ?? row.stateWords
  }

  private func time(_ time: WallTime) -> String {
    guard let local = clock.localTime(of: time) else { return time.iso8601 }
    return Self.digits(local.hour) + ":" + Self.digits(local.minute) + ":"
      + Self.digits(local.second)
  }

  private static func digits(_ number: Int64) -> String {
    (number < 10 ? "0" : "") + String(number)
  }
}

/// Text in terminal columns, where a character is zero, one or two columns wide.
enum ColumnText {
  static func width(of text: String) -> Int {
    text.unicodeScalars.reduce(0) { $0 + DisplayWidth.columns(of: $1) }
  }

  /// Returns the text cut to `columns`, with `…` in place of the rest.
  static func clipped(_ text: String, to columns: Int) -> String {
    guard width(of: text) > columns else { return text }
    guard columns > 0 else { return "" }
    var result = ""
    var room = columns - 1
    for character in text {
      let size = width(of: String(character))
      guard size <= room else { break }
      result.append(character)
      room -= size
    }
    return result + "…"
  }

  static func left(_ text: String, _ columns: Int) -> String {
    text + String(repeating: " ", count: max(0, columns - width(of: text)))
  }

  static func right(_ text: String, _ columns: Int) -> String {
    String(repeating: " ", count: max(0, columns - width(of: text))) + text
  }
}
