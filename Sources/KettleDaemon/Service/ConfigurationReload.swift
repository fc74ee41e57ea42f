import Glibc
import KettleConfiguration
import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem

/// Reads the configuration file again and applies what can change while the service runs.
///
/// An invalid file loosens nothing: the settings in use stay in effect. A service that
/// started with one sends nothing until the file is valid or the user decides to use the defaults.
final class ConfigurationReload: Sendable {
  /// What the service works with.
  private struct Use: Sendable {
    var settings: ServiceSettings
    /// Whether transfers are held back because the file of the start was not understood.
    var holdsBack: Bool
  }

  private let read: @Sendable (ConfigurationReader) -> ServiceSettings
  private let engine: TransferEngine
  private let need: ConditionNeed
  private let rpc: RPCServer
  private let hooks: HookRegistry
  private let notices: ServiceNotices
  private let use: Mutex<Use>
  /// What the parts that cannot change work with.
  private let started: ServiceConfiguration
  /// The latest one, which the next one waits for.
  private let latest = Mutex<Task<ReloadConfiguration.Result, Never>?>(nil)

  init(
    _ settings: ServiceSettings, engine: TransferEngine, need: ConditionNeed, rpc: RPCServer,
    hooks: HookRegistry,
    notices: ServiceNotices, read: @escaping @Sendable (ConfigurationReader) -> ServiceSettings
  ) {
    use = Mutex(Use(settings: settings, holdsBack: settings.standing == .unknown))
    started = settings.file
    self.engine = engine
    self.need = need
    self.rpc = rpc
    self.hooks = hooks
    self.notices = notices
    self.read = read
  }

  /// Applies the settings that the service was started with, as far as they are not yet.
  func begin() async { await rpc.apply(use.withLock { $0.settings.rpc }) }

  func run(_ params: ReloadConfiguration.Params) async -> ReloadConfiguration.Result {
    let task = latest.withLock { latest in
      let before = latest
      let task = Task(executorPreference: WorkerPool.tasks) { [self] in
        _ = await before?.value
        return await reload(goesOnWithoutFile: params.withoutFile == true)
      }
      latest = task
      return task
    }
    return await task.value
  }

  private func reload(goesOnWithoutFile: Bool) async -> ReloadConfiguration.Result {
    let now = use.withLock { $0 }
    let holdsBack = now.holdsBack && !goesOnWithoutFile
    let new = read(holdsBack ? .startingService : .runningService)
    switch new.standing {
    case .unknown:
      if now.holdsBack, !holdsBack { await release() }
      return reported(new.notices)
    case .partlyKnown where !now.holdsBack:
      return reported([ServiceSentence.settingsStay] + new.notices)
    case .known, .partlyKnown: break
    }
    await apply(new, inPlaceOf: now.settings)
    use.withLock { $0.settings = new }
    let pending = new.file.tablesForRestart(since: started)
    // What the file says of proxies applies from the next start on.
    if holdsBack, !pending.isEmpty {
      return reported([ServiceSentence.startAgain] + new.notices, pending)
    }
    if now.holdsBack { await release() }
    return reported(new.notices, pending)
  }

  private func release() async {
    use.withLock { $0.holdsBack = false }
    await engine.holdBack(forConfiguration: nil)
  }

  private func reported(
    _ sentences: [String], _ pending: [String] = []
  ) -> ReloadConfiguration.Result {
    notices.replaceConfiguration(sentences)
    return ReloadConfiguration.Result(notices: sentences, pending: pending)
  }

  private func apply(_ new: ServiceSettings, inPlaceOf old: ServiceSettings) async {
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
  }
}

/// A file of the user's with headers for a host, one `Name: value` on each line. They may be
/// secrets, so a failure says which line is wrong, and never what it contains.
enum HostHeadersFile {
  private static let byteCountMax = 1 << 20
  private static let headerCountMax = 100

  /// Reads the file, which must not be readable by others. Blocks.
  @Sendable
  static func read(_ path: String) -> Result<[HeaderField], TransferFailure> {
    do throws(Problem) {
      return .success(try headers(path))
    } catch {
      return .failure(TransferFailure(.headersFileUnusable, on: path, detail: error.detail))
    }
  }

  private struct Problem: Error {
    var detail: String
  }

  private static func headers(_ path: String) throws(Problem) -> [HeaderField] {
    guard path.hasPrefix("/") else {
      throw Problem(detail: "its value in the configuration file is not a path")
    }
    switch FileContents.readPrivate(path: path, byteCountMax: byteCountMax) {
    case .bytes(let bytes): return try headers(in: bytes)
    case .missing: throw Problem(detail: SystemError(ENOENT).message)
    case .unreadable(let detail): throw Problem(detail: detail)
    }
  }

  private static func headers(in bytes: [UInt8]) throws(Problem) -> [HeaderField] {
    var fields: [HeaderField] = []
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      let text = String(decoding: line, as: UTF8.self).trimmingBlanks()
      if text.isEmpty || text.hasPrefix("#") { continue }
      guard let field = HeaderField(text),
        !HeaderField.namesOfTransport.contains(field.name.lowercased())
      else {
        throw Problem(detail: "line \(index + 1) is no header that can be sent")
      }
      fields.append(field)
    }
    guard fields.count <= headerCountMax else {
      throw Problem(detail: "it has more than \(headerCountMax) headers")
    }
    guard !fields.isEmpty else { throw Problem(detail: "it has no headers") }
    return fields
  }
}
