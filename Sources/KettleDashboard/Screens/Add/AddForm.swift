import KettleModel

/// The content of the form that adds transfers: lines of URLs, and settings for all of them.
package struct AddForm: Hashable, Sendable {
  package internal(set) var urls = URLLines()
  package internal(set) var focus = AddField.urls
  package internal(set) var isPaused = false
  private var texts: [AddField: LineEditor] = [:]

  package init() {}

  /// Whether nothing was typed.
  var isEmpty: Bool {
    urls.areEmpty && !isPaused && texts.values.allSatisfy(\.characters.isEmpty)
  }

  package func editor(_ field: AddField) -> LineEditor { texts[field] ?? LineEditor() }

  /// The content of a field without surrounding blanks.
  package func text(_ field: AddField) -> String {
    let characters = editor(field).characters.drop { $0 == " " || $0 == "\t" }
    let last = characters.lastIndex { $0 != " " && $0 != "\t" }
    return last.map { String(characters[...$0]) } ?? ""
  }

  /// Whether a setting differs from that of an empty form.
  package func isSet(_ field: AddField) -> Bool {
    field == .paused ? isPaused : !editor(field).characters.isEmpty
  }

  /// The characters of a field that must be hidden.
  package func secrets(_ field: AddField) -> [Range<Int>] {
    let characters = editor(field).characters
    switch field {
    case .headers: return HeaderList.secrets(characters)
    case .login:
      guard let colon = characters.firstIndex(of: ":") else { return [] }
      return [(colon + 1)..<characters.count]
    case .urls, .directory, .name, .title, .queue, .limit, .start, .then, .checksum, .paused:
      return []
    }
  }
}

// MARK: - Editing

extension AddForm {
  /// Returns whether the content may have changed; otherwise only the cursor has moved.
  mutating func apply(_ edit: Edit) -> Bool {
    switch (edit, focus) {
    case (.nextField, _): focus = focus.next(1)
    case (.previousField, _): focus = focus.next(-1)
    case (_, .urls):
      urls.apply(edit)
      return true
    case (.left, .paused), (.right, .paused): isPaused.toggle()
    case (_, .paused): break
    case (.nextLine, .headers): return insert("; ")
    case (_, .directory), (_, .name), (_, .title), (_, .queue), (_, .limit), (_, .start),
      (_, .then), (_, .checksum), (_, .headers), (_, .login):
      texts[focus, default: LineEditor()].apply(edit)
      return true
    }
    return false
  }

  /// Inserts typed or pasted text. Returns false, and changes nothing, when the text is too long.
  mutating func insert(_ text: String) -> Bool {
    switch focus {
    case .urls: return urls.insert(text)
    case .paused:
      switch text {
      case " ": isPaused.toggle()
      case "y", "Y": isPaused = true
      case "n", "N": isPaused = false
      default: return false
      }
      return true
    case .headers:
      // A typed blank stays a blank; a pasted list of headers has one in each line.
      let lines = text.split(whereSeparator: \.isNewline)
      return texts[focus, default: LineEditor()].insert(lines.joined(separator: "; "))
    case .directory, .name, .title, .queue, .limit, .start, .then, .checksum, .login:
      let lines = text.split(whereSeparator: \.isNewline)
      return lines.count < 2
        && texts[focus, default: LineEditor()].insert(lines.first.map(String.init) ?? "")
    }
  }

  /// Moves through the lines, and from the last line to the fields below.
  mutating func move(_ movement: Movement) {
    let isAtLast = urls.row == urls.lines.count - 1
    switch (movement, focus) {
    case (.down, .urls) where isAtLast: focus = focus.next(1)
    case (_, .urls):
      let row = movement.target(from: urls.row, page: 10, last: urls.lines.count - 1)
      urls.move(to: row, column: urls.column)
    case (.up, _): focus = focus.next(-1)
    case (.down, _): if focus != .paused { focus = focus.next(1) }
    case (.pageUp, _), (.home, _): focus = .urls
    case (.pageDown, _), (.end, _): focus = .paused
    }
  }
}

/// Parsing and validation of the form.
extension AddForm {
  package func problem(of field: AddField, _ context: AddFormContext) -> AddFieldProblem? {
    let text = text(field)
    guard !text.isEmpty else { return nil }
    switch field {
    case .urls, .paused: return nil
    case .directory: return context.absolute(text) == nil ? .directoryUnknown(text) : nil
    case .name:
      if urls.goodCount > 1 { return .nameForSeveral(count: urls.goodCount) }
      return FileName.problem(ofUserGiven: text) == nil ? nil : .nameUnusable
    case .title:
      if urls.goodCount > 1 { return .titleForSeveral(count: urls.goodCount) }
      return text.unicodeScalars.contains(where: \.isControl) ? .titleUnusable : nil
    case .queue: return QueueName(text) ?? NewQueue(text)?.name == nil ? .queueUnusable : nil
    case .then:
      switch hook(context) {
      case .success: return nil
      case .failure(let problem): return problem
      }
    case .checksum:
      if urls.goodCount > 1 { return .checksumForSeveral(count: urls.goodCount) }
      return Checksum(text) == nil ? .checksumUnusable : nil
    case .limit:
      return text.lowercased() == RateText.none || RateText.parse(text) != nil
        ? nil : .limitUnusable
    case .headers:
      return HeaderList.parts(editor(.headers).characters).first { $0.header == nil }
        .map { .header($0.text) }
    case .login: return login == nil ? .loginUnusable : nil
    case .start: return context.time(text) == nil ? .startUnusable : nil
    }
  }

