import Foundation
import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem
import Logging
import TestSupport

@testable import KettleDaemon

/// A registry whose commits and launches a test observes.
final class RegistryWorld: Sendable {
  enum Effect: Sendable, Hashable {
    case recorded(SessionRecord)
    case removed(SessionID)
    case launched(LaunchCommand, SessionID)
    case reported(ProgramLauncher.Event)
  }

  static let app = SessionID(rawValue: "org.example.app")

  let clock = ManualClock()
  let registry: SessionRegistry
  /// All effects in order.
  let effects: AsyncStream<Effect>
  private let continuation: AsyncStream<Effect>.Continuation
  private let work: Task<Void, Never>

  /// - Parameter launcher: nil lets every launch succeed without a process.
  init(launcher: ProgramLauncher? = nil) {
    let (effects, continuation) = AsyncStream<Effect>.makeStream()
    (self.effects, self.continuation) = (effects, continuation)
    let store = StoreSwitch()
    let policies = Policies()
    (self.store, self.policies) = (store, policies)
    registry = SessionRegistry(
      clock: clock,
      ports: SessionRegistry.Ports(
        commit: { changes throws(EngineError) in
          if store.isBroken { throw EngineError.cannotKeep("no space") }
          for change in changes {
            switch change {
            case .putSession(let record): continuation.yield(.recorded(record))
            case .removeSession(let id): continuation.yield(.removed(id))
            case .put, .progress, .remove, .clearFinished, .uncover, .bin, .hostServed,
              .rememberHost, .hook, .digests, .forgetDigests, .members, .syncMembers,
              .leaveOutMembers:
              break
            }
          }
        },
        setPolicy: { session, policy in
          policies.received.withLock { $0[session, default: []].append(policy) }
        },
        launch: { command, session, report in
          continuation.yield(.launched(command, session))
          let reportTwice: @Sendable (ProgramLauncher.Event) -> Void = { event in
            report(event)
            continuation.yield(.reported(event))
          }
          guard let launcher else { return reportTwice(.started(processID: 1)) }
          launcher.launch(command, for: session, report: reportTwice)
        }),
      logger: Logger(label: "test"))
    work = Task { [registry] in await registry.run() }
  }

  let store: StoreSwitch
  let policies: Policies

  /// The policies that the engine received, in order.
  final class Policies: Sendable {
    let received = Mutex<[SessionID: [SessionPolicy]]>([:])
  }

  final class StoreSwitch: Sendable {
    private let state = Mutex(false)
    var isBroken: Bool { state.withLock { $0 } }
    func setBroken(_ isBroken: Bool) { state.withLock { $0 = isBroken } }
  }

  func client(_ id: UInt64, processID: Int64 = 77) -> ConnectedClient {
    ConnectedClient(
      id: ClientID(rawValue: id), processID: processID, mailbox: Mailboxes().open())
  }

  func attach(
    _ id: UInt64 = 1, launch: LaunchCommand? = LaunchCommand(executablePath: "/opt/app")
  ) async throws {
    try await attach(id, SessionOptions(launch: launch))
  }

  func attach(_ id: UInt64 = 1, _ options: SessionOptions) async throws {
    try await registry.attach(
      client(id), AttachSession.Params(session: Self.app, options: options))
  }

  func task(_ id: Int64, _ state: TransferState) {
    let row = TransferSnapshot(
      id: TransferID(rawValue: id), session: Self.app, taskIdentifier: id, title: "t",
      url: "https://example.org/", state: state, createdAt: WallTime(millisecondsSince1970: 0),
      finishedAt: state == .completed ? clock.now().wall : nil, task: TaskStatus())
    registry.observe(.changed(row))
  }

  /// Returns when all queued actions and their consequences are performed: two later jobs have
  /// passed through the queue.
  func drainQueue() async {
    for _ in 0..<2 {
      try? await registry.attach(
        client(1000),
        AttachSession.Params(
          session: SessionID(rawValue: "other"), options: SessionOptions(launch: nil)))
    }
  }

  /// Waits for the first matching effect and skips the ones before it.
  func first(where isWanted: (Effect) -> Bool) async -> Effect? {
    for await one in effects where isWanted(one) { return one }
    return nil
  }

  /// Returns all effects up to the first matching one.
  func all(until isLast: (Effect) -> Bool) async -> [Effect] {
    var all: [Effect] = []
    for await one in effects {
      all.append(one)
      if isLast(one) { break }
    }
    return all
  }

  /// Ends the registry. Returns the effects that were not read yet.
  func end() async -> [Effect] {
    registry.end()
    await work.value
    continuation.finish()
    var rest: [Effect] = []
    for await one in effects { rest.append(one) }
    return rest
  }
}
