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
