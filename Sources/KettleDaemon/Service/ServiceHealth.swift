import Dispatch
import KettleDesktop
import KettleEngine
import KettleFiles
import KettleModel
import KettleScheduler
import KettleSocket
import Logging

/// The watches and timers that run beside the transfers for the lifetime of the service.
struct ServiceHealth: Sendable {
  private let socketFile: SocketFileMonitor
  private let network: NetworkWatch?
  private let zone: TimeZoneWatch?
  private let networkReader: Task<Void, Never>
  private let machine: MachineWatch
  private let conditionReaders: [Task<Void, Never>]
  // A dispatch source may be used from any thread (dispatch_source_create(3)).
  private nonisolated(unsafe) let healthy: any DispatchSourceTimer

  init(
    listener: ControlListener, startLockPath: String, crashes: CrashCounter, engine: TransferEngine,
    conditions: MachineWatch.Settings, need: ConditionNeed, environment: [String: String],
    logger: Logger
  ) {
    zone = TimeZoneWatch(environment: environment) {
      logger.info("The time zone has changed")
      Task(executorPreference: WorkerPool.tasks) { await engine.zoneChanged() }
    }
    socketFile = SocketFileMonitor(
      of: listener.socketPath, startLockPath: startLockPath, logger: logger
    ) {
      try await listener.restoreSocketFile()
    }
    let (states, continuation) = AsyncStream<NetworkState>.makeStream()
    do throws(NetworkWatchError) {
      network = try NetworkWatch { continuation.yield($0) }
    } catch {
      // Without it, a network loss is a failed attempt and is retried like any other.
      network = nil
      logger.warning(
        "Changes of the network cannot be watched",
        metadata: ["call": "\(error.call)", "errno": "\(error.code)"])
    }
    networkReader = Task(executorPreference: WorkerPool.tasks) {
      for await state in states {
        switch state {
        case .present: logger.info("The network is available, or has changed")
        case .absent: logger.info("The network is not available")
        }
        await engine.networkChanged(state)
      }
    }
    let (sets, setContinuation) = AsyncStream<Set<TransferCondition>>.makeStream()
    let machine = MachineWatch(conditions, on: WorkerPool.tasks) { setContinuation.yield($0) }
    self.machine = machine
    conditionReaders = [
      Task(executorPreference: WorkerPool.tasks) {
        await machine.start()
        for await met in sets {
          let names = met.map(\.rawValue).sorted().joined(separator: " ")
          logger.info("The conditions for tasks changed", metadata: ["met": "\(names)"])
          await engine.conditionsChanged(met)
        }
      },
      Task(executorPreference: WorkerPool.tasks) {
        for await isNeeded in need.changes { await machine.setNeeded(isNeeded) }
      },
    ]
    let queue = DispatchQueue(label: "kettle.health")
    healthy = DispatchSource.makeTimerSource(queue: queue)
    healthy.setEventHandler { crashes.clear() }
    healthy.schedule(deadline: .now() + .seconds(CrashCounter.healthySeconds))
    healthy.activate()
  }

  func end() {
    socketFile.end()
    zone?.end()
    network?.stop()
    networkReader.cancel()
    machine.stop()
    for reader in conditionReaders { reader.cancel() }
    healthy.cancel()
  }
}
