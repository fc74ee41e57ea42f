import KettleModel
import KettleScheduler

/// What became of a transfer that a browser handed over, once the browser has given it up.
package enum BeginOutcome: Hashable, Sendable {
  case started
  /// Another transfer waited for its link, has it now and continues. The new one is gone.
  case continues(TransferID)
  case refused(ControlRefusal.Why)
}

/// Downloads of a browser, which may be the fresh link of a transfer whose link is dead.
extension TransferEngine {
  /// Starts a paused transfer that a browser handed over. If exactly one other waits for a link to
  /// the same file from the same page, that one gets the link; the bytes then prove that it leads
  /// to the same file, as with every fresh link. Returns when the store has the outcome.
  package func begin(_ id: TransferID) async -> BeginOutcome {
    await withoutEviction {
      await load([id])
      if let old = await transferWaiting(forLinkOf: id), await relink(old, by: id) {
        await discard([id])
        return .continues(old)
      }
      switch await control(.start, [id]).first {
      case .applied: return .started
      case .refused(let why): return .refused(why)
      case nil: return .refused(.unknown)
      }
    }
  }

  /// Returns the only transfer that waits for the link of a new one, in memory. The new one must
  /// not have begun.
  private func transferWaiting(forLinkOf id: TransferID) async -> TransferID? {
    guard let spec = newSpec(of: id), let dormant = await failed(waitingForLinkOf: spec) else {
      return nil
    }
    await load(dormant)
    // The user may have removed the new one, or started it.
    guard newSpec(of: id) == spec else { return nil }
    let candidates = scheduler.machines.values.lazy.filter { machine in
      machine.id != id && (machine.visibleState == .waiting || machine.visibleState == .failed)
    }
    return candidates.map(\.record).one(waitingForLinkOf: spec)?.id
  }

  /// Returns the request of a transfer that has not begun, if it can be compared with others.
  private func newSpec(of id: TransferID) -> TransferSpec? {
    guard let machine = scheduler.machines[id], !machine.isTask, machine.visibleState == .paused,
      machine.resumeData == nil, machine.spec.name != nil,
      machine.spec.options.page?.byteCount != nil
    else { return nil }
    return machine.spec
  }

  /// Returns the failed transfers in the store that wait for a link; nil if it cannot be read,
  /// because there may be several then.
  private func failed(waitingForLinkOf spec: TransferSpec) async -> [TransferID]? {
    try? await store.read { archive in
      var found: [TransferID] = []
      var last: TransferID?
      repeat {
        let page = try archive.dormant(
          in: [.failed], after: last, countMax: Self.loadedCountMax)
        found += page.filter { $0.waits(forLinkOf: spec) }.map(\.id)
        last = page.last?.id
      } while last != nil
      return found
    }
  }

  private func relink(_ old: TransferID, by id: TransferID) async -> Bool {
    guard let spec = scheduler.machines[id]?.spec else { return false }
    let results = await controlResident(
      .relink(spec.url, spec.login, broughtBy: spec), [old], into: nil,
      reportTo: ControlReport())
    return results == [.applied]
  }
}
