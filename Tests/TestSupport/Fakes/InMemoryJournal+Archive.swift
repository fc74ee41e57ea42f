import KettleEngine
import KettleModel
import KettleScheduler

/// A simple reference implementation of each query: it filters and sorts all records.
extension InMemoryJournal: TransferArchive {
  private var all: [TransferRecord] { records.values.sorted { $0.id < $1.id } }

  package func records(_ ids: [TransferID]) throws -> [TransferRecord] {
    let records = records
    return ids.compactMap { records[$0] }
  }

  package func digests(of id: TransferID) throws -> BlockDigests {
    digests[id] ?? BlockDigests()
  }

  package func pieces(of id: TransferID) throws -> PieceHashes? {
    records[id]?.spec.options.described?.pieces?.given
  }

  package func hookRuns(of id: TransferID) throws -> [HookRun] {
    hooks.values.map(\.run).filter { $0.transfer == id }.sorted { $0.id < $1.id }
      .suffix(HookRun.shownCountMax)
  }

  package func hook(_ id: HookRunID) throws -> (run: HookRun, occasion: HookOccasion)? {
    guard let stored = hooks[id], let occasion = stored.occasion else { return nil }
    return (stored.run, occasion)
  }

  package func members(
    of id: TransferID, from first: Int64, countMax: Int
  ) throws -> [NumberedMember] {
    Array(
      members(of: id, isMissing: false).filter { $0.number >= first }
        .sorted { $0.number < $1.number }.prefix(countMax))
  }

  package func missingMembers(
    of id: TransferID, after last: NumberedMember?, in order: MemberOrder, countMax: Int
  ) throws -> [NumberedMember] {
    func key(_ member: NumberedMember) -> (Int64, Int64) {
      switch order {
      case .listed: (0, member.number)
      case .smallest: (member.member.byteCount ?? .max, member.number)
      case .largest: (-(member.member.byteCount ?? -1), member.number)
      }
    }
    let missing = members(of: id, isMissing: true).sorted { key($0) < key($1) }
    return Array(missing.filter { last.map(key) ?? (.min, -1) < key($0) }.prefix(countMax))
  }

  package func transfers(ofMembersOf ids: [TransferID]) throws -> [TransferID] {
    ids.flatMap { id in all.filter { $0.spec.options.member?.collection == id }.map(\.id) }
  }

  package func memberSum(of id: TransferID) throws -> MemberSum {
    MemberSum(of: members(of: id, isMissing: false).map(\.member))
  }

  package func sum(
    of kind: MemberChange, of id: TransferID, in list: TransferID
  ) throws -> MemberSum {
    MemberSum(of: changed(kind, of: id, in: list).map(\.member))
  }

  package func changed(
    _ kind: MemberChange, of id: TransferID, in list: TransferID, from first: Int64, countMax: Int
  ) throws -> [ChangedMember] {
    changed(kind, of: id, in: list).filter { $0.number >= first }.prefix(countMax).map { found in
      let transfer = all.first { record in
        record.spec.options.member.map { $0.collection == id && $0.path == found.member.path }
          ?? false
      }
      return ChangedMember(
        number: found.number, path: found.member.path, byteCount: found.member.byteCount,
        transfer: kind == .new ? nil : transfer?.id)
    }
  }

  package func endOfMembers(of id: TransferID, from first: Int64) throws -> MembersEnd {
    let members = all.filter { $0.spec.options.member?.collection == id }
    let unfinished = members.filter { !$0.state.isFinished }.compactMap(
      \.spec.options.member?.number)
    if let number = unfinished.min() { return .unfinished(number) }
    return .ended(failedCount: members.count { $0.state == .failed })
  }

  package func line(_ wanted: QueueRead) throws -> [TransferRecord] {
    try throwReadFailure()
    defer { passLineGate() }
    let inLine = all.filter {
      $0.isDormant && $0.state == .queued
        && !wanted.leftOut.contains($0.spec.queue ?? .standard)
    }.sorted(by: Self.isBefore)
    let countMax = wanted.countMax
    switch wanted.place {
    case .at(let origin):
      return Array(inLine.filter { $0.spec.url.origin == origin }.prefix(countMax))
    case .elsewhere(let others):
      return Array(inLine.filter { !others.contains($0.spec.url.origin) }.prefix(countMax))
    }
  }

  package func queue(countMax: Int) throws -> [QueueEntry] {
    let inLine = all.filter { $0.isDormant && $0.state == .queued }.sorted(by: Self.isBefore)
    return inLine.prefix(countMax).map { record in
      let row = RowMaker(documentsDirectory: "").row(of: record)
      return QueueEntry(
        id: record.id, priority: record.spec.priority, position: record.queuePosition,
        origin: record.spec.url.origin, session: record.spec.session,
        queue: record.spec.queue, bytesReceived: row.bytesReceived, bytesExpected: row.bytesExpected
      )
    }
  }

  package func queuedCount(
    before priority: TransferPriority, _ place: QueuePosition
  ) throws -> Int {
    all.count { record in
      guard record.isDormant, record.state == .queued else { return false }
      if record.spec.priority != priority { return record.spec.priority > priority }
      return QueuePosition(record) < place
    }
  }

