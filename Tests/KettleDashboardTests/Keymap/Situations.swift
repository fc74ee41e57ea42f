import KettleModel

@testable import KettleDashboard

/// All situations in which a key can be pressed. They are found by pressing keys, so screens opened
/// by a new binding are included automatically.
struct Situations {
  struct Situation {
    var name: String
    var model: Dashboard
    /// Starts that show the same rows lead to the same situations of the list.
    var rows: String
    /// How many more keys are pressed one after another from here.
    var keysLeft = 2
  }

  /// Situations are equivalent if they have the same open screens and the same possible actions.
  private struct Signature: Hashable {
    var rows: String?
    var screens: [String]
    var isConnected: Bool
    var isStopped: Bool
    var isScrolled = false
    var isAtFirstSection = true
    var possible: Set<String> = []
  }

  /// Computed once for all tests.
  static let found = Situations().all

  private(set) var all: [Situation] = []
  private var seen: Set<Signature> = []
  private var visited: Set<Dashboard> = []

  private init() {
    for start in Self.starts { add(start) }
    var next = 0
    while next < all.count, all.count < 5000 {
      let situation = all[next]
      next += 1
      guard situation.keysLeft > 0 else { continue }
      for input in Self.inputs(of: situation.model) {
        var after = situation
        after.name += ", " + input.name
        after.keysLeft -= 1
        _ = after.model.update(input.message, at: Sample.now)
        // The keys of a row lead from its details to the same screens as from the list.
        if after.model.screens.last?.content is DetailsScreen {
          after.keysLeft = min(after.keysLeft, 1)
        }
        // Most keys only show a message, or lead to a state that others lead to as well.
        (after.model.notice, after.model.shell) = (nil, nil)
        if visited.insert(after.model).inserted { add(after) }
      }
    }
  }

  private mutating func add(_ situation: Situation) {
    let model = situation.model
    // Deeper stacks only repeat screens, so they add no new situation.
    guard model.screens.count <= 2 else { return }
    var signature = Signature(
      screens: model.screens.map(Self.kind) + (model.list.query == nil ? [] : ["query"]),
      isConnected: model.service.link.isConnected,
      isStopped: model.service.link == .stopped(at: Sample.now.wall))
    let actions = model.keymap.actions.filter { $0.contexts.contains(model.keyContext) }
    switch model.keyContext {
    case .list:
      signature.rows = situation.rows
      let possible = actions.filter { model.availability(of: $0.name).isPossible }
      signature.possible = Set(possible.map(\.name))
    // Most keys of a reader screen only scroll.
    case .reader:
      let reader = model.screens.last?.content as? any ReaderScreen
      signature.isScrolled = reader.map { $0.scrolled > 0 } ?? false
      let section = (reader as? DetailsScreen)?.section
      signature.isAtFirstSection = section == nil || section == .overview
      let possible = actions.filter { action in
        !action.name.hasPrefix("scroll-") && model.availability(of: action.name).isPossible
      }
      signature.possible = Set(possible.map(\.name))
    case .add, .entry, .question, .query, .command, .menu, .choice:
      let working = actions.filter { action in
        guard let key = action.keys.first else { return false }
        var after = model
        let effects = after.update(.keyPressed(key), at: Sample.now)
        return !effects.isEmpty || after.screens != model.screens || after.list != model.list
      }
      signature.possible = Set(working.map(\.name))
    }
    if seen.insert(signature).inserted { all.append(situation) }
  }

  private static func kind(_ screen: OpenScreen) -> String {
    if let question = screen.content as? Question {
      return String(String(describing: question).prefix { $0 != "(" })
    }
    return "\(type(of: screen.content))"
  }

  // MARK: - Events

  private static func inputs(
    of model: Dashboard
  ) -> [(name: String, message: DashboardMessage)] {
    let context = model.keyContext
    // Other keys of an action do the same.
    let keys = model.keymap.actions.filter { $0.contexts.contains(context) }
      .compactMap(\.keys.first)
    let pressed: [(String, DashboardMessage)] = keys.filter { $0 != .paste("") }
      .map { ($0.name, .keyPressed($0)) }
    let pasted = ["https://example.org/a", "500K", "iso", "nothing has this", "state:failed"].map {
      ("paste of " + $0, DashboardMessage.keyPressed(.paste($0)))
    }
    var details = Sample.details
    if let row = model.list.cursorRow { details.snapshot = row }
    var finished = details
    finished.snapshot.state = .completed
    finished.snapshot.path = "/home/me/Downloads/finished"
    let news: [(String, DashboardMessage)] = [
      ("details come", .detailsArrived(details)),
      ("details of a finished one come", .detailsArrived(finished)),
      ("the bin comes", .commandFinished(.binListed(Sample.bin))),
      (
        "a report comes",
        .commandFinished(
          .reset(deletedCount: 1, keptPaths: (0..<100).map { "/home/me/kept \($0)" }))
      ),
    ]
    return pressed + (context.takesText || context == .list ? pasted : []) + news
  }

