import KettleModel

/// What only the user can give a transfer.
enum UserNeed: Hashable, Sendable {
  case link, login
  /// Whether what arrived in place of the file is the file.
  case decision
}

extension TransferSnapshot {
  var need: UserNeed? {
    if error?.code == .linkExpired { return .link }
    guard state == .waiting else { return nil }
    if reason == .needsLink { return .link }
    if reason == .needsLogin { return .login }
    return reason == .needsDecision ? .decision : nil
  }

  /// The page that may have a fresh link; nil if there is none. The row may come from another
  /// machine, so it is judged again.
  var pageOfLink: TransferURL? {
    guard let page, case .success(let parsed) = TransferURL.parse(page),
      parsed.url.scheme.family == .http
    else { return nil }
    return parsed.url
  }
}

/// The transfers that a key applies to: the marked ones, or else the one under the cursor.
package struct SelectedRows: Hashable, Sendable {
  /// The rows that the service has sent; possibly not all.
  package var rows: [TransferSnapshot]
  /// The number of all of them.
  package var count: Int
  /// nil when nothing is marked and no row is under the cursor.
  package var selection: TransferSelection?
  var areMarked: Bool
  /// Why there are none.
  var whyNone: String

  /// Whether something is possible.
  ///
  /// With marks: when at least one of the rows that were sent allows it.
  ///
  /// - Parameters:
  ///   - needsRow: Whether it needs the data of a row, which must have been sent first.
  ///   - why: Returns why a row does not allow it; nil when it does.
  func availability(
    needsRow: Bool = false, unless why: (TransferSnapshot) -> String?
  ) -> Availability {
    guard areMarked else {
      return rows.first.map { Availability(unless: why($0)) } ?? .impossible(whyNone)
    }
    var reasons: Set<String> = []
    for row in rows {
      guard let reason = why(row) else { return .possible }
      reasons.insert(reason)
    }
    if rows.isEmpty, needsRow { return .impossible(Strings.markedRowOutOfSight) }
    // Rows that have not been sent may allow it; the service reports each transfer that does not.
    guard rows.count >= count else { return .possible }
    if count == 1, let reason = reasons.first { return .impossible(reason) }
    return .impossible(
      Strings.noneOfMarked(count, because: reasons.count == 1 ? reasons.first : nil))
  }

  /// Whether `pause` resumes: all known transfers of the selection are paused or completed.
  var pauseMeansStart: Bool {
    !rows.isEmpty && rows.allSatisfy { $0.state == .paused || $0.state == .completed }
      && rows.contains { $0.state == .paused }
  }

  /// The only row, if it is not marked.
  private var single: TransferSnapshot? { areMarked ? nil : rows.first }

  /// Whether `start` tries again.
  var startMeansRetry: Bool { single.map { $0.state == .failed || $0.state == .waiting } ?? false }

  /// What the row needs from the user.
  var need: UserNeed? { single?.need }

  // MARK: - Priority

  enum PriorityStep: Hashable, Sendable {
    case sooner, later
  }

  /// Returns the next priority for the transfer that is farthest from the highest or lowest one, so
  /// that no other transfer moves in the opposite direction. Returns nil when none can go farther.
  func nextPriority(_ step: PriorityStep) -> TransferPriority? {
    let steps: [TransferPriority] = [.low, .normal, .high]
    let priorities = rows.filter { $0.state != .completed }.map(\.priority)
    guard let lowest = priorities.min(), let highest = priorities.max() else { return nil }
    return switch step {
    case .sooner: steps.first { $0 > lowest }.map { max($0, highest) }
    case .later: steps.last { $0 < highest }.map { min($0, lowest) }
    }
  }

  func availability(of step: PriorityStep) -> Availability {
    guard selection != nil else { return .impossible(whyNone) }
    guard nextPriority(step) == nil else { return .possible }
    if rows.isEmpty { return .impossible(Strings.markedRowOutOfSight) }
    if rows.allSatisfy({ $0.state == .completed }) { return .impossible(Strings.alreadyFinished) }
    return switch step {
    case .sooner: .impossible(Strings.highestPriority)
    case .later: .impossible(Strings.lowestPriority)
    }
  }
}

/// A screen whose transfers can be copied from and opened: the list and the details.
protocol CopyingScreen: Screen {
  /// The transfers whose URL or path is copied.
  var copyable: SelectedRows { get }
}

extension CopyingScreen {
  static var copyBindings: [Binding<Self>] {
    [
      Binding(
        .copyURL, when: { screen, _ in screen.copyable.availability { _ in nil } },
        do: { screen, _ in screen.copyable.copied(\.url, what: Strings.urlsCopied) }),
      Binding(
        .copyPath, when: { screen, _ in screen.copyable.availabilityOfPath },
        do: { screen, _ in screen.copyable.copied(\.path, what: Strings.pathsCopied) }),
      Binding(
        .openFile, when: { screen, _ in screen.copyable.availabilityOfFile },
        do: { screen, _ in
          screen.copyable.rows.first?.path.map { [.service(.openFile(path: $0))] } ?? []
        }),
    ]
  }
}

extension Action {
  fileprivate static let copyURL = Action(
    "copy-url", .transfer, in: [.list, .reader], keys: [.character("y")],
    help: "Copy its URL to the terminal's clipboard, or the command that the message line shows")
  fileprivate static let copyPath = Action(
    "copy-path", .transfer, in: [.list, .reader], keys: [.character("Y")],
    help: "Copy the path of its file")
  fileprivate static let openFile = Action(
    "open-file", .transfer, in: [.list, .reader], keys: [.character("O")], label: "open", rank: 12,
    help: "Open its finished file with the desktop's default program")
}

extension SelectedRows {
  fileprivate var availabilityOfPath: Availability {
    guard !rows.isEmpty else { return .impossible(whyNone) }
    return Availability(unless: rows.contains { $0.path != nil } ? nil : Strings.noFileYet)
  }

  fileprivate var availabilityOfFile: Availability {
    guard let first = rows.first else { return .impossible(whyNone) }
    if count > 1 { return .impossible(Strings.opensOne) }
    guard first.state == .completed, let path = first.path else {
      return .impossible(Strings.notFinished)
    }
    return Availability(unless: ObjectPrefix.isMeant(by: path) ? Strings.isObject : nil)
  }

  /// Copies a text of each row, one per line.
  fileprivate func copied(
    _ text: (TransferSnapshot) -> String?, what: (Int) -> String
  ) -> [ScreenRequest] {
    let texts = rows.compactMap(text)
    return [
      .say(what(texts.count) + Strings.notLoaded(count - texts.count)),
      .terminal(.copy(texts.joined(separator: "\n"))),
    ]
  }
}
