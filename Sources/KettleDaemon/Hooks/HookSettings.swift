import KettleConfiguration
import KettleScheduler

/// Which hooks are run, and how.
struct HookSettings: Hashable, Sendable {
  var rules = HookRules()
  var limits = HookQueue.Limits()

  init(_ file: ServiceConfiguration.Hooks) {
    rules.commands = file.commands
    rules.appliesToRPC = file.appliesToRPC
    if let most = file.runningMax { limits.runningMax = most }
    if let seconds = file.timeLimitSeconds { limits.timeLimitSeconds = seconds }
  }
}
