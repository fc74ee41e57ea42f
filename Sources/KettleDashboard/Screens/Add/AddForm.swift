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

  /// The characters of a field that must be hidden.
  package func secrets(_ field: AddField) -> [Range<Int>] {
    let characters = editor(field).characters
    switch field {
    case .headers: return HeaderList.secrets(characters)
    case .login:
      guard let colon = characters.firstIndex(of: ":") else { return [] }
      return [(colon + 1)..<characters.count]
    case .urls, .directory, .name, .checksum, .limit, .start, .paused: return []
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
    case (_, .directory), (_, .name), (_, .checksum), (_, .limit), (_, .headers), (_, .login),
      (_, .start):
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
    case .directory, .name, .checksum, .limit, .login, .start:
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

/// The fields of the add form, from the top.
package enum AddField: Hashable, Sendable, CaseIterable {
  case urls, directory, name, checksum, limit, headers, login, start, paused

  /// All fields below the URLs.
  static let settings = allCases.filter { $0 != .urls }

  func next(_ step: Int) -> AddField {
    let all = Self.allCases
    let index = all.firstIndex(of: self) ?? 0
    return all[(index + step + all.count) % all.count]
  }
}

/// What is wrong with the content of a field.
package enum AddFieldProblem: Hashable, Sendable {
  case directoryUnknown(String)
  case nameUnusable
  case nameForSeveral(count: Int)
  case checksumUnusable
  case checksumForSeveral(count: Int)
  case limitUnusable
  case header(String)
  case loginUnusable
  case startUnusable
}

/// The values that the meaning of some fields depends on.
package struct AddFormContext: Hashable, Sendable {
  /// nil when the files are on another machine: only absolute paths are meaningful there.
  package var directories: UserDirectories?
  package var now: WallTime
  package var utcOffsetSeconds: Int

  func absolute(_ path: String) -> String? {
    guard !path.unicodeScalars.contains(where: \.isControl) else { return nil }
    if let directories { return directories.absolute(path) }
    return path.hasPrefix("/") ? path : nil
  }

  func time(_ text: String) -> WallTime? {
    TimeText.parse(text, now: now) {
      $0.inUTC?.advanced(byMilliseconds: -Int64(utcOffsetSeconds) * 1000)
    }
  }
}

/// Headers in the form `K: V; K: V`, or one per line when pasted.
package enum HeaderList {
  /// A semicolon separates headers only before a name and a colon: it is common in values.
  package static func ranges(_ characters: [Character]) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var start = 0
    for (index, character) in characters.enumerated() where character == ";" {
      guard startsHeader(characters[(index + 1)...]) else { continue }
      ranges.append(start..<index)
      start = index + 1
    }
    ranges.append(start..<characters.count)
    return ranges.filter { range in characters[range].contains { $0 != " " && $0 != ";" } }
  }

  /// The header is nil for a part that is not a header.
  package static func parts(_ characters: [Character]) -> [(text: String, header: HeaderField?)] {
    ranges(characters).map { range in
      let text = String(characters[range].drop { $0 == " " })
      return (text, HeaderField(text))
    }
  }

  package static func secrets(_ characters: [Character]) -> [Range<Int>] {
    ranges(characters).compactMap { range in
      guard let colon = characters[range].firstIndex(of: ":") else { return nil }
      let name = String(characters[range.lowerBound..<colon].drop { $0 == " " })
      return SecretText.isSecret(headerName: name) ? (colon + 1)..<range.upperBound : nil
    }
  }

  private static func startsHeader(_ text: ArraySlice<Character>) -> Bool {
    let rest = text.drop { $0 == " " }
    let name = rest.prefix { $0 != ":" && $0 != ";" }
    guard !name.isEmpty, name.count < rest.count, rest[rest.startIndex + name.count] == ":",
      String(name).utf8.allSatisfy(HeaderField.isTokenByte)
    else { return false }
    return rest.dropFirst(name.count + 1).first.map { $0 == " " } ?? true
  }
}
