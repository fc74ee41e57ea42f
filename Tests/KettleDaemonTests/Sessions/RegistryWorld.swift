import Foundation
import KettleControl
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem
import Logging
import TestSupport

@testable import KettleDaemon

/// A registry whose store and programs a test can watch.
final class RegistryWorld: Sendable {
  enum Told: Sendable, Hashable {
    case kept(SessionRecord)
    case forgotten(SessionID)
    case launched(LaunchCommand, SessionID)
    case heard(ProgramLauncher.News)
  }

  static let app = SessionID(rawValue: "org.example.app")

  let clock = ManualClock()
  let registry: SessionRegistry
  /// Everything in its order.
  let told: AsyncStream<Told>
  private let teller: AsyncStream<Told>.Continuation
  private let work: Task<Void, Never>

  /// - Parameter launcher: nil lets every launch succeed without a process.
  init(launcher: ProgramLauncher? = nil) {
    let (told, teller) = AsyncStream<Told>.makeStream()
    (self.told, self.teller) = (told, teller)
    let store = StoreSwitch()
    let policies = Policies()
    (self.store, self.policies) = (store, policies)
    registry = SessionRegistry(
      clock: clock,
      ports: SessionRegistry.Ports(
        keep: { changes throws(EngineError) in
          if store.isBroken { throw EngineError.cannotKeep("no space") }
          for change in changes {
            switch change {
            case .putSession(let record): teller.yield(.kept(record))
            case .removeSession(let id): teller.yield(.forgotten(id))
            case .put, .progress, .remove, .clearFinished: break
            }
          }
        },
        setPolicy: { session, policy in
          policies.noted.withLock { $0[session, default: []].append(policy) }
        },
        launch: { command, session, tell in
          teller.yield(.launched(command, session))
          let telling: @Sendable (ProgramLauncher.News) -> Void = { news in
            tell(news)
            teller.yield(.heard(news))
          }
          guard let launcher else { return telling(.started(processID: 1)) }
          launcher.launch(command, for: session, telling)
        }),
      logger: Logger(label: "test"))
    work = Task { [registry] in await registry.run() }
  }

  let store: StoreSwitch
  let policies: Policies

  /// What the engine was told of sessions, in its order.
  final class Policies: Sendable {
    let noted = Mutex<[SessionID: [SessionPolicy]]>([:])
  }

  final class StoreSwitch: Sendable {
    private let state = Mutex(false)
    var isBroken: Bool { state.withLock { $0 } }
    func setBroken(_ isBroken: Bool) { state.withLock { $0 = isBroken } }
  }

  func client(_ id: UInt64, processID: Int64 = 77) -> ConnectedClient {
    ConnectedClient(
      id: ClientID(rawValue: id), processID: processID, mailbox: Mailboxes().join())
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

  /// Returns when everything that was decided is done, with what follows from it: what goes through
  /// the queue afterwards has come through, twice.
  func settle() async {
    for _ in 0..<2 {
      try? await registry.attach(
        client(1000),
        AttachSession.Params(
          session: SessionID(rawValue: "other"), options: SessionOptions(launch: nil)))
    }
  }

  /// Waits for what the predicate names; what comes before it is passed over.
  func first(where isWanted: (Told) -> Bool) async -> Told? {
    for await one in told where isWanted(one) { return one }
    return nil
  }

  /// Everything up to what the predicate names.
  func all(until isLast: (Told) -> Bool) async -> [Told] {
    var all: [Told] = []
    for await one in told {
      all.append(one)
      if isLast(one) { break }
    }
    return all
  }

  /// Ends, and answers with all that was told and not taken yet.
  func end() async -> [Told] {
    registry.end()
    await work.value
    teller.finish()
    var rest: [Told] = []
    for await one in told { rest.append(one) }
    return rest
  }
}