  package func firstFieldProblem(
    _ context: AddFormContext
  ) -> (field: AddField, problem: AddFieldProblem)? {
    for field in AddField.settings {
      if let problem = problem(of: field, context) { return (field, problem) }
    }
    return nil
  }

  /// Returns the program to start, read as `kettle add --then` reads it.
  private func hook(_ context: AddFormContext) -> Result<HookCommand, AddFieldProblem> {
    guard var words = HookCommand.words(in: text(.then)) else { return .failure(.hookQuote) }
    if let program = words.first, program.contains("/"), !program.hasPrefix("/"),
      !program.hasPrefix("~/"), let absolute = context.absolute(program)
    {
      words[0] = absolute
    }
    return HookCommand.make(words).mapError { .hook($0) }
  }

  /// What the program would get unchanged although a shell would replace it; nil if there is no
  /// such text.
  package var textForShell: String? {
    guard let words = HookCommand.words(in: text(.then)),
      !words.contains(where: HookCommand.isShell)
    else { return nil }
    return words.dropFirst().first { word in
      ["|", ">", ">>", "<", "&&", "||", ";", "&"].contains(word) || word.hasPrefix("~/")
        || word.contains("$")
    }
  }

  /// The queue that is made before the transfers are added to it.
  var newQueue: NewQueue? { NewQueue(text(.queue)) }

  private var login: Login? {
    let characters = editor(.login).characters
    guard let colon = characters.firstIndex(of: ":"), colon > 0,
      !String(characters).unicodeScalars.contains(where: \.isControl)
    else { return nil }
    return Login(
      user: String(characters[..<colon]), password: String(characters[(colon + 1)...]))
  }

  /// Returns one spec for each line that is a download; the fields apply to all of them. Fails with
  /// the row when a directory in a command cannot be resolved.
  package func specs(_ context: AddFormContext) -> Result<[TransferSpec], SpecsProblem> {
    var specs: [TransferSpec] = []
    for (row, line) in urls.lines.enumerated() {
      var spec: TransferSpec
      switch line.reading {
      case .blank, .comment, .problem: continue
      case .url(let parsed):
        spec = TransferSpec(url: parsed.url)
        spec.login = parsed.login
      case .collection(let source, let login):
        spec = TransferSpec(url: source.url)
        spec.login = login
        spec.options.collection = CollectionRequest(source)
      case .command(let command):
        spec = TransferSpec(command)
        if let directory = command.directory, text(.directory).isEmpty {
          guard let path = context.absolute(directory) else {
            return .failure(SpecsProblem(row: row, directory: directory))
          }
          spec.directory = path
        }
      }
      applySettings(to: &spec, context)
      // Each of its files has a name of its own.
      if spec.options.collection != nil {
        spec.name = nil
        // Its list can be read, so that the user can choose among its files.
        if isPaused {
          spec.beginning = .queued
          spec.options.collection?.pausesWhenListed = true
        }
      }
      specs.append(spec)
    }
    return .success(specs)
  }

  package struct SpecsProblem: Error, Hashable, Sendable {
    package var row: Int
    package var directory: String
  }

  private func applySettings(to spec: inout TransferSpec, _ context: AddFormContext) {
    let directory = text(.directory)
    if !directory.isEmpty { spec.directory = context.absolute(directory) }
    if let name = try? FileName(typed: text(.name)) { spec.name = name }
    if !text(.title).isEmpty { spec.title = text(.title) }
    if let queue = QueueName(text(.queue)) ?? newQueue?.name {
      spec.options.queue = queue == .standard ? nil : queue
      // Otherwise a rule could choose another one.
      if queue == .standard { spec.options.chosen.insert(.queue) }
    }
    if !text(.then).isEmpty { spec.options.then = try? hook(context).get() }
    spec.checksum = Checksum(text(.checksum))
    if !text(.limit).isEmpty { spec.limitBytesPerSecond = RateText.parse(text(.limit)) }
    spec.headers += HeaderList.parts(editor(.headers).characters).compactMap(\.header)
    spec.login = spec.login ?? login
    if !text(.start).isEmpty { spec.notBefore = context.time(text(.start)) }
    spec.beginning = isPaused ? .paused : .queued
  }
}

extension TransferSpec {
  fileprivate init(_ command: CurlCommandLine) {
    self.init(url: command.url.url)
    login = command.login
    headers = command.headers
    name = command.name.flatMap { try? FileName(typed: $0) }
    limitBytesPerSecond = command.limitBytesPerSecond
    options.continues = command.continues
  }
}
