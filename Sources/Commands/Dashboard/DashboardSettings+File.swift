import Configuration
import ConfigurationFiles
import ControlProtocol
import DashboardUI
import TransferClient

extension DashboardSettings {
  /// What the user of this process set, whatever service the dashboard is shown over.
  static func ofUser(environment: [String: String]) -> DashboardSettings {
    let path = ServicePlaces.of(environment: environment).configPath
    let (configuration, notices) = ConfigurationFile(path: path).readForDashboard()
    return DashboardSettings(configuration, notices: notices, path: path)
  }

  init(_ configuration: DashboardConfiguration, notices: [String], path: String) {
    self.init()
    let mappings = configuration.mappings.map {
      KeyMapping(action: $0.action, keys: $0.keys, line: $0.line)
    }
    keymap = Keymap(mappings)
    problems = notices + keymap.problems.map { $0.sentence(path: path) }
  }
}
