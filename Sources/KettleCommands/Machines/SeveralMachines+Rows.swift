import KettleControl
import KettleModel
import KettleSocket
import KettleSystem

/// What is displayed of the list of several machines.
extension SeveralMachines {
  /// How long a machine may take to send its rows before those of the others are shown.
  private static let patienceMilliseconds: Int64 = 1000

  /// Displays another part of the list. Throws if a machine refuses it.
  fileprivate func display(_ merge: WindowMerge) async throws {
    let generation = state.withLock { state in
      state.merge = merge
      state.generation += 1
      (state.windows, state.isOverdue) = ([:], false)
      return state.generation
    }
    let waiting = Task {
      await clock.wait(milliseconds: Self.patienceMilliseconds)
      state.withLock { state in
        guard state.generation == generation else { return }
        state.isOverdue = true
        if !state.windows.isEmpty { show(state) }
      }
    }
    tasks.withLock { tasks in
      for old in tasks.dropFirst(names.count) { old.cancel() }
      tasks = tasks.prefix(names.count) + [waiting]
    }
    try await subscribeAll()
  }

  /// A machine that has lost its connection is subscribed to when it has the next one.
  private func subscribeAll() async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in names.indices {
        group.addTask {
          do {
            try await self.subscribe(index)
          } catch let error as ControlError {
            throw error
          } catch {}  // The connection is lost, which its notifications say too.
        }
      }
      try await group.waitForAll()
    }
  }

  /// Repeats the request if what is displayed has changed meanwhile: the last one counts.
  func subscribe(_ index: Int) async throws {
    while true {
      let (service, merge, generation) = state.withLock {
        ($0.services[index], $0.merge, $0.generation)
      }
      guard let service, let merge else { return }
      _ = try await service.call(
        SubscribeViewport.self, merge.request(to: index, tag: generation))
      if state.withLock({ $0.generation == generation }) { return }
    }
  }

  func receive(_ notification: ControlNotification, from index: Int) {
    guard case .viewport(let window) = notification else { return }
    let isTooNarrow = state.withLock { state in
      guard window.tag == state.generation, state.services[index] != nil else { return false }
      state.windows[index] = window
      state.totals[index] = window.totals
      return show(state)
    }
    guard isTooNarrow else { return }
    Task {
      guard var merge = state.withLock({ $0.merge }) else { return }
      merge.isWide = true
      try? await display(merge)
    }
  }

  /// Sends the rows of all machines once they have arrived. Returns whether more are needed first.
  @discardableResult
  func show(_ state: State) -> Bool {
    let expected = names.indices.filter { state.services[$0] != nil }
    guard let merge = state.merge,
      state.isOverdue || expected.allSatisfy({ state.windows[$0] != nil })
    else { return false }
    let merged = merge.merged(state.windows)
    guard !merged.needsMore else { return true }
    var window = merged.window
    window.totals.machines = MachinesGlance(
      names: names,
      missing: state.missing.sorted { $0.key < $1.key }
        .map { .init(name: names[$0.key], since: $0.value.since) })
    output.yield(.viewport(window))
    return false
  }

  /// Returns the rows of the whole list, as far as it can be displayed.
  fileprivate func rows(_ filter: RowFilter, _ sort: RowSort) async throws -> [TransferSnapshot] {
    var merge = WindowMerge(viewport: Viewport(filter: filter, sort: sort), names: names)
    merge.isWide = true
    let parts = names.indices.map { ($0, merge.request(to: $0)) }
    let answers = try await answers(
      ListTransfers.self,
      MachineParts(byMachine: Dictionary(uniqueKeysWithValues: parts), isForAll: true))
    return merge.merged(Dictionary(uniqueKeysWithValues: answers)).window.rows
  }

  /// The machines in place of the hosts.
  fileprivate func machineRows() -> [FleetHostRow] {
    let now = clock.now().wall
    return state.withLock { state in
      names.enumerated().map { index, name in
        let totals = state.totals[index] ?? Totals()
        let since = state.missing[index]?.since
        return FleetHostRow(
          id: FleetHostID(rawValue: Int64(index)), name: name,
          aliveForMilliseconds: since.map { min(-1, $0.milliseconds(after: now)) } ?? 0,
          claimedCount: totals.count(.running), completedCount: totals.count(.completed),
          bytesPerSecond: totals.bytesPerSecond, freeBytes: totals.freeBytes)
      }
    }
  }
}

extension SubscribeViewport: SharedMethod {
  static func ask(_ params: Params, of machines: SeveralMachines) async throws -> Result {
    try await machines.display(WindowMerge(viewport: params, names: machines.names))
    return Nothing()
  }
}

extension FindTransfer: SharedMethod {
  static func ask(_ params: Params, of machines: SeveralMachines) async throws -> Result {
    Result(found: params.find(in: try await machines.rows(params.filter, params.sort)))
  }
}

extension ListHosts: SharedMethod {
  static func ask(_ params: Params, of machines: SeveralMachines) async throws -> Result {
    Result(hosts: [], machines: machines.machineRows())
  }
}
