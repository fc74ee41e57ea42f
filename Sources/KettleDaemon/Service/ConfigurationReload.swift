import KettleConfiguration
import KettleControl
import KettleEngine
import KettleScheduler
import KettleSystem

/// Reads the configuration file again and applies what can change while the service runs.
final class ConfigurationReload: Sendable {
  private let read: @Sendable () -> ServiceSettings
  private let engine: TransferEngine
  private let need: ConditionNeed
  private let rpc: RPCServer
  private let hooks: HookRegistry
  private let notices: ServiceNotices
  private let current: Mutex<ServiceSettings>
  /// What the parts that cannot change work with.
  private let started: ServiceConfiguration
  /// The latest one, which the next one waits for.
  private let latest = Mutex<Task<ReloadConfiguration.Result, Never>?>(nil)

  init(
    _ settings: ServiceSettings, engine: TransferEngine, need: ConditionNeed, rpc: RPCServer,
    hooks: HookRegistry,
    notices: ServiceNotices, read: @escaping @Sendable () -> ServiceSettings
  ) {
    current = Mutex(settings)
    started = settings.file
    self.engine = engine
    self.need = need
    self.rpc = rpc
    self.hooks = hooks
    self.notices = notices
    self.read = read
  }

  /// Applies the settings that the service was started with, as far as they are not yet.
  func begin() async { await rpc.apply(current.withLock { $0.rpc }) }

  func run() async -> ReloadConfiguration.Result {
    let task = latest.withLock { latest in
      let before = latest
      let task = Task(executorPreference: WorkerPool.tasks) { [self] in
        _ = await before?.value
        return await reload()
      }
      latest = task
      return task
    }
    return await task.value
  }

  private func reload() async -> ReloadConfiguration.Result {
    let new = read()
    let old = current.withLock { settings in
      defer { settings = new }
      return settings
    }
    if new.engine.limits != old.engine.limits { await engine.setLimits(new.engine.limits) }
    if new.engine.limitSchedule != old.engine.limitSchedule {
      await engine.follow(new.engine.limitSchedule)
    }
    if new.engine.queues != old.engine.queues { await engine.setQueues(new.engine.queues) }
    if new.engine.conditionsOfUser != old.engine.conditionsOfUser {
      need.setNeededByUser(!new.engine.conditionsOfUser.isEmpty)
      await engine.setConditionsOfUser(new.engine.conditionsOfUser)
    }
    if new.hooks != old.hooks {
      await engine.setHooks(new.hooks.rules)
      hooks.setLimits(new.hooks.limits)
    }
    await engine.setHosts(new.engine.hosts)
    await engine.setRules(new.engine.rules, new.engine.defaults)
    // Also if nothing changed: the port may be free by now, or the secret another one.
    await rpc.apply(new.rpc)
    notices.replaceConfiguration(new.notices)
    return ReloadConfiguration.Result(
      notices: new.notices, pending: new.file.tablesForRestart(since: started))
  }
}
