import KettleModel
import KettleScheduler
import Logging

/// The collections whose members are being added, and those that have members.
struct LiveCollections {
  private enum Work {
    case underWay
    /// Something has happened since it began.
    case repeating
  }

  private var work: [TransferID: Work] = [:]
  /// Collections that may have members on the list.
  private(set) var known: Set<TransferID> = []
  /// The number of a member that had not ended when the store was asked last: members end roughly
  /// in their order, so a look at that one usually answers.
  var firstUnfinished: [TransferID: Int64] = [:]

  mutating func note(_ ids: some Sequence<TransferID>) { known.formUnion(ids) }

  mutating func forget(_ id: TransferID) {
    known.remove(id)
    firstUnfinished[id] = nil
  }

  /// Returns whether to begin; work under way is repeated instead.
  mutating func begin(_ id: TransferID) -> Bool {
    known.insert(id)
    if work[id] != nil {
      work[id] = .repeating
      return false
    }
    work[id] = .underWay
    return true
  }

  /// Whether something has happened since the work began: what it read before may be out of date.
  func isOutdated(_ id: TransferID) -> Bool { work[id] == .repeating }

  /// Returns whether to begin again.
  mutating func end(_ id: TransferID) -> Bool {
    let isRepeated = work[id] == .repeating
    work[id] = isRepeated ? .underWay : nil
    return isRepeated
  }
}

/// The members of collections: ordinary transfers, which are added when the list is complete.
extension TransferEngine {
  /// Adds the members of a collection that have no transfer yet, and ends the wait of the
  /// collection if all of them have ended. Members that end meanwhile cause one more look together.
  func addMembers(of id: TransferID) {
    guard collections.begin(id) else { return }
    Task(executorPreference: work.tasks) { await self.addAndCount(id) }
  }

  private func addAndCount(_ id: TransferID) async {
    repeat {
      // The list may be on its way to the store.
      await kept()
      do {
        if let list = waitingCollection(id), let sync = list.spec.options.collection?.sync {
          try await bringUpToDate(sync, from: list)
          continue
        }
        try await addMissing(of: id)
        let first = collections.firstUnfinished[id] ?? 0
        switch try await store.read({ try $0.endOfMembers(of: id, from: first) }) {
        case .unfinished(let number): collections.firstUnfinished[id] = number
        case .ended(let failedCount):
          collections.firstUnfinished[id] = nil
          // A collection or a member that was started meanwhile is not in this result.
          guard !collections.isOutdated(id), let machine = waitingCollection(id) else { break }
          let directory = rows.directory(of: machine.spec)
          apply(.collection(id, .membersEnded(failedCount: failedCount, in: directory)))
        }
      } catch {
        logger.error(
          "The files of a collection cannot be added",
          metadata: ["id": "\(id)", "error": "\(error)"])
      }
    } while collections.end(id)
  }

  // MARK: Syncing

  /// How a list that is read again is used.
  package struct SyncRequest: Sendable, Hashable {
    package var removesGone: Bool
    /// Whether the list is shown first: the transfer that reads it is paused when it is complete.
    package var pauses: Bool

    package init(removesGone: Bool, pauses: Bool) {
      self.removesGone = removesGone
      self.pauses = pauses
    }
  }

  /// Reads the list of a collection again.
  ///
  /// - Returns: the transfer that reads it. It is removed when the collection is up to date. nil if
  ///   there is no such collection, or its first list is not complete.
  package func sync(
    _ id: TransferID, _ request: SyncRequest
  ) async throws(EngineError) -> TransferID? {
    let record = await records(ofCollections: [id]).first
    guard let record, var collection = record.spec.options.collection, collection.list != nil,
      collection.sync == nil
    else { return nil }
    collection.list = nil
    collection.lastSync = nil
    collection.syncsEveryMilliseconds = nil
    collection.sync = CollectionSync(of: id, removesGone: request.removesGone)
    collection.pausesWhenListed = request.pauses ? true : nil
    var spec = record.spec
    spec.beginning = .queued
    spec.options.then = nil
    spec.options.collection = collection
    if let under = listReadAgain(of: id) { _ = await control(.remove(.stays), [under.id]) }
    return try await add([spec]).first
  }

  /// Sets how often a collection's list is read again without being asked; nil for never. Returns
  /// false if there is no such collection, or its first list is not complete.
  package func syncs(_ id: TransferID, everyMilliseconds: Int64?) async -> Bool {
    await withoutEviction {
      await load([id])
      guard scheduler.machines[id]?.spec.options.collection?.list != nil else { return false }
      apply(.collection(id, .syncsEvery(everyMilliseconds)))
      await kept()
      return true
    }
  }

