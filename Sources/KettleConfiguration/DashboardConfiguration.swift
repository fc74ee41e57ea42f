/// The user's settings for the dashboard in the configuration file.
package struct DashboardConfiguration: Hashable, Sendable {
  /// The keys of one action.
  package struct Mapping: Hashable, Sendable {
    package var action: String
    /// Names of keys; an empty array unbinds the action.
    package var keys: [String]
    package var line: Int
  }

  /// The colour of one element.
  package struct Coloring: Hashable, Sendable {
    package var name: String
    package var color: ColorSetting
    package var line: Int
  }

  package struct ThemeName: Hashable, Sendable {
    package var name: String
    package var line: Int

    /// Whether the text is a safe file name, so that the file is in the directory of the themes.
    package static func isFileName(_ text: String) -> Bool {
      (1...100).contains(text.utf8.count)
        && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }
  }

  package enum Background: String, Hashable, Sendable {
    /// As the terminal reports.
    case auto
    case dark, light
  }

  /// In the order of the file.
  package var mappings: [Mapping] = []
  package var isMouseOn = true
  package var ringsBell = true
  package var showsTaskbarProgress = true
  package var announces = true
  package var background = Background.auto
  package var theme: ThemeName?
  /// In the order of the file.
  package var colors: [Coloring] = []

  package init() {}

  /// The tables that the dashboard reads. The service ignores them, and the dashboard ignores all
  /// others.
  static var tables: [any DashboardTable.Type] {
    [KeysTable.self, TerminalTable.self, ThemeTable.self]
  }

  /// Reads the dashboard's tables. A wrong key has no effect and leaves the others valid. A file
  /// that is not TOML has no effect at all, because its meaning is unknown.
  package static func read(
    _ bytes: [UInt8]
  ) -> (DashboardConfiguration, [ConfigurationProblem]) {
    var configuration = DashboardConfiguration()
    var problems: [ConfigurationProblem] = []
    do throws(TOMLProblem) {
      for entry in try TOMLReader.read(bytes).entries {
        guard let table = table(of: entry) else { continue }
        if let what = table.apply(entry, to: &configuration) {
          problems.append(ConfigurationProblem(what, line: entry.line))
        }
      }
    } catch {
      let problem = ConfigurationProblem(.unreadable(error.detail), line: error.line)
      return (DashboardConfiguration(), [problem])
    }
    return (configuration, problems)
  }

  /// Returns nil for an entry that is not the dashboard's.
  static func table(of entry: TOMLEntry) -> (any DashboardTable.Type)? {
    tables.first { entry.name.hasPrefix($0.name + ".") }
  }
}

/// One table of the file.
protocol DashboardTable {
  static var name: String { get }
  /// Applies an entry of the table, or returns its problem.
  static func apply(
    _ entry: TOMLEntry, to configuration: inout DashboardConfiguration
  ) -> ConfigurationProblem.What?
}

extension DashboardTable {
  /// Returns the key of an entry within the table.
  static func key(of entry: TOMLEntry) -> String { String(entry.name.dropFirst(name.count + 1)) }
}
