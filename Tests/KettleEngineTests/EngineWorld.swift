import KettleModel
import KettleScheduler
import KettleSystem
import Logging
import TestSupport

@testable import KettleEngine

/// An engine over fakes, and the events that it reported to its observer.
final class EngineWorld: Sendable {
  let engine: TransferEngine
  let journal: InMemoryJournal
  let files: InMemoryFileStorage
  let clock: ManualClock
  let transport: ScriptedTransport
  let told: ToldEvents
  /// What the engine found in the store.
  let recovered: TransferEngine.Recovered

  static let documents = "/home/u/Downloads"
  static let held = "/home/u/.local/state/kettle/held"

  /// - Parameters:
  ///   - after: the world whose disk and store are reused, as after a crash.
  ///   - kept: the store, if it is not the one of that world.
  init(
    after: EngineWorld? = nil, kept: InMemoryJournal? = nil,
    objects: any ObjectStore = NoObjectStore(),
    _ change: (inout TransferEngine.Configuration) -> Void = { _ in }
  ) async throws {
    journal = kept ?? after?.journal ?? InMemoryJournal()
    files =
      after?.files
      ?? InMemoryFileStorage(documentsDirectory: Self.documents, heldDirectory: Self.held)
    clock = after?.clock ?? ManualClock()
    let told = ToldEvents()
    self.told = told
    let made = Mutex<ScriptedTransport?>(nil)
    var configuration = TransferEngine.Configuration(documentsDirectory: Self.documents)
    configuration.heldDirectory = Self.held
    change(&configuration)
    engine = try TransferEngine(
      configuration: configuration,
      ports: TransferEngine.Ports(
        journal: journal, archive: journal, files: files, objects: objects, clock: clock,
        makeTransport: { events in
          let transport = ScriptedTransport(events: events)
          made.withLock { $0 = transport }
          return transport
        }),
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      observer: { told.note($0) })
    guard let transport = made.withLock({ $0 }) else { throw NoTransport() }
    self.transport = transport
    recovered = try await engine.start()
  }

  private struct NoTransport: Error {}

  /// Advances the clock once the engine has set the alarm for what it was told before.
  func advance(milliseconds: Int64) async {
    await engine.turn()
    clock.advance(milliseconds: milliseconds)
  }

  static func spec(_ text: String = "http://files.example/a.iso") -> TransferSpec {
    guard case .success(let parsed) = TransferURL.parse(text) else {
      preconditionFailure("The test has a URL that cannot be parsed: \(text)")
    }
    return TransferSpec(url: parsed.url)
  }

  /// Adds a transfer and delivers its response head: the body is accepted when this returns.
  func flowing(
    total: Int, connections: Int? = nil
  ) async throws -> (TransferID, AttemptID) {
    var spec = Self.spec()
    spec.connections = connections
    let id = try await engine.add([spec])[0]
    let attempt = await transport.request(1).id
    transport.head(attempt, 200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
    await transport.called { $0.contains(.accept(attempt)) }
    return (id, attempt)
  }
}

/// All events that the engine reported, and a way to wait for them.
final class ToldEvents: Sendable {
  private struct State: Sendable {
    var events: [EngineEvent] = []
    var reaction: (@Sendable (EngineEvent) -> Void)?
    var waiters: [(@Sendable ([EngineEvent]) -> Bool, CheckedContinuation<Void, Never>)] = []
  }

  private let state = Mutex(State())

  var all: [EngineEvent] { state.withLock { $0.events } }

  /// The states of a transfer, in the order in which they were reported.
  func states(of id: TransferID) -> [TransferState] {
    all.compactMap { event in
      switch event {
      case .added(let row), .changed(let row): row.id == id ? row.state : nil
      case .listed(let listed): listed.rows.first { $0.id == id }?.state
      case .recovered, .loaded, .evicted, .progress, .removed, .cleared, .uncovered, .limited,
        .queues,
        .hooksDue:
        nil
      }
    }
  }

  /// Calls `body` with each event from now on, on the engine.
  func react(_ body: @escaping @Sendable (EngineEvent) -> Void) {
    state.withLock { $0.reaction = body }
  }

  func note(_ event: EngineEvent) {
    state.withLock { $0.reaction }?(event)
    let met = state.withLock { state in
      state.events.append(event)
      let events = state.events
      let met = state.waiters.filter { $0.0(events) }.map(\.1)
      state.waiters.removeAll { $0.0(events) }
      return met
    }
    for waiter in met { waiter.resume() }
  }

  func wait(until isMet: @escaping @Sendable ([EngineEvent]) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isMetNow = state.withLock { state in
        if isMet(state.events) { return true }
        state.waiters.append((isMet, continuation))
        return false
      }
      if isMetNow { continuation.resume() }
    }
  }

  func wait(for wanted: TransferState, of id: TransferID) async {
    await wait { events in
      events.contains { event in
        switch event {
        case .added(let row), .changed(let row): row.id == id && row.state == wanted
        case .listed(let listed): listed.rows.contains { $0.id == id && $0.state == wanted }
        case .recovered, .loaded, .evicted, .progress, .removed, .cleared, .uncovered, .limited,
          .queues,
          .hooksDue:
          false
        }
      }
    }
  }
}
