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
    .service(.control(verb, .ids([row.id])))
  }

  var keyContext: KeyContext { .question }
  var extent: ScreenExtent { .box }

  /// A click outside the dialog closes it without an answer.
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

/// The texts of a decision.
extension Strings {
  static let onlyForCertificates = "only a certificate or host key can be trusted for the host"

  static func title(of decision: DecisionScreen) -> String {
    switch decision.subject {
    case .page: "Is this the file?"
    case .certificate: "Trust this server?"
    }
  }

  /// What the user needs to know, in lines that fit.
  static func facts(
    of decision: DecisionScreen, _ context: ScreenContext, width: Int
  ) -> [String] {
    let name = "\"" + decision.row.shownTitle.sanitizedForDisplay(limit: 80) + "\""
    switch decision.subject {
    case .page(let title):
      let named = title.map { ": \"" + $0.sanitizedForDisplay(limit: 80) + "\"" } ?? ""
      return Fold.lines("A web page arrived instead of \(name)\(named)", width: width) + [""]
    case .certificate(let certificate, let problem):
      let because = problem.map { ": " + $0.sanitizedForDisplay(limit: 80) } ?? ""
      let origin = certificate.origin.sanitizedForDisplay(limit: 60)
      let sentence = "\(name) comes from \(origin), which is not trusted\(because)"
      if certificate.isHostKey {
        return Fold.lines(sentence, width: width) + hostKey(certificate) + [""]
      }
      return Fold.lines(sentence, width: width) + fingerprint(certificate, width: width)
        + [
          "issued to  " + issued(certificate.subject), "issued by  " + issued(certificate.issuer),
          "valid      " + validity(certificate, context.clock), "",
        ]
    }
  }

  private static func hostKey(_ key: ServerCertificate) -> [String] {
    ["host key   " + issued(key.subject), key.hostKeyFingerprint]
  }

  private static func issued(_ name: String) -> String {
    name.isEmpty ? "(no name)" : name.sanitizedForDisplay(limit: 60)
  }

  private static func validity(_ certificate: ServerCertificate, _ clock: ClockText) -> String {
    let from = certificate.validFrom.map { clock.full($0).prefix(10) } ?? "?"
    let until = certificate.validUntil.map { clock.full($0).prefix(10) } ?? "?"
    return from + " to " + until
  }

  /// In lines of sixteen or eight pairs of digits.
  private static func fingerprint(_ certificate: ServerCertificate, width: Int) -> [String] {
    let digits = Array(certificate.fingerprint.uppercased().sanitizedForDisplay(limit: 64))
    let pairs = stride(from: 0, to: digits.count - 1, by: 2).map { String(digits[$0...($0 + 1)]) }
    let title = "SHA-256    "
    let count = width >= title.count + 47 ? 16 : 8
    return stride(from: 0, to: pairs.count, by: count).map { first in
      (first == 0 ? title : String(repeating: " ", count: title.count))
        + pairs[first..<min(first + count, pairs.count)].joined(separator: ":")
    }
  }

  struct Answer {
    var action: String
    var text: String
  }

  static func answers(to decision: DecisionScreen) -> [Answer] {
    let first: [Answer] =
      switch decision.subject {
      case .page: [Answer(action: "yes", text: "take the page as the file")]
      case .certificate:
        [
          Answer(action: "yes", text: "trust it for this transfer"),
          Answer(action: "decide-for-host", text: "trust it for every transfer from this host"),
        ]
      }
    return first + [
      Answer(action: "decide-retry", text: "request the file again"),
      Answer(action: "decide-link", text: "set a new link"),
      Answer(action: "decide-remove", text: "remove it from the list"),
      Answer(action: "no", text: "decide later"),
    ]
  }
}
