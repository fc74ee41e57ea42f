import KettleControl
import KettleDashboard
import KettleModel

extension TransferSnapshot {
  /// Stands before a time that is a guess.
  var guessMark: String { readyAtIsGuess == true ? "~" : "" }

  /// The state in one or two words; for a waiting transfer, what it waits for.
  var stateWords: String {
    if state == .verifying, let fileWorkText { return fileWorkText }
    guard state == .waiting, let reason else { return Strings.countWord(state) }
    return HeldBackWords(reason).state
  }

  /// The dashboard's role for the state, except that completed transfers are quiet.
  var stateWordsRole: Role { state == .completed ? .quiet : stateRole }

  var percentWords: String { percentText ?? "" }

  /// How a transfer ended that is done: the checksum that its file matches.
  var proofWords: String { verifiedBy.map { ", \($0.rawValue) matches" } ?? "" }

  /// Empty in the first seconds, when no speed is known yet. A transfer to which nothing arrives
  /// has a cause for that.
  var speedWords: String {
    guard state == .running, bytesPerSecond > 0 || heldBack != nil else { return "" }
    return ByteText.speed(bytesPerSecond)
  }

  /// How long it will take until the transfer is done; empty if that is not known.
  func leftWords(at now: WallTime) -> String {
    expectedReadyAt(now: now).map { guessMark + DurationText.left(until: $0, now: now) } ?? ""
  }

  /// The progress, for example `61%, 402/659 MiB, 12.1 MiB/s, 0:21 left`; empty at the start.
  var progressWords: String {
    let left = state == .running ? secondsLeft.map(Strings.timeLeft) ?? "" : ""
    return [percentWords, sizeText, speedWords, left].filter { !$0.isEmpty }
      .joined(separator: ", ")
  }

  /// The title, safe to show; of a file of a collection its path.
  var shownTitle: String { (member?.path.text ?? title).sanitizedForDisplay(limit: 200) }

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
      return "\(row.stateWords), \(row.sizeText) in \(Sentences.quoted(path, limit: 1024))"
    }
    return row.complaint.map { "\(row.stateWords): \($0)" } ?? row.stateWords
  }

  private func time(_ time: WallTime) -> String {
    guard let local = clock.localTime(of: time)?.inUTC else { return time.iso8601 }
    // The local calendar read as UTC prints the local time.
    return ClockText(utcOffsetSeconds: 0).withSeconds(local)
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