  private static var starts: [Situation] {
    func start(_ name: String, _ model: Dashboard, rows: String? = nil) -> Situation {
      Situation(name: name, model: model, rows: rows ?? name)
    }
    var starts = [
      start("before the first rows", connected()),
      start("no rows", Sample.model(columns: 100, rows: 20, showing: [])),
      start("many rows", middle(Sample.model(columns: 100, rows: 12))),
      start("a row that has not come", farAway()),
      start("not yet connected", Dashboard(size: size)),
    ]
    for row in Sample.rows + [Sample.pageInstead, Sample.untrusted] {
      // Keys that do not depend on the row are combined in the starts above.
      starts.append(
        Situation(
          name: "a row: " + row.title,
          model: Sample.model(columns: 100, rows: 20, showing: [row]), rows: row.title,
          keysLeft: 1))
    }
    var list = LongList(0)
    (list.rows, list.isGrouped) = (Sample.rows, true)
    var grouped = list.model(columns: 100, rows: 20)
    starts.append(Situation(name: "groups", model: grouped, rows: "groups", keysLeft: 1))
    list.press(.left, in: &grouped)
    starts.append(Situation(name: "a folded group", model: grouped, rows: "heading", keysLeft: 1))
    var marked = middle(Sample.model(columns: 120, rows: 30))
    _ = marked.press(.character("A"))
    starts.append(start("all marked", marked, rows: "many rows"))
    starts.append(
      start("files to choose", Sample.choosing(columns: 100, rows: 20), rows: "files"))
    var searching = Sample.model(columns: 100, rows: 20)
    _ = searching.press(.character("?"), .character("/"), .paste("priority"), .enter)
    starts.append(start("a search in the help", searching, rows: "many rows"))
    var entering = Sample.model(columns: 100, rows: 20)
    _ = entering.press(.character("l"), .character("5"), .left)
    starts.append(start("a limit is typed", entering, rows: "many rows"))
    var commanding = Sample.model(columns: 100, rows: 20)
    _ = commanding.press(
      .character(":"), .paste("pause"), .enter, .character(":"), .paste("pau"))
    starts.append(start("a command after another one", commanding, rows: "many rows"))
    var completing = Sample.model(columns: 100, rows: 20)
    _ = completing.press(.character("\\"), .paste("failed"))
    starts.append(start("a filter that can be completed", completing, rows: "many rows"))
    var repeating = Sample.model(columns: 100, rows: 20)
    _ = repeating.press(
      .character("/"), .paste("guide"), .enter, .character("/"), .paste("iso"), .enter,
      .character("/"), .up, .up)
    starts.append(start("a search after other ones", repeating, rows: "many rows"))
    for given in starts where ["no rows", "many rows", "all marked"].contains(given.name) {
      var model = given.model
      _ = model.update(.linkChanged(.lost), at: Sample.now)
      starts.append(start(given.name + " without the service", model))
      _ = model.update(.linkChanged(.stopped), at: Sample.now)
      starts.append(start(given.name + " after the service was stopped", model))
    }
    return starts
  }

  private static let size = ScreenSize(columns: 100, rows: 20)

  private static func connected() -> Dashboard {
    var model = Dashboard(size: size)
    _ = model.update(.linkChanged(.connected), at: Sample.now)
    return model
  }

  private static func middle(_ model: Dashboard) -> Dashboard {
    var model = model
    _ = model.press(.down, .down)
    return model
  }

  private static func farAway() -> Dashboard {
    var model = connected()
    let window = ListWindow(first: 0, matchingCount: 1000, rows: Sample.rows)
    _ = model.update(.rowsArrived(window, Sample.totals), at: Sample.now)
    _ = model.press(.end, .up)
    return model
  }
}
