import KettleModel
import KettleScheduler
import TestSupport

@testable import KettleEngine

/// People and programs that ask for anything.
struct SimulatedUser {
  enum Action: String, CaseIterable, Sendable {
    case start, pause, stop, remove, removeWithFile, startFresh, accept, limit, limitAll
    case prioritize, move, assign, limits, queues, undo, clear, emptyBin, pauseAll, startAll
    case reset, follow, relink, look, cadence, networkNotice, zone
  }

  let machine: SimulatedMachine
  private var chance: Chance { machine.chance }
  private var surroundings: SimulatedSurroundings { machine.surroundings }

  init(at machine: SimulatedMachine) { self.machine = machine }

  /// Adds a transfer for one of the files.
  func add() {
    guard let spec = surroundings.newSpec(at: machine.now.monotonic) else { return }
    machine.note("user: add \(spec.url.text)")
    machine.request { [machine] engine in
      do {
        let ids = try await engine.add([spec])
        machine.note("added \(ids.map(\.rawValue))")
      } catch {
        machine.note("not added")
      }
    }
  }

  /// The actions after which a host may be asked again at once.
  private static let impatient: Set<Action> = [
    .start, .startAll, .startFresh, .relink, .follow, .reset, .accept, .undo,
  ]

  func act(_ action: Action) {
    guard let id = chance.one(of: machine.journal.records.keys.sorted()) else { return }
    machine.note("user: \(action.rawValue) \(id)")
    machine.happened("user: \(action.rawValue)")
    act(action, on: id)
  }

  private func act(_ action: Action, on id: TransferID) {
    switch action {
    case .start: control(.start, id, by: action)
    case .pause: control(.pause, id, by: action)
    case .stop: control(.stop, id, by: action)
    case .remove: control(.remove(.stays), id, by: action)
    case .reset: control(.reset, id, by: action)
    case .accept:
      surroundings.accepted.insert(id)
      control(.accept, id, by: action)
    case .limit:
      control(.limit(chance.happens(0.5) ? nil : chance.number(1000...100_000)), id, by: action)
    case .prioritize:
      control(.prioritize(chance.one(of: [.low, .normal, .high]) ?? .normal), id, by: action)
    case .relink:
      if let spec = surroundings.newSpec() { control(.relink(spec.url, nil), id, by: action) }
    case .pauseAll: request(action) { _ = await $0.perform(.pause, nil) }
    case .startAll: request(action) { _ = await $0.perform(.start, nil) }
    case .removeWithFile: request(action) { _ = await $0.removeWithFiles([id]) }
    case .startFresh: request(action) { _ = await $0.startFresh([id]) }
    case .move:
      let move = chance.one(of: QueueMove.allCases) ?? .up
      request(action) { _ = await $0.move([id], move) }
    case .assign:
      let name = chance.one(of: Self.queueNames) ?? .standard
      request(action) { _ = await $0.assign([id], to: name) }
    case .undo: request(action) { _ = try? await $0.undo(nil) }
    case .clear: request(action) { _ = await $0.clearFinished() }
    case .emptyBin: request(action) { await $0.emptyBin() }
    case .follow:
      guard let spec = machine.journal.records[id]?.spec else { return }
      request(action) { _ = await $0.follow(id, as: spec) }
    case .look: look(at: id)
    case .limits, .limitAll, .queues, .cadence, .networkNotice, .zone: setUp(action)
    }
  }

  private func control(
    _ control: TransferScheduler.Control, _ id: TransferID, by action: Action
  ) {
    request(action) { _ = await $0.control(control, [id]) }
  }

  private func request(
    _ action: Action, _ body: @escaping @Sendable (TransferEngine) async -> Void
  ) {
    machine.request(reopensHosts: Self.impatient.contains(action), body)
  }

  /// Looks at a transfer as the dashboard does, which reads the store.
  private func look(at id: TransferID) {
    machine.request { engine in
      guard let details = await engine.details(of: id) else { return }
      _ = await engine.explained(details.snapshot)
      _ = await engine.hosts()
      _ = try? await engine.binContents()
    }
  }

  private func setUp(_ action: Action) {
    switch action {
    case .limits:
      let limits = surroundings.drawLimits()
      machine.request { await $0.setLimits(limits) }
    case .limitAll:
      let limit = chance.happens(0.5) ? nil : chance.number(5000...200_000)
      machine.request { await $0.limitAll(toBytesPerSecond: limit) }
    case .queues:
      var settings: [QueueName: NamedQueues.Settings] = [:]
      for name in Self.queueNames where chance.happens(0.5) {
        settings[name] = NamedQueues.Settings(
          transfersMax: chance.happens(0.5) ? Int(chance.number(0...2)) : nil,
          hours: chance.happens(0.3) ? WeeklyHours("01:00-05:00", days: [.monday, .friday]) : nil)
      }
      machine.request { [settings] in await $0.setQueues(settings) }
    case .cadence:
      let cadence: ProgressCadence = chance.happens(0.3) ? .live : .quiet
      machine.request { await $0.setCadence(cadence) }
    case .networkNotice:
      let state = surroundings.networkState
      machine.request { await $0.networkChanged(state) }
    case .zone: machine.request { await $0.zoneChanged() }
    case .start, .pause, .stop, .remove, .removeWithFile, .startFresh, .accept, .limit,
      .prioritize, .move, .assign, .undo, .clear, .emptyBin, .pauseAll, .startAll, .reset,
      .follow, .relink, .look:
      break
    }
  }

  static let queueNames = [.standard] + ["night", "bulk"].compactMap { QueueName($0) }
}
