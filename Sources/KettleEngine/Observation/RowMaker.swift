import KettleModel
import KettleScheduler

/// Makes the snapshot for clients from a record, as far as the record alone suffices.
package struct RowMaker: Sendable, Hashable {
  /// The directory for files of transfers that name none.
  package var documentsDirectory: String
  /// The same for tasks; nil is the documents directory.
  package var heldDirectory: String?
  /// Completed transfers up to this finish number are hidden; nil when none was ever cleared.
  package var clearedUpTo: Int64?
  /// How the latest hook of a transfer failed.
  package var failedHooks: [TransferID: String] = [:]

  package init(
    documentsDirectory: String, heldDirectory: String? = nil, clearedUpTo: Int64? = nil
  ) {
    self.documentsDirectory = documentsDirectory
    self.heldDirectory = heldDirectory
    self.clearedUpTo = clearedUpTo
  }

  /// Returns the directory for a transfer's file.
  package func directory(of spec: TransferSpec) -> String {
    if let directory = spec.directory { return directory }
    if let name = spec.options.collection?.source.directoryName {
      return documentsDirectory + "/" + name.text
    }
    return (spec.task == nil ? nil : heldDirectory) ?? documentsDirectory
  }

  package func row(of record: TransferRecord) -> TransferSnapshot {
    var row = basicRow(of: record)
    if record.spec.isUpload { row.showUpload(of: record.spec) }
    if row.state != .completed, let durable = record.resumeData?.durable,
      let total = row.bytesExpected
    {
      row.ridge = ArrivalSpeeds().ridge(durable, total: total)
    }
    return row
  }

  /// Makes the row, without the values that an upload shows and without the ridge.
  func basicRow(of record: TransferRecord) -> TransferSnapshot {
    let spec = record.spec
    let name = record.resumeData?.finalName ?? spec.name?.text
    let finished = record.finishedFile
    var row = TransferSnapshot(
      id: record.id, session: spec.session, taskIdentifier: record.taskIdentifier,
      title: spec.title ?? name ?? finished?.path.lastPathComponent
        ?? FileName.fromURL(spec.url) ?? spec.url.text,
      url: spec.url.text, state: record.state, createdAt: record.createdAt)
    row.subtitle = spec.task?.subtitle
    row.reason = record.reason
    row.goesOnAt = record.goesOnAt
    row.heldBack = HeldBack(record)
    row.path = finished?.path ?? name.map { directory(of: spec) + "/" + $0 }
    row.bytesReceived =
      finished.map { $0.byteCount ?? 0 } ?? record.resumeData?.durable.byteCount ?? 0
    row.bytesExpected =
      finished.map(\.byteCount) ?? record.resumeData?.totalByteCount
      ?? spec.task?.expectedReceiveByteCount ?? record.resumeData?.playlist?.estimatedByteCount
    row.priority = spec.priority
    row.queue = spec.options.queue
    row.queuePosition = record.queuePosition
    row.limitBytesPerSecond = spec.limitBytesPerSecond
    row.isCleared = record.isCleared(upTo: clearedUpTo) ? true : nil
    row.finishedAt = record.finishedAt
    // A file that was there before was not read.
    if record.state == .completed, let finished, finished.byteCount != nil {
      row.verifiedBy = finished.verifiedBy ?? spec.checksum?.algorithm
      row.hasOneEntityTag = finished.entityTag == nil ? nil : true
    }
    row.check = finished?.check
    row.averageBytesPerSecond = finished?.arrival?.bytesPerSecond
    row.contentCoding = finished?.contentCoding ?? record.resumeData?.contentCoding
    row.error = record.failure
    row.freshStart = record.freshStart
    row.failedHook = failedHooks[record.id]
    if record.waitsForLink { row.page = spec.page?.text }
    row.member = spec.options.member
    if let collection = spec.options.collection {
      row.show(collection, titled: spec.title, in: directory(of: spec))
    }
    row.task = record.task
    // A program gets them once, with the end.
    if !row.state.isFinished { row.task?.measurements = nil }
    return row
  }
}

extension PlaylistProgress {
  /// The size of the file if the other segments are like those that are joined; nil before the
  /// first one.
  fileprivate var estimatedByteCount: Int64? {
    guard joinedCount > 0, joinedByteCount > 0 else { return nil }
    let (scaled, overflows) = (joinedByteCount / Int64(joinedCount))
      .multipliedReportingOverflow(by: Int64(segmentCount))
    return overflows ? nil : max(scaled, joinedByteCount)
  }
}

extension String {
  fileprivate var lastPathComponent: String { split(separator: "/").last.map(String.init) ?? self }
}

/// New transfers that only the store has from the start. None has received bytes or has a known
/// size.
///
/// Nearly all transfers of a long list are of this kind, and usually no client watches while they
/// are added. So this value stores their counts and makes rows only on request.
package struct ListedTransfers: Sendable, Hashable {
  /// The number of transfers in each state.
  package let counts: [TransferState: Int]
  /// The same for the members of each collection.
  package let members: [TransferID: MemberTally]
  private let changes: ArraySlice<JournalChange>
  private let maker: RowMaker

  /// - Parameter changes: the changes that put them into the store.
  package init(_ changes: ArraySlice<JournalChange>, _ maker: RowMaker) {
    var counts: [TransferState: Int] = [:]
    var members: [TransferID: MemberTally] = [:]
    for case .put(let record) in changes {
      counts[record.state, default: 0] += 1
      guard let member = record.spec.options.member else { continue }
      members[member.collection, default: MemberTally()].add(1, in: record.state, byteCount: 0)
    }
    self.counts = counts
    self.members = members
    self.changes = changes
    self.maker = maker
  }

  package var isEmpty: Bool { counts.isEmpty }

  /// Returns whether one of them belongs to this session.
  package func includes(_ session: SessionID) -> Bool {
    changes.contains { change in
      if case .put(let record) = change { record.spec.session == session } else { false }
    }
  }

  /// The rows in the order of addition. Computed on each access.
  package var rows: [TransferSnapshot] {
    changes.compactMap { change in
      if case .put(let record) = change { maker.row(of: record) } else { nil }
    }
  }
}

extension TransferSpec {
  var isUpload: Bool { task?.kind == .upload }
}

extension TransferSnapshot {
  /// Shows a collection in place of the document that begins its list.
  fileprivate mutating func show(
    _ request: CollectionRequest, titled title: String?, in directory: String
  ) {
    collection = CollectionProgress(request)
    path = directory
    self.title = title ?? request.source.name
    bytesReceived = 0
    bytesExpected = request.list.flatMap { $0.unknownSizeCount == 0 ? $0.byteCount : nil }
  }

  /// Shows the progress of the request body instead of the response body, which is small where
  /// progress matters.
  mutating func showUpload(of spec: TransferSpec) {
    task?.replyByteCount = bytesReceived
    bytesExpected = spec.request?.bodyByteCount ?? spec.task?.expectedSendByteCount
    switch state {
    case .running, .verifying, .completed, .failed: bytesReceived = task?.sentByteCount ?? 0
    // An upload restarts at zero, unless its server has offered to continue it.
    case .idle, .scheduled, .queued, .waiting, .paused:
      bytesReceived = task?.uploadResumption == nil ? 0 : task?.sentByteCount ?? 0
    }
  }
}
