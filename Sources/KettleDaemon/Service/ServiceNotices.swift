import KettleSystem

/// The problems of the service itself, for `kettle daemon status` and the dashboard.
final class ServiceNotices: Sendable {
  private struct State: Sendable {
    var configuration: [String]
    let others: [String]
  }

  private let state: Mutex<State>

  init(configuration: [String], others: [String]) {
    state = Mutex(State(configuration: configuration, others: others))
  }

  var all: [String] { state.withLock { $0.configuration + $0.others } }

  /// Called when the configuration file was read again.
  func replaceConfiguration(_ notices: [String]) {
    state.withLock { $0.configuration = notices }
  }
}
