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
        try await addMissing(of: id)
        let first = collections.firstUnfinished[id] ?? 0
        switch try await store.read({ try $0.endOfMembers(of: id, from: first) }) {
        case .unfinished(let number): collections.firstUnfinished[id] = number
        case .ended(let failedCount):
          collections.firstUnfinished[id] = nil
          guard let machine = waitingCollection(id) else { break }
          let directory = rows.directory(of: machine.spec)
          apply(.membersEnded(id, failedCount: failedCount, in: directory))
        }
      } catch {
        logger.error(
          "The files of a collection cannot be added",
          metadata: ["id": "\(id)", "error": "\(error)"])
      }
    } while collections.end(id)
  }

  private func waitingCollection(_ id: TransferID) -> TransferMachine? {
    scheduler.machines[id].flatMap { $0.state.waitsForMembers ? $0 : nil }
  }

  private func addMissing(of id: TransferID) async throws {
    var next: Int64 = 0
    while waitingCollection(id) != nil {
      let first = next
      let page = try await store.read {
        try $0.members(
          of: id, from: first, isMissing: true, countMax: Self.addedInTurnCountMax)
      }
      guard let last = page.last, let collection = waitingCollection(id) else { return }
      _ = try await add(page.map { $0.transfer(of: collection.spec, id, in: rows) })
      next = last.number + 1
    }
  }

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
    spec.source = ChainedURL(
      member.url, namedBy: collection.options.collection?.list?.reach ?? .world)
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
    spec.options.described = member.byteCount.map { DescribedFile(copies: [], byteCount: $0) }
    spec.options.member = MemberRole(collection: id, number: number, path: member.path)
    return spec
  }
}
