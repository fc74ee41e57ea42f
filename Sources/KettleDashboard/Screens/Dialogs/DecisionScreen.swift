import KettleModel

/// What a transfer waits for the user to decide: whether a web page is the file, or whether to
/// trust a server.
struct DecisionScreen: Screen {
  enum Subject: Hashable, Sendable {
    /// A web page arrived in place of the file; nil without a title.
    case page(title: String?)
    case certificate(ServerCertificate, problem: String?)
  }

  let row: TransferSnapshot
  let subject: Subject

  init(_ row: TransferSnapshot) {
    self.row = row
    subject =
      row.error?.certificate.map { .certificate($0, problem: row.error?.detail) }
      ?? .page(title: row.error?.code == .webPage ? row.error?.detail : nil)
  }

  static let bindings: BindingTable<DecisionScreen> = [
    Binding(
      .yes, when: { _, context in context.whenConnected(.possible) },
      do: { decision, _ in [.close, decision.control(.accept)] }),
    answer(
      "decide-for-host", "h", label: "trust the host", rank: 2,
      help: "In a decision: trust the server for every transfer, also later ones",
      when: { decision in
        switch decision.subject {
        case .certificate: nil
        case .page: Strings.onlyForCertificates
        }
      },
      do: { decision in [decision.control(.accept), decision.control(.remember)] }),
    answer(
      "decide-retry", "s", label: "retry", rank: 3,
      help: "In a decision: request the file again",
      do: { decision in [decision.control(.start)] }),
    answer(
      "decide-link", "u", label: "new link", rank: 4, help: "In a decision: set a new link",
      do: { decision in [.open(OpenScreen(EntryDialog(freshLinkFor: decision.row)))] }),
    answer(
      "decide-remove", "d", label: "remove", rank: 5,
      help: "In a decision: remove the transfer from the list (asks first)",
      do: { decision in [.open(OpenScreen(Question.remove(decision.row)))] }),
    Binding(.no) { _, _ in [.close, .say(Strings.nothingChanged)] },
  ]

  private static func answer(
    _ name: String, _ key: Character, label: String, rank: Int, help: String,
    when why: @escaping @Sendable (DecisionScreen) -> String? = { _ in nil },
    do answers: @escaping @Sendable (DecisionScreen) -> [ScreenRequest]
  ) -> Binding<DecisionScreen> {
    Binding(
      name, .question, in: [.question], keys: [.character(key)], label: label, rank: rank,
      help: help,
      when: { decision, context in context.whenConnected(Availability(unless: why(decision))) },
      do: { decision, _ in [.close] + answers(decision) })
  }

  private func control(_ verb: ControlVerb) -> ScreenRequest {
    .effect(.control(verb, .ids([row.id])))
  }

  var keyContext: KeyContext { .question }
  var extent: ScreenExtent { .box }

  /// A click beside the answers decides nothing.
  mutating func click(_ click: Click, _ context: ScreenContext) -> [ScreenRequest] {
    click.target == nil ? [.close] : []
  }

  // MARK: - Drawing

  func draw(on canvas: inout Canvas, _ context: ScreenContext) {
    let size = canvas.size
    let width = min(76, size.columns - 4)
    let room = DialogBox.heightMax(size)
    let everyFact = Strings.facts(of: self, context, width: width)
    // On a small screen only the first answers fit. The hint line shows the keys for the rest.
    let answers = Strings.answers(to: self).prefix(max(2, room - everyFact.count))
    let facts = everyFact.prefix(max(0, room - answers.count))
    let box = DialogBox(size: size, width: width, height: facts.count + answers.count)
    box.draw(title: Strings.title(of: self), on: &canvas)
    for (line, fact) in facts.enumerated() {
      box.write(fact, line: line, on: &canvas, line == 0 ? .dialogTitle : .dialog)
    }
    for (index, answer) in answers.prefix(box.height - facts.count).enumerated() {
      let row = box.row + facts.count + index
      let keyName = context.keymap.key(of: answer.action)?.name ?? ""
      canvas.write(keyName, row: row, column: box.column, width: 6, .dialogKey)
      canvas.write(answer.text, row: row, column: box.column + 7, width: width - 7, .dialog)
      canvas.claim(
        row: row, columns: box.column..<(box.column + width), for: .action(answer.action))
    }
  }
}

extension Action {
  static let yes = Action(
    "yes", .question, in: [.question], keys: [.character("y"), .character("Y")], label: "yes",
    isRequired: true, help: "Yes, do it")
  static let no = Action(
    "no", .question, in: [.question],
    keys: [.character("n"), .character("N"), .character("q"), .escape, .enter, .control("c")],
    label: "no", rank: 1, isRequired: true, help: "No, leave everything as it is")
}
