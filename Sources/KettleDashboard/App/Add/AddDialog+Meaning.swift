import KettleModel

/// Parsing and validation of the form.
extension AddDialog {
  package func problem(of field: AddField, _ around: AddFormContext) -> AddFieldProblem? {
    let text = text(field)
    guard !text.isEmpty else { return nil }
    switch field {
    case .urls, .paused: return nil
    case .directory: return around.absolute(text) == nil ? .directoryUnknown(text) : nil
    case .name:
      if urls.goodCount > 1 { return .nameForSeveral(count: urls.goodCount) }
      return FileNameText.isUsable(text) ? nil : .nameUnusable
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
    case .start: return around.time(text) == nil ? .startUnusable : nil
    }
  }

  package func firstFieldProblem(
    _ around: AddFormContext
  ) -> (field: AddField, problem: AddFieldProblem)? {
    for field in AddField.settings {
      if let problem = problem(of: field, around) { return (field, problem) }
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
  package func specs(_ around: AddFormContext) -> Result<[TransferSpec], SpecsProblem> {
    var specs: [TransferSpec] = []
    for (row, line) in urls.lines.enumerated() {
      var spec: TransferSpec
      switch line.reading {
      case .blank, .problem: continue
      case .url(let parsed):
        spec = TransferSpec(url: parsed.url)
        spec.login = parsed.login
      case .command(let command):
        spec = TransferSpec(command)
        if let directory = command.directory, text(.directory).isEmpty {
          guard let path = around.absolute(directory) else {
            return .failure(SpecsProblem(row: row, directory: directory))
          }
          spec.directory = path
        }
      }
      applySettings(to: &spec, around)
      specs.append(spec)
    }
    return .success(specs)
  }

  package struct SpecsProblem: Error, Hashable, Sendable {
    package var row: Int
    package var directory: String
  }

  private func applySettings(to spec: inout TransferSpec, _ around: AddFormContext) {
    let directory = text(.directory)
    if !directory.isEmpty { spec.directory = around.absolute(directory) }
    if !text(.name).isEmpty { spec.name = text(.name) }
    spec.checksum = Checksum(text(.checksum))
    if !text(.limit).isEmpty { spec.limitBytesPerSecond = RateText.parse(text(.limit)) }
    spec.headers += HeaderList.parts(editor(.headers).characters).compactMap(\.header)
    spec.login = spec.login ?? login
    if !text(.start).isEmpty { spec.notBefore = around.time(text(.start)) }
    spec.beginning = isPaused ? .paused : .queued
  }
}

extension TransferSpec {
  fileprivate init(_ command: CurlCommandLine) {
    self.init(url: command.url.url)
    login = command.login
    headers = command.headers
    name = command.name
    limitBytesPerSecond = command.limitBytesPerSecond
  }
}
