import KettleModel

/// The user's configuration file, or the file of a theme, as read from disk.
package struct ConfigurationFile: Sendable {
  package static let byteCountMax = 1 << 20
  /// Limits the notices, because a file that is not a configuration would fill the status.
  package static let noticeCountMax = 10

  package let path: String
  private let contents: FileContents

  package init(path: String, contents: FileContents) {
    self.path = path
    self.contents = contents
  }

  /// Returns the service's configuration, with one sentence for each setting that has no effect. A
  /// missing file is not a problem.
  package func serviceConfiguration() -> (ServiceConfiguration, notices: [String]) {
    let reading = readForService()
    return (reading.configuration, notices(reading.problems, for: .service))
  }

  /// Returns the service's configuration and what is wrong with the file. A missing file is not a
  /// problem.
  package func readForService() -> (
    configuration: ServiceConfiguration, problems: [ConfigurationProblem]
  ) {
    read(ServiceConfiguration.read, default: ServiceConfiguration())
  }

  /// One sentence for each of the first problems.
  package func notices(
    _ problems: [ConfigurationProblem], for reader: ConfigurationReader
  ) -> [String] {
    problems.prefix(Self.noticeCountMax).map { $0.sentence(path: path, for: reader) }
  }

  /// Returns the dashboard's configuration, with one sentence for each setting that has no effect.
  package func dashboardConfiguration() -> (DashboardConfiguration, notices: [String]) {
    parse(DashboardConfiguration.read, default: DashboardConfiguration(), for: .dashboard)
  }

  /// Returns the theme in the file, with one sentence for each setting that has no effect.
  package func themeConfiguration() -> (ThemeConfiguration, notices: [String]) {
    parse(ThemeConfiguration.read, default: ThemeConfiguration(), for: .dashboard)
  }

  package var isMissing: Bool {
    switch contents {
    case .missing: true
    case .bytes, .unreadable: false
    }
  }

  private func parse<Value>(
    _ read: ([UInt8]) -> (Value, [ConfigurationProblem]), default standard: Value,
    for reader: ConfigurationReader
  ) -> (Value, notices: [String]) {
    let (value, problems) = self.read(read, default: standard)
    return (value, notices(problems, for: reader))
  }

  private func read<Value>(
    _ read: ([UInt8]) -> (Value, [ConfigurationProblem]), default standard: Value
  ) -> (Value, [ConfigurationProblem]) {
    switch contents {
    case .bytes(let bytes): read(bytes)
    case .missing: (standard, [])
    case .unreadable(let detail): (standard, [ConfigurationProblem(.unreadable(detail))])
    }
  }
}

extension TOMLDocument {
  /// Reads a file. One that is not TOML has no effect at all, because its meaning is unknown.
  ///
  /// - Parameter apply: applies the document, and returns its problems.
  static func read<Settings>(
    _ bytes: [UInt8], into standard: Settings,
    apply: (TOMLDocument, inout Settings) -> [ConfigurationProblem]
  ) -> (Settings, [ConfigurationProblem]) {
    do throws(TOMLProblem) {
      var settings = standard
      let problems = apply(try TOMLReader.read(bytes), &settings)
      return (settings, problems)
    } catch {
      return (standard, [ConfigurationProblem(.unreadable(error.detail), line: error.line)])
    }
  }
}

extension ConfigurationProblem {
  /// Returns the key that was probably meant. A table with names of the user's, such as those of
  /// queues, has only its own keys.
  static func nearestKey(to key: String) -> String? {
    let table = key.prefix { $0 != "." }
    switch table {
    case "hosts": return HostsTable.nearestKey(to: key)
    case "queues": return QueuesTable.nearestKey(to: key)
    default: break
    }
    let rest = key.dropFirst(table.count)
    // A table of the user's names whose own name is misspelt, as in `queue.night.hours`.
    if rest.count(where: { $0 == "." }) > 1, !isTable(table),
      let meant = NearestWord.of(String(table), in: ["hosts", "queues"])
    {
      let corrected = meant + rest
      return nearestKey(to: corrected) ?? corrected
    }
    return nearestKey(to: key, in: ConfigurationKeys.fixedNames)
  }

  private static func isTable(_ name: Substring) -> Bool {
    ConfigurationKeys.fixedNames.contains { $0.hasPrefix(name + ".") }
  }

  /// Returns the key that was probably meant. Keys of arrays have `#` in place of the number; the
  /// result has the number in `key`, or else 1. A key in the wrong table counts as close.
  static func nearestKey(to key: String, in known: [String]) -> String? {
    let parts = key.split(separator: ".").map(String.init)
    var numbers = parts.filter(isNumber)[...]
    let general = parts.map { isNumber($0) ? ConfigurationArray.numberSign : $0 }
    let name = general.joined(separator: ".")
    // A key outside of all tables was hardly meant for an element.
    let namesakes = known.filter {
      $0.split(separator: ".").last == general.last?[...]
        && (parts.count > 1 || !$0.contains(ConfigurationArray.numberSign))
    }
    let nearest =
      NearestWord.of(name, in: known) ?? (namesakes.count == 1 ? namesakes.first : nil)
    return nearest.map { nearest in
      nearest.split(separator: ".")
        .map { $0 == ConfigurationArray.numberSign ? numbers.popFirst() ?? "1" : String($0) }
        .joined(separator: ".")
    }
  }

  private static func isNumber(_ part: String) -> Bool {
    part.utf8.allSatisfy { (48...57).contains($0) }
  }
}
