import KettleControl
import KettleEngine
import KettleModel
import KettleRPC
import KettleScheduler

/// Controls of downloads.
extension RPCMethods {
  private static let ok: RPCValue = "OK"

  func remove(_ gid: GIDText) async throws(RPCError) -> RPCValue {
    let download = download(try await transfer(gid))
    guard !download.status.isStopped else {
      throw .refused("Active Download not found for GID#\(download.gid)")
    }
    return try await apply(.remove(.stays), to: download)
  }

  func pause(_ gid: GIDText) async throws(RPCError) -> RPCValue {
    let download = download(try await transfer(gid))
    switch download.status {
    case .active, .waiting: return try await apply(.pause, to: download)
    case .paused, .error, .complete, .removed: throw .cannotBePaused(download.gid)
    }
  }

  func unpause(_ gid: GIDText) async throws(RPCError) -> RPCValue {
    let download = download(try await transfer(gid))
    guard download.status == .paused else { throw .cannotBeUnpaused(download.gid) }
    return try await apply(.start, to: download)
  }

  private func apply(
    _ control: TransferScheduler.Control, to download: RPCDownload
  ) async throws(RPCError) -> RPCValue {
    switch await engine.control(control, [download.row.id]).first {
    case .applied: return .text(download.gid.description)
    case .refused, nil:
      throw .unknownGID(download.gid.description)
    }
  }

  func pauseAll() async -> RPCValue {
    _ = await engine.controlAll(.pause)
    return Self.ok
  }

  /// Starts what is paused, but nothing that failed.
  func unpauseAll() async -> RPCValue {
    if let ids = try? await lists.ids(in: [.paused, .idle]) {
      _ = await engine.control(.start, ids)
    }
    return Self.ok
  }

  /// Removes failed transfers from the list and completed ones from view. No file is deleted, and
  /// for ten minutes both can be undone.
  func purgeResults() async throws(RPCError) -> RPCValue {
    _ = await engine.clearFinished()
    let failed = try await lists.ids(in: [.failed])
    if !failed.isEmpty { _ = await engine.control(.remove(.stays), failed) }
    ledger.forgetAllRemoved()
    return Self.ok
  }

  func removeResult(_ gid: GIDText) async throws(RPCError) -> RPCValue {
    switch try await named(gid) {
    case .removed(let download): ledger.forgetRemoved(download.gid)
    case .transfer(let details):
      let download = download(details)
      guard download.status.isStopped else {
        throw .refused("Could not remove download result of GID#\(download.gid)")
      }
      _ = try await apply(.remove(.stays), to: download)
    }
    return Self.ok
  }

  // MARK: Positions

  /// How many downloads may have to make room for one.
  private static let distanceMax = 10_000

  /// Moves a waiting download within the queue, and returns its position there.
  func changePosition(
    of gid: GIDText, offset: Int, from origin: RPCMethod.PositionOrigin
  ) async throws(RPCError) -> Int {
    let download = download(try await transfer(gid))
    let id = download.row.id
    let window = try await lists.window(.pending, count: 0, anchor: id)
    guard let current = window.anchorIndex else {
      throw .refused("GID#\(download.gid) not found in the waiting queue.")
    }
    let last = max(0, window.matchingCount - 1)
    let base =
      switch origin {
      case .start: 0
      case .current: current
      case .end: last
      }
    let (sum, overflow) = base.addingReportingOverflow(offset)
    let wanted = overflow ? (offset < 0 ? 0 : last) : min(max(0, sum), last)
    if wanted == current { return wanted }
    if wanted == 0 || wanted == last {
      _ = await engine.move([id], wanted == 0 ? .toTop : .toBottom)
      return wanted
    }
    guard abs(wanted - current) <= Self.distanceMax else {
      throw .refused(
        "GID#\(download.gid) can move by \(Self.distanceMax) places at a time, or to an end")
    }
    let passed = try await lists.rows(
      .pending, min(wanted, current)..<(max(wanted, current) + 1)
    ).map(\.id).filter { $0 != id }
    await engine.arrange(wanted < current ? [id] + passed : passed + [id])
    return wanted
  }

  /// Removes URLs of a download and adds others. The first one that is left is the URL of the
  /// download, and the rest are its mirrors. Of a download that does not stand still only the URL
  /// can be replaced.
  func changeURIs(
    of gid: GIDText, file: Int, removed: [String], added: [String]
  ) async throws(RPCError) -> RPCValue {
    let details = try await transfer(gid)
    let download = download(details)
    guard file == 1 else { throw .refused("There is no file with the index \(file)") }
    guard !download.status.isStopped else { throw .noDownload(download.gid) }
    var spec = details.record.spec
    let known = [spec.url] + spec.options.mirrors
    let gone = Set(removed.compactMap { try? TransferURL.parse($0).get().url })
    let kept = known.filter { !gone.contains($0) }
    var new: [TransferURL.Parsed] = []
    for uri in added { new.append(try Self.parse(uri)) }
    let counts: RPCValue = [
      .integer(Int64(known.count - kept.count)), .integer(Int64(new.count)),
    ]
    guard kept.count < known.count || !new.isEmpty else { return counts }
    let links = kept + new.map(\.url)
    guard let first = links.first else {
      throw .refused("GID#\(download.gid) needs one URI at least")
    }
    guard download.status == .paused else {
      guard first != spec.url else {
        throw .refused("GID#\(download.gid) must be paused before its mirrors change")
      }
      _ = try await apply(
        .relink(first, new.first { $0.url == first }?.login), to: download)
      return counts
    }
    if first.origin != spec.url.origin {
      // What was meant for one server must not reach another.
      (spec.headers, spec.login) = (spec.headers.filter(\.isAboutClient), nil)
    }
    spec.source = ChainedURL(given: first)
    spec.login = new.first { $0.url == first }?.login ?? spec.login
    spec.options.mirrors = Array(links.dropFirst().prefix(TransferOptions.mirrorCountMax))
    try await change(details, to: spec)
    return counts
  }

  /// Changes what a download that stands still was asked for.
  func change(_ details: EngineDetails, to spec: TransferSpec) async throws(RPCError) {
    let id = details.record.id
    if let part = spec.refusedPart { throw .refused("The value of \(part) cannot be used") }
    _ = await engine.control(.change(spec), [id])
    guard await engine.details(of: id)?.record.spec == spec else {
      throw .refused("GID#\(ledger.gid(of: id)) must be paused before its options change")
    }
  }
}

extension HeaderField {
  /// Whether every server may see it.
  fileprivate var isAboutClient: Bool { name.lowercased() == "user-agent" }
}
