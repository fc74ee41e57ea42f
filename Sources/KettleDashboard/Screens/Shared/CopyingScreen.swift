import KettleModel

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
          screen.copyable.rows.first?.path.map { [.effect(.openFile(path: $0))] } ?? []
        }),
    ]
  }
}

extension Action {
  fileprivate static let copyURL = Action(
    "copy-url", .transfer, in: [.list, .reader], keys: [.character("y")],
    help: "Copy its URL to the terminal's clipboard")
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
    let isThere = first.state == .completed && first.path != nil
    return Availability(unless: isThere ? nil : Strings.notFinished)
  }

  /// Copies a text of each row, one per line.
  fileprivate func copied(
    _ text: (TransferSnapshot) -> String?, what: (Int) -> String
  ) -> [ScreenRequest] {
    let texts = rows.compactMap(text)
    return [
      .say(what(texts.count) + Strings.notLoaded(count - texts.count)),
      .effect(.copy(texts.joined(separator: "\n"))),
    ]
  }
}