  /// Reads the lists again for which it is time. To be called now and then.
  package func syncDue() async {
    let now = clock.now().wall
    for record in await records(ofCollections: collections.known.sorted()) {
      guard let collection = record.spec.options.collection,
        let every = collection.syncsEveryMilliseconds, record.state.isFinished,
        let last = collection.lastSync?.at ?? record.finishedAt,
        last.advanced(byMilliseconds: every) <= now
      else { continue }
      // One that has failed is tried again, and one that is under way is left alone. A paused one
      // was left by a command that did not end.
      if let list = listReadAgain(of: record.id), list.visibleState != .paused {
        if list.visibleState == .failed { _ = await control(.start, [list.id]) }
        continue
      }
      do throws(EngineError) {
        _ = try await sync(record.id, SyncRequest(removesGone: false, pauses: false))
      } catch {
        logger.error(
          "The list of a collection cannot be read again",
          metadata: ["id": "\(record.id)", "error": "\(error)"])
      }
    }
  }

  /// Returns the transfer that reads the list of a collection again. Such transfers stay in memory.
  private func listReadAgain(of id: TransferID) -> TransferMachine? {
    scheduler.machines.values.first { $0.spec.options.collection?.sync?.collection == id }
  }

  private func records(ofCollections ids: [TransferID]) async -> [TransferRecord] {
    guard !ids.isEmpty else { return [] }
    await kept()
    let stored = (try? await store.read { try $0.records(ids) }) ?? []
    return stored.map { scheduler.machines[$0.id]?.record ?? $0 }
  }

  /// Takes over what a later list says, and removes the transfer that has read it. After a crash in
  /// between, this is repeated.
  private func bringUpToDate(_ sync: CollectionSync, from list: TransferMachine) async throws {
    let id = sync.collection
    await withoutEviction { await load([id]) }
    if let now = list.spec.options.collection?.list,
      scheduler.machines[id]?.spec.options.collection?.list != nil
    {
      let counts = try await store.read { archive in
        try Dictionary(
          uniqueKeysWithValues: MemberChange.allCases.map {
            ($0, try archive.sum(of: $0, of: id, in: list.id).count)
          })
      }
      let leaving = sync.removesGone ? [MemberChange.changed, .gone] : [.changed]
      for kind in leaving { try await removeMembers(kind, of: id, in: list.id) }
      submit([.syncMembers(sync, from: list.id)]) { _ in }
      await kept()
      let (chosen, missing) = try await store.read { archive in
        (
          try archive.memberSum(of: id),
          try archive.missingMembers(of: id, after: nil, in: .listed, countMax: 1)
        )
      }
      await withoutEviction {
        await load([id])
        let report = SyncReport(
          at: clock.now().wall, newCount: counts[.new] ?? 0,
          changedCount: counts[.changed] ?? 0, goneCount: counts[.gone] ?? 0,
          removedGone: sync.removesGone)
        var whole = now
        whole.take(chosen)
        apply(.collection(id, .synced(whole, report, fetches: !missing.isEmpty)))
      }
    }
    _ = await withoutEviction {
      await controlResident(.remove(.stays), [list.id], into: nil, reportTo: ControlReport())
    }
    collections.forget(list.id)
  }

  /// Removes the transfers of members that a later list changes or no longer has. Their files go to
  /// the bin.
  private func removeMembers(
    _ kind: MemberChange, of id: TransferID, in list: TransferID
  ) async throws {
    var next: Int64 = 0
    while true {
      let first = next
      let page = try await store.read {
        try $0.changed(kind, of: id, in: list, from: first, countMax: Self.addedInTurnCountMax)
      }
      guard let last = page.last else { return }
      let transfers = page.compactMap(\.transfer)
      if !transfers.isEmpty { _ = await removeWithFiles(transfers) }
      next = last.number + 1
    }
  }

  /// Leaves files of a collection out and starts it. Returns false if it does not wait for that.
  package func choose(_ id: TransferID, leavingOut runs: [MemberRun]) async throws -> Bool {
    await withoutEviction { await load([id]) }
    guard let collection = scheduler.machines[id]?.spec.options.collection,
      CollectionProgress(collection).waitsForChoice == true
    else { return false }
    submit([.leaveOutMembers(id, runs)]) { _ in }
    await kept()
    let chosen = try await store.read { try $0.memberSum(of: id) }
    await withoutEviction {
      await load([id])
      apply(.collection(id, .chosen(chosen)))
    }
    _ = await control(.start, [id])
    return true
  }

