import KettleModel
import KettleSystem

/// The problems of the service itself, for `kettle daemon status` and the dashboard.
final class ServiceNotices: Sendable {
  private struct State: Sendable {
    var configuration: [String]
    /// About hooks whose latest run could not be started.
    var hooks: [HookEvent: String] = [:]
    let others: [String]
  }

  private let state: Mutex<State>

  init(configuration: [String], others: [String]) {
    state = Mutex(State(configuration: configuration, others: others))
  }

  var all: [String] {
    state.withLock { state in
      state.configuration + HookEvent.allCases.compactMap { state.hooks[$0] } + state.others
    }
  }

  /// Called when the configuration file was read again. Whether its hooks can be started is not
  /// known yet.
  func replaceConfiguration(_ notices: [String]) {
    state.withLock { state in
      state.configuration = notices
      state.hooks = [:]
    }
  }

  /// Called with each run of a hook whose program was started, or could not be.
  func note(_ run: HookRun) {
    switch run.source {
    case .settings:
      let sentence = ServiceSentence.notice(of: run)
      state.withLock { $0.hooks[run.event] = sentence }
    // Shown with its transfer.
    case .transfer: break
    }
  }
}
