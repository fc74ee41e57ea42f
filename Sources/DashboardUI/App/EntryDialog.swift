import TransferModel

/// A dialog with one line in which something is entered for one transfer.
package struct EntryDialog: Hashable, Sendable {
  package enum Purpose: Hashable, Sendable {
    case freshLink, speedLimit
  }

  /// What the line means.
  package enum Reading: Hashable, Sendable {
    case missing
    case link(TransferURL.Parsed)
    /// nil takes the limit away.
    case limit(bytesPerSecond: Int64?)
    case linkProblem(TransferURLProblem)
    case noRate
  }

  package let purpose: Purpose
  /// As it was when the dialog was opened.
  package let row: TransferSnapshot
  package internal(set) var line = LineEditor()

  init(_ purpose: Purpose, for row: TransferSnapshot) {
    self.purpose = purpose
    self.row = row
  }

  package var reading: Reading {
    let text = String(line.text.filter { $0 != " " && $0 != "\t" })
    switch purpose {
    case .freshLink:
      guard !text.isEmpty else { return .missing }
      switch TransferURL.parse(line.text) {
      case .success(let link): return .link(link)
      case .failure(let problem): return .linkProblem(problem)
      }
    case .speedLimit:
      if text.isEmpty || text.lowercased() == RateText.none { return .limit(bytesPerSecond: nil) }
      return RateText.parse(text).map { .limit(bytesPerSecond: $0) } ?? .noRate
    }
  }

  /// What is pasted often ends with a line break, or begins with one.
  mutating func insert(_ text: String) -> Bool {
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.count < 2 else { return false }
    return line.insert(lines.first.map(String.init) ?? "")
  }
}

extension DashboardModel {
  /// Takes what stands in the dialog, when it can be taken.
  mutating func enterNow(at now: Moment) -> [DashboardEffect] {
    guard case .entry(let dialog) = screens.last else { return [] }
    let effect: DashboardEffect
    switch dialog.reading {
    case .link(let link): effect = .relink(dialog.row.id, link)
    case .limit(let bytesPerSecond): effect = .limit(.ids([dialog.row.id]), bytesPerSecond)
    case .missing, .linkProblem, .noRate:
      say(Strings.verdict(on: dialog), .problem, at: now)
      return []
    }
    screens.removeLast()
    return [effect]
  }

  mutating func insert(_ text: String, into dialog: EntryDialog, at now: Moment) {
    var dialog = dialog
    if !dialog.insert(text) { say(Strings.oneLineOnly, .problem, at: now) }
    replaceTop(with: .entry(dialog))
  }
}