  /// Returns how a collection differs from a list that was read again, in sum.
  package func sum(
    of kind: MemberChange, of id: TransferID, in list: TransferID
  ) async throws -> MemberSum {
    await kept()
    return try await store.read { try $0.sum(of: kind, of: id, in: list) }
  }

  /// Returns files of one kind of change, in the order of their numbers.
  package func changed(
    _ kind: MemberChange, of id: TransferID, in list: TransferID, from first: Int64, countMax: Int
  ) async throws -> [ChangedMember] {
    await kept()
    return try await store.read {
      try $0.changed(kind, of: id, in: list, from: first, countMax: countMax)
    }
  }

  /// Returns files of a collection's list, in its order.
  package func listedMembers(
    of id: TransferID, from first: Int64, countMax: Int
  ) async throws -> [NumberedMember] {
    await kept()
    return try await store.read {
      try $0.members(of: id, from: first, countMax: countMax)
    }
  }

  // MARK: Members

  private func waitingCollection(_ id: TransferID) -> TransferMachine? {
    scheduler.machines[id].flatMap { $0.state.waitsForMembers ? $0 : nil }
  }

  private func addMissing(of id: TransferID) async throws {
    var last: NumberedMember?
    while let waiting = waitingCollection(id) {
      let order = waiting.spec.options.collection?.order ?? .listed
      let countMax = order == .listed ? Self.addedInTurnCountMax : Self.sortedCountMax
      let page = try await store.read { [last] in
        try $0.missingMembers(of: id, after: last, in: order, countMax: countMax)
      }
      guard !page.isEmpty else { return }
      last = page.last
      for start in stride(from: 0, to: page.count, by: Self.addedInTurnCountMax) {
        guard let collection = waitingCollection(id) else { return }
        let members = page[start...].prefix(Self.addedInTurnCountMax)
        _ = try await add(members.map { $0.transfer(of: collection.spec, id, in: rows) })
      }
    }
  }

  /// The store sorts all missing members for each page in another order than that of the list.
  private static let sortedCountMax = 10_000

  /// Starts collections that have failed: members of them were started.
  func startFailed(_ ids: Set<TransferID>) async {
    guard !ids.isEmpty else { return }
    await withoutEviction {
      await load(ids.sorted())
      let failed = ids.filter { id in
        let row = snapshot(of: id)
        return row?.state == .failed && row?.error?.code == .membersFailed
      }
      guard !failed.isEmpty else { return }
      _ = await controlResident(.start, failed.sorted(), into: nil, reportTo: ControlReport())
    }
  }

  /// The transfers with the members of the collections among them, which a control applies to as
  /// well.
  package func withMembers(_ ids: [TransferID]) async -> [TransferID] {
    let collections = ids.filter(collections.known.contains)
    guard !collections.isEmpty else { return ids }
    // The store must have the members that were just added.
    await kept()
    let members = try? await store.read { try $0.transfers(ofMembersOf: collections) }
    let named = Set(ids)
    return ids + (members ?? []).filter { !named.contains($0) }
  }
}

extension NumberedMember {
  /// The request for a member. What the user has chosen for the collection applies to each; what is
  /// secret goes only to the origin that it was given for.
  fileprivate func transfer(
    of collection: TransferSpec, _ id: TransferID, in rows: RowMaker
  ) -> TransferSpec {
    var spec = collection
    spec.title = nil
    spec.beginning = .queued
    let reach = collection.options.collection?.list?.reach ?? .world
    spec.source = ChainedURL(member.url, namedBy: reach)
    if member.url.origin != collection.url.origin {
      spec.headers = []
      spec.login = nil
      spec.options.certificate = nil
    }
    spec.directory = ([rows.directory(of: collection)] + member.path.directories)
      .joined(separator: "/")
    spec.name = FileName(foreign: member.path.name)
    spec.checksum = member.checksum
    spec.options.makesDirectory = true
    spec.options.isAsIs = true
    spec.options.then = nil
    spec.options.collection = nil
    let copies = (member.mirrors ?? []).map { ChainedURL($0, namedBy: reach) }
    spec.options.described =
      copies.isEmpty && member.byteCount == nil
      ? nil : DescribedFile(copies: copies, byteCount: member.byteCount)
    spec.options.member = MemberRole(collection: id, number: number, path: member.path)
    return spec
  }
}
