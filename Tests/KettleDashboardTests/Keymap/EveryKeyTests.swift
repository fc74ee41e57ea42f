import KettleModel
import Testing

@testable import KettleDashboard

/// Every key has an effect or explains why it has none. This is checked for all bindings in every
/// situation that can be reached with keys.
struct EveryKeyTests {
  private enum Outcome: Hashable {
    case effect, change, reason, nothing
  }

  private static func outcome(
    of effects: [DashboardEffect], _ before: DashboardModel, _ after: DashboardModel
  ) -> Outcome {
    if !effects.isEmpty { return .effect }
    var (quietBefore, quietAfter) = (before, after)
    quietBefore.notice = nil
    quietAfter.notice = nil
    if quietBefore != quietAfter { return .change }
    return after.notice == nil ? .nothing : .reason
  }

  /// A movement in a text or a menu that has no effect needs no message: the cursor is visibly at
  /// the end, and a message would hide the dialog's own one.
  private static func isSeenAtTheEnd(_ command: DashboardCommand, in context: KeyContext) -> Bool {
    switch command {
    case .edit: true
    case .move: context != .list && context != .reader
    case .row, .mark, .view, .queue, .all, .details, .copyOrOpen, .add, .addNow, .acceptEntry,
      .acceptQuery,
      .choose, .back,
      .confirm, .cancel, .help, .redraw, .suspend, .leave:
      false
    }
  }

  @Test func `every key has an effect or gives a reason in every situation`() {
    let situations = Situations.found
    var worked: Set<String> = []
    var problems: [String] = []
    var visited: Set<KeyContext> = []
    for situation in situations {
      let before = situation.model
      let context = before.keyContext
      visited.insert(context)
      for binding in before.keymap.bindings where binding.contexts.contains(context) {
        for key in binding.keys {
          let pressed = key == .paste("") ? Key.paste("https://example.org/a") : key
          var after = before
          let effects = after.update(.keyPressed(pressed), at: Sample.now)
          let outcome = Self.outcome(of: effects, before, after)
          let place = "\(key.name) (\(binding.action)) with \(situation.name)"
          switch outcome {
          case .effect, .change: worked.insert("\(binding.action) in \(context)")
          case .reason: break
          case .nothing:
            if !Self.isSeenAtTheEnd(binding.command, in: context) { problems.append(place) }
          }
          if outcome != .reason, !before.availability(of: binding.command).isPossible {
            problems.append("not possible: " + place)
          }
        }
      }
    }
    #expect(problems.isEmpty, "\(problems.count): \(problems.prefix(30))")
    #expect(visited == Set(KeyContext.allCases))
    let all = Bindings.all.flatMap { binding in
      binding.contexts.map { "\(binding.action) in \($0)" }
    }
    let idle = Set(all).subtracting(worked).sorted()
    #expect(idle.isEmpty, "in no situation had these an effect")
  }

  @Test func `the situations cover states, links, marks and missing rows`() {
    let situations = Situations.found
    let states = Set(situations.compactMap(\.model.cursorRow?.state))
    #expect(states == Set(TransferState.allCases))
    let links = situations.map(\.model.link.isConnected)
    #expect(links.contains(true) && links.contains(false))
    #expect(situations.contains { $0.model.window == nil })
    #expect(situations.contains { $0.model.rowCount > 0 && $0.model.cursorRow == nil })
    #expect(situations.contains { !$0.model.marks.isEmpty })
    // If the search had reached its limit, it would be incomplete.
    #expect(situations.count < 5000)
  }
}
