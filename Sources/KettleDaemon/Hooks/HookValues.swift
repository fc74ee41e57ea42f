import KettleControl
import KettleModel

/// The values that a hook's program receives in its environment, its arguments and its standard
/// input.
struct HookValues {
  private let run: HookRun
  private let occasion: HookOccasion

  init(_ run: HookRun, _ occasion: HookOccasion) {
    self.run = run
    self.occasion = occasion
  }

  // MARK: Arguments

  /// The program's arguments with the values in place of the placeholders. The program's own name
  /// has none.
  var arguments: [String] {
    run.command.words.enumerated().map { index, word in
      index == 0 ? word : HookPlaceholder.fill(word, text)
    }
  }

  /// Text from outside loses its control characters. A path stays exactly as it is, because it
  /// names a file.
  func text(_ placeholder: HookPlaceholder) -> String {
    if placeholder == .event { return run.event.rawValue }
    guard case .transfer(let row) = occasion else { return "" }
    return switch placeholder {
    case .event: run.event.rawValue
    case .id: row.id.description
    case .path: path ?? ""
    case .url: Self.plain(row.url)
    case .title: Self.plain(row.title)
    case .state: row.state.rawValue
    case .session: Self.plain(row.session.rawValue)
    case .bytes: String(row.bytesReceived)
    case .error: row.error?.code.rawValue ?? ""
    case .message: Self.plain(row.problemSentence ?? "")
    case .reason: row.reason?.rawValue ?? ""
    }
  }

  /// The absolute path of the file, which exists only once the transfer has completed.
  var path: String? {
    guard case .transfer(let row) = occasion, let path = row.path, !path.utf8.contains(0) else {
      return nil
    }
    return path
  }

  private static let textLengthMax = 32_768

  private static func plain(_ text: String) -> String {
    text.sanitizedForDisplay(limit: textLengthMax)
  }

  // MARK: Environment

  /// Adds the variables of the hook to an environment.
  func environment(_ base: [String: String]) -> [String: String] {
    var environment = base.filter { !Self.variables.contains($0.key) }
    for placeholder in HookPlaceholder.allCases {
      let value = text(placeholder)
      if !value.isEmpty { environment[placeholder.variable] = value }
    }
    if case .allDone(let tally) = occasion {
      for (name, count) in zip(
        Self.countVariables, [tally.completed, tally.failed, tally.needsUser])
      {
        environment[name] = String(count)
      }
    }
    return environment
  }

  private static let countVariables = ["KETTLE_COMPLETED", "KETTLE_FAILED", "KETTLE_NEEDS_USER"]

  private static let variables = Set(
    HookPlaceholder.allCases.map(\.variable) + countVariables)

  // MARK: Standard input

  /// One line of JSON: the transfer as `kettle list --json` prints it, after its event.
  var document: String {
    var members = [JSONValue.Member("event", .string(run.event.rawValue))]
    switch occasion {
    case .transfer(let row):
      if case .object(let own) = row.json(obstacle: { _ in nil }) { members += own }
    case .allDone(let tally):
      members += [
        .init("completed", .integer(Int64(tally.completed))),
        .init("failed", .integer(Int64(tally.failed))),
        .init("needsUser", .integer(Int64(tally.needsUser))),
      ]
    }
    return JSONValue.object(members).text + "\n"
  }
}

extension HookPlaceholder {
  /// The environment variable with the same value.
  fileprivate var variable: String {
    switch self {
    case .event: "KETTLE_EVENT"
    case .id: "KETTLE_ID"
    case .path: "KETTLE_PATH"
    case .url: "KETTLE_URL"
    case .title: "KETTLE_TITLE"
    case .state: "KETTLE_STATE"
    case .session: "KETTLE_SESSION"
    case .bytes: "KETTLE_BYTES"
    case .error: "KETTLE_ERROR"
    case .message: "KETTLE_ERROR_MESSAGE"
    case .reason: "KETTLE_REASON"
    }
  }
}