  private static func isBefore(_ left: TransferRecord, _ right: TransferRecord) -> Bool {
    if left.spec.priority != right.spec.priority { return left.spec.priority > right.spec.priority }
    return QueuePosition(left) < QueuePosition(right)
  }

  package func neighbours(
    of places: [QueuePosition], _ side: ListSide,
    where isWanted: (TransferID, TransferState) -> Bool
  ) throws -> [TransferRecord] {
    let inOrder = all.filter { isWanted($0.id, $0.state) }
      .sorted { QueuePosition($0) < QueuePosition($1) }
    return places.compactMap { place in
      switch side {
      case .before: inOrder.last { QueuePosition($0) < place }
      case .after: inOrder.first { place < QueuePosition($0) }
      }
    }
  }

  package func dormant(
    in states: Set<TransferState>, after: TransferID?, countMax: Int
  ) throws -> [TransferRecord] {
    let found = all.filter { record in
      record.isDormant && states.contains(record.state) && after.map { $0 < record.id } ?? true
    }
    return Array(found.prefix(countMax))
  }

  package func order(_ filter: RowFilter, _ sort: RowSort, rows: RowMaker) throws -> StoredOrder {
    let test = RowTest(filter)
    return StoredOrder(records.values.map(rows.row).filter(test.passes).map(sort.key).sorted())
  }

  package func find(urls: Set<String>) throws -> [TransferRecord] {
    var found: [String: TransferRecord] = [:]
    for record in all where urls.contains(record.spec.url.text) {
      if found[record.spec.url.text] == nil { found[record.spec.url.text] = record }
    }
    return found.values.sorted { $0.id < $1.id }
  }

  package func binEntries(
    of action: Int64, after: TransferID?, countMax: Int
  ) throws -> [BinEntry] {
    let found = binEntries(of: action).filter { entry in after.map { $0 < entry.record.id } ?? true
    }
    return Array(found.prefix(countMax))
  }

  package func binEntries(of ids: [TransferID], in actions: [Int64]) throws -> [BinEntry] {
    actions.flatMap { binEntries(of: $0) }.filter { ids.contains($0.record.id) }
  }

  package func binContents(of action: Int64?) throws -> [Int64: BinContents] {
    let rows = RowMaker(documentsDirectory: "")
    let actions = try load().binActions.filter { (action ?? $0.number) == $0.number }
    return Dictionary(
      uniqueKeysWithValues: actions.map { action in
        let entries = binEntries(of: action.number)
        let hasFiles = action.kind == .removeWithFile || action.kind == .reset
        let counted = entries.filter { hasFiles || $0.record.resumeData != nil }
        return (
          action.number,
          BinContents(
            transferCount: entries.count,
            byteCount: counted.reduce(0) { $0 + rows.row(of: $1.record).bytesReceived },
            title: entries.first.map { rows.row(of: $0.record).title })
        )
      })
  }

  package func clearedCount(upTo finishNumber: Int64?) throws -> Int {
    all.count { $0.isDormant && $0.isCleared(upTo: finishNumber) }
  }

  package func chosenGIDs() throws -> [TransferID: GID] {
    all.reduce(into: [:]) { $0[$1.id] = $1.spec.options.rpc?.gid.flatMap { GID($0) } }
  }

  package func news(since time: WallTime) throws -> TransferNews {
    var news = TransferNews(since: time)
    let rows = RowMaker(documentsDirectory: "")
    for record in all {
      guard let finishedAt = record.finishedAt, finishedAt >= time else { continue }
      switch record.state {
      case .completed: news.addCompleted(byteCount: rows.row(of: record).bytesReceived)
      case .failed: news.failedCount += 1
      case .idle, .scheduled, .queued, .running, .waiting, .paused, .verifying: break
      }
    }
    return news
  }

  /// The totals that `load` returns besides the records that are not dormant.
  static func contents(of records: [TransferRecord], clearedUpTo: Int64?) -> JournalContents {
    var contents = JournalContents(records: records.filter { !$0.isDormant })
    let rows = RowMaker(documentsDirectory: "", clearedUpTo: clearedUpTo)
    for record in records where record.isDormant {
      if let role = record.spec.options.member {
        contents.members[role.collection, default: MemberTally()].add(
          1, in: record.state, byteCount: record.finishedFile?.identity?.byteCount ?? 0)
      }
      let row = rows.row(of: record)
      contents.dormant.states[record.state, default: StateTally()].add(row)
      if row.isCleared == true { contents.dormant.clearedCount += 1 }
    }
    let positions = records.map(\.queuePosition)
    if let first = positions.min(), let last = positions.max() {
      contents.positions = first...last
    }
    contents.lastFinishNumber = max(clearedUpTo ?? 0, records.compactMap(\.finishNumber).max() ?? 0)
    return contents
  }
}

extension StateTally {
  fileprivate mutating func add(_ row: TransferSnapshot) {
    count += 1
    guard let expected = row.bytesExpected else {
      unknownSizeCount += 1
      return
    }
    bytesExpected += expected
    bytesReceived += min(row.bytesReceived, expected)
  }
}
