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
    of effects: [DashboardEffect], _ before: Dashboard, _ after: Dashboard
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
  private static func isSeenAtTheEnd(_ action: Action, in context: KeyContext) -> Bool {
    let movements: Set = [
      "query-up", "query-down", "menu-up", "menu-down", "command-up", "command-down", "complete",
      "command-ten-up", "command-ten-down",
    ]
    let others: Set = ["add-now", "accept", "cancel"]
    // The section is visible already.
    return movements.contains(action.name) || action.name.hasPrefix("show-")
      || action.group == .add && !others.contains(action.name)
  }

  @Test func `every key has an effect or gives a reason in every situation`() {
    let situations = Situations.found
    var worked: Set<String> = []
    var problems: [String] = []
    var visited: Set<KeyContext> = []
    for situation in situations {
      let before = situation.model
      let context = before.keyContext
      let isNew = visited.insert(context).inserted
      for action in before.keymap.actions where action.contexts.contains(context) {
        for key in isNew ? action.keys : [] {
          #expect(before.keymap.action(for: key, in: context) == action.name)
        }
        // The other keys have the same action.
        if let key = action.keys.first {
          let pressed = key == .paste("") ? Key.paste("https://example.org/a") : key
          var after = before
          let effects = after.update(.keyPressed(pressed), at: Sample.now)
          let outcome = Self.outcome(of: effects, before, after)
          let place = "\(key.name) (\(action.name)) with \(situation.name)"
          switch outcome {
          case .effect, .change: worked.insert("\(action.name) in \(context)")
          case .reason: break
          case .nothing:
            if !Self.isSeenAtTheEnd(action, in: context) { problems.append(place) }
          }
          if outcome != .reason, !before.availability(of: action.name).isPossible {
            problems.append("not possible: " + place)
          }
        }
      }
    }
    #expect(problems.isEmpty, "\(problems.count): \(problems.prefix(30))")
    #expect(visited == Set(KeyContext.allCases))
    let all = Bindings.all.filter { !$0.keys.isEmpty }.flatMap { action in
      action.contexts.map { "\(action.name) in \($0)" }
    }
    let idle = Set(all).subtracting(worked).sorted()
    #expect(idle.isEmpty, "in no situation had these an effect")
  }

  @Test func `the situations cover states, links, marks and missing rows`() {
    let situations = Situations.found
    let states = Set(situations.compactMap(\.model.list.cursorRow?.state))
    #expect(states == Set(TransferState.allCases))
    let links = situations.map(\.model.service.link.isConnected)
    #expect(links.contains(true) && links.contains(false))
    #expect(situations.contains { $0.model.list.window == nil })
    #expect(situations.contains { $0.model.list.rowCount > 0 && $0.model.list.cursorRow == nil })
    #expect(situations.contains { !$0.model.list.view.marks.isEmpty })
    // If the search had reached its limit, it would be incomplete.
    #expect(situations.count < 5000)
  }
}
