import KettleControl
import KettleModel
import KettleSocket
import KettleSystem

/// A request that can be made of several machines at once.
protocol SharedMethod: ControlMethod {
  static func ask(_ params: Params, of machines: SeveralMachines) async throws -> Result
}

/// The services of several machines as one. Its list has the rows of all; a machine that cannot be
/// reached has none, and is tried again until it can.
final class SeveralMachines: ServiceCalling {
  struct State {
    /// The connections; nil for a machine that cannot be reached.
    var services: [(any ServiceCalling)?]
    /// Since when each machine cannot be reached, and why not at the start.
    var missing: [Int: (since: WallTime, why: (any Error)?)] = [:]
    /// What is displayed; nil for nothing yet.
    var merge: WindowMerge?
    /// Counts the changes of `merge`. Machines return it with their rows.
    var generation = 0
    /// The rows of `merge` that have arrived.
    var windows: [Int: RowWindow] = [:]
    var isOverdue = false
    /// The last known totals of each machine.
    var totals: [Int: Totals] = [:]
  }

  let notifications: AsyncStream<ControlNotification>
  /// The machines do not restart together.
  var instance: String? { nil }

  let names: [String]
  private let reconnections: [Reconnection]
  let clock: any CommandClock
  let state: Mutex<State>
  let output: AsyncStream<ControlNotification>.Continuation
  let tasks = Mutex<[Task<Void, Never>]>([])

  /// Connects to one machine after the other, because ssh may ask something. Throws if none can be
  /// reached.
  static func open(
    _ reconnections: [Reconnection], names: [String], startIfNeeded: Bool, mayAsk: Bool
  ) async throws -> SeveralMachines {
    let machines = SeveralMachines(reconnections, names: names)
    for (index, reconnection) in reconnections.enumerated() {
      do {
        let service = try await reconnection.connect(startIfNeeded: startIfNeeded, mayAsk: mayAsk)
        machines.state.withLock { $0.services[index] = service }
      } catch {
        let now = machines.clock.now().wall
        machines.state.withLock { $0.missing[index] = (now, error) }
      }
    }
    let (isAlone, why) = machines.state.withLock { state in
      (state.missing.count == names.count, state.missing[0]?.why)
    }
    if isAlone, let why { throw why }
    machines.begin()
    return machines
  }

  private init(_ reconnections: [Reconnection], names: [String]) {
    self.reconnections = reconnections
    self.names = names
    clock = reconnections[0].context.clock
    state = Mutex(State(services: reconnections.map { _ in nil }))
    (notifications, output) = AsyncStream.makeStream()
  }

  func close() async {
    let running = tasks.withLock { tasks in
      defer { tasks = [] }
      return tasks
    }
    for task in running { task.cancel() }
    let services = state.withLock { state in
      defer { state.services = state.services.map { _ in nil } }
      return state.services
    }
    for service in services { await service?.close() }
    output.finish()
  }
}

// MARK: - Connections

extension SeveralMachines {
  private func begin() {
    let services = state.withLock { $0.services }
    let keepers = services.enumerated().map { index, service in
      Task { await keep(index, service) }
    }
    tasks.withLock { $0 = keepers }
  }

  /// Passes on what a machine sends, and reconnects, until this is closed.
  private func keep(_ index: Int, _ first: (any ServiceCalling)?) async {
    var service = first
    while !Task.isCancelled {
      if let current = service {
        for await notification in current.notifications { receive(notification, from: index) }
        await current.close()
        guard !Task.isCancelled else { return }
        lose(index)
      }
      guard let next = await nextService(of: index) else { return }
      service = next
      state.withLock { state in
        state.services[index] = next
        state.missing[index] = nil
      }
      Task {
        try? await subscribe(index)
        _ = try? await next.call(ReportNews.self, Nothing())
      }
    }
    await service?.close()
  }

  private func lose(_ index: Int) {
    let now = clock.now().wall
    state.withLock { state in
      state.services[index] = nil
      state.missing[index] = (now, nil)
      state.windows[index] = nil
      state.totals[index] = nil
      show(state)
    }
  }

  private func nextService(of index: Int) async -> (any ServiceCalling)? {
    let reconnection = reconnections[index]
    var failureCount = 1
    while true {
      await clock.wait(
        milliseconds: reconnection.pauseMilliseconds(afterFailures: failureCount))
      guard !Task.isCancelled else { return nil }
      if case .connected(let service)? =
        try? await reconnection.attempt(failureCount: failureCount)
      {
        return service
      }
      failureCount += 1
    }
  }
}

// MARK: - Requests

extension SeveralMachines {
  /// Why machines could not be reached at the start, and have not been since.
  var notices: [String] {
    state.withLock { state in
      state.missing.sorted { $0.key < $1.key }.compactMap(\.value.why)
        .flatMap { Sentences.report(of: $0).sentences }
    }
  }
}

/// A request concerns a machine that cannot be reached at the moment.
struct MachineMissing: Error, Hashable, Sendable {
  var name: String
}

extension SeveralMachines {
  func call<Method: ControlMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> Method.Result {
    guard let shared = method as? any SharedMethod.Type,
      let result = try await ask(shared, params) as? Method.Result
    else { throw ControlError(.notOffered, Method.name) }
    return result
  }

  private func ask<Method: SharedMethod>(
    _ method: Method.Type, _ params: any Sendable
  ) async throws -> (any Sendable)? {
    guard let params = params as? Method.Params else { return nil }
    return try await Method.ask(params, of: self)
  }

  /// Asks each machine its part, and joins the results.
  func spread<Method: SpreadMethod>(
    _ method: Method.Type, _ params: Method.Params
  ) async throws -> Method.Result {
    let answers = try await answers(method, Method.parts(of: params, among: names))
    let results = answers.map { index, result in
      Method.shared(
        result, of: ListedMachine(ids: MachineIDs(index: index), name: names[index]))
    }
    guard let first = results.first else { throw MachineMissing(name: names[0]) }
    return results.dropFirst().reduce(first, Method.joined)
  }

  /// Returns the results in the order of the machines. Throws the first error when all have
  /// answered.
  func answers<Method: ControlMethod>(
    _ method: Method.Type, _ parts: MachineParts<Method.Params>
  ) async throws -> [(Int, Method.Result)] {
    let services = state.withLock { $0.services }
    let answers = await withTaskGroup(of: (Int, Result<Method.Result, any Error>).self) { group in
      for (index, part) in parts.byMachine {
        let service = services.indices.contains(index) ? services[index] : nil
        if service == nil, parts.isForAll { continue }
        let name = names.indices.contains(index) ? names[index] : "\(index)"
        group.addTask {
          do {
            guard let service else { throw MachineMissing(name: name) }
            return (index, .success(try await service.call(method, part)))
          } catch { return (index, .failure(error)) }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    return try answers.sorted { $0.0 < $1.0 }.map { ($0.0, try $0.1.get()) }
  }
}
