/// A desktop notification for a person who is not watching a Kettle screen: plain text, safe to
/// show.
package struct Alert: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case finished
    case trouble
  }

  package var kind: Kind
  /// One line, shown in bold by most desktops.
  package var summary: String
  package var body: String

  package init(kind: Kind, summary: String, body: String) {
    self.kind = kind
    self.summary = summary
    self.body = body
  }
}

/// The sentences of alerts.
enum AlertText {
  /// Everything that was under way has finished. `failed` and `blocked` are the exceptions.
  static func finished(
    _ completed: AlertTally, failed: AlertTally, blocked: AlertTally
  ) -> Alert {
    var parts = ["\(downloads(completed.count)) finished"]
    var lines: [String] = []
    if !failed.isEmpty {
      parts.append("\(number(failed.count)) failed")
      lines.append("Failed: \(failed.list)")
    }
    if !blocked.isEmpty {
      parts.append("\(number(blocked.count)) \(blocked.count == 1 ? "needs" : "need") you")
      lines.append(need(of: blocked))
    }
    if lines.isEmpty { lines = [completed.list] + (completed.subtitle.map { [$0] } ?? []) }
    let summary =
      parts.count == 1 && completed.count == 1
      ? "Download finished" : parts.joined(separator: ", ")
    return Alert(kind: .finished, summary: summary, body: lines.joined(separator: "\n"))
  }

  /// Some failed or cannot continue without the user; the rest continues.
  static func trouble(failed: AlertTally, blocked: AlertTally) -> Alert {
    var parts: [String] = []
    var lines: [String] = []
    if !failed.isEmpty {
      parts.append(failed.count == 1 ? "Download failed" : "\(downloads(failed.count)) failed")
      lines.append(failed.sentence ?? failed.list)
    }
    if !blocked.isEmpty {
      let verb = blocked.count == 1 ? "needs" : "need"
      let subject =
        blocked.count == 1 ? "A download" : downloads(blocked.count)
      parts.append("\(parts.isEmpty ? subject : number(blocked.count)) \(verb) you")
      lines.append(need(of: blocked))
    }
    return Alert(
      kind: .trouble, summary: parts.joined(separator: ", "), body: lines.joined(separator: "\n"))
  }

  private static func need(of blocked: AlertTally) -> String {
    blocked.sentence ?? "Waiting for a login or a new link: \(blocked.list)"
  }

  private static func downloads(_ count: Int) -> String {
    count == 1 ? "1 download" : "\(number(count)) downloads"
  }

  /// Formats a number with commas between thousands.
  static func number(_ count: Int) -> String {
    let digits = Array(String(count))
    return digits.indices.reduce(into: "") { text, index in
      if index > 0, (digits.count - index).isMultiple(of: 3) { text.append(",") }
      text.append(digits[index])
    }
  }
}
