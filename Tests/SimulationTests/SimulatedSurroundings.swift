import Glibc
import KettleModel
import KettleScheduler
import SeededNumbers
import TestSupport

@testable import KettleEngine

/// Everything outside the machine: servers, networks, the disk's size, and what people have seen.
///
/// `@unchecked Sendable`: only the thread of the run uses it.
final class SimulatedSurroundings: @unchecked Sendable {
  enum Reach { case reachable, networkDown, nameUnknown, nameServerSilent, refused, silent }

  let options: SimulationOptions
  let chance: Chance
  let trace: SimulationTrace
  var origins = SimulatedOrigins()
  var hasFaults = true
  var freeByteCount: Int64 = 1 << 40
  private(set) var limits = TransferQueue.Limits()
  private(set) var configuration: TransferEngine.Configuration
  private var outages: [String: Reach] = [:]
  var isNetworkDown = false
  /// The state of each transfer as the last event said.
  private(set) var states: [TransferID: TransferState] = [:]
  /// How often the store has seen each transfer become completed, and how often people have.
  private(set) var recordedCompletions: [TransferID: Int] = [:]
  private(set) var announcedCompletions: [TransferID: Int] = [:]
  private let rotChance: Chance
  private var completionHooks: [TransferID: Set<HookRunID>] = [:]
  /// The transfers for which a user has taken what arrived in place of the file.
  var accepted: Set<TransferID> = []
  /// When each transfer was added.
  private var addedAt: [TransferID: MonotonicTime] = [:]
  /// The URLs and mirrors that each transfer has had.
  private var sources: [TransferID: Set<TransferURL>] = [:]

  init(_ options: SimulationOptions, _ trace: SimulationTrace, at now: MonotonicTime) {
    self.options = options
    self.trace = trace
    chance = Chance(seed: options.seed ^ 0x5151)
    rotChance = Chance(seed: options.seed ^ 0x707)
    configuration = TransferEngine.Configuration(documentsDirectory: SimulatedMachine.documents)
    limits.runningMax = Int(chance.number(1...6))
    limits.connectionsPerHostMax = Int(chance.number(1...6))
    limits.connectionsMax = Int(chance.number(2...12))
    limits.division.aloneMillisecondsMax = 200
    configuration.limits = limits
    configuration.lateFileByteCountMax = chance.happens(0.5) ? 256 << 10 : 0
    configuration.checkpoints.byteCountMin = chance.happens(0.5) ? 64 << 10 : 8 << 20
    if chance.happens(0.5) {
      configuration.hold.evictableCountMax = 0
      configuration.hold.queuedPerHostCount = 1
      configuration.hold.queuedCountMax = 2
      configuration.hold.readAheadCount = 1
    }
    if case .success(let command) = HookCommand.make(["note"]) {
      configuration.hooks.commands = [.completed: command, .failed: command, .allDone: command]
    }
    makeServers(at: now)
  }

  private func makeServers(at now: MonotonicTime) {
    for number in 0..<Int(chance.number(2...4)) {
      var server = SimulatedServer(host: "h\(number).example")
      server.validators = chance.one(of: SimulatedServer.Validators.allCases) ?? .tag
      server.framing =
        chance.happens(0.6) ? .length : chance.one(of: [.chunked, .closing]) ?? .length
      server.servesParts = chance.happens(0.85)
      server.bytesPerSecond = [2000, 20_000, 200_000, 2_000_000][chance.index(below: 4)]
      server.connectionsMax = chance.happens(0.3) ? Int(chance.number(1...3)) : 100
      origins.servers.append(server)
    }
    var redirecting = SimulatedServer(host: "go.example", kind: .redirecting)
    redirecting.target = "h0.example"
    origins.servers += [redirecting, SimulatedServer(host: "liar.example", kind: .lying)]
    let greatest: [Int64] = [60_000, 300_000, 1_500_000, 5_000_000]
    for number in 0..<max(2, options.transferCount / 2) {
      let isPlaylist = number > 0 && chance.happens(0.15)
      origins.resources.append(
        SimulatedResource(
          isPlaylist ? "p\(number).m3u8" : "r\(number).iso", seed: chance.bits(),
          byteCount: Int(chance.skewed(upTo: chance.one(of: greatest) ?? 3000)),
          segmentCount: isPlaylist ? Int(chance.number(1...9)) : 0, at: now))
    }
  }

  func drawLimits() -> TransferQueue.Limits {
    limits.runningMax = Int(chance.number(1...6))
    return limits
  }

  /// Draws a request for one of the files; nil if there is none.
  ///
  /// - Parameter now: when the checksum of a file may be looked up.
  func newSpec(at now: MonotonicTime? = nil) -> TransferSpec? {
    let hosts = origins.servers.filter { $0.kind != .lying }.map(\.host)
    guard let host = chance.one(of: hosts), let resource = chance.one(of: origins.resources),
      let url = url(host, resource)
    else { return nil }
    var spec = TransferSpec(url: url)
    spec.connections = chance.happens(0.3) ? Int(chance.number(1...5)) : nil
    if chance.happens(0.25), resource.segmentCount == 0 {
      let others = origins.servers.map(\.host).filter { $0 != host && $0 != "go.example" }
      spec.options.mirrors = [chance.one(of: others)].compactMap {
        $0.flatMap { self.url($0, resource) }
      }
    }
    spec.onConflict = chance.one(of: [.rename, .rename, .replace]) ?? .rename
    spec.options.queue = chance.one(of: SimulatedUser.queueNames)
    if chance.happens(0.15), resource.segmentCount == 0, let now, let host = origins.server(host),
      host.kind == .ordinary,
      let hex = TestDigest.hex(of: resource.version(at: now).bytes, .sha256)
    {
      spec.checksum = Checksum(algorithm: .sha256, hex: hex)
    }
    if chance.happens(0.2) { spec.limitBytesPerSecond = chance.number(2000...100_000) }
    return spec
  }

  private func url(_ host: String, _ resource: SimulatedResource) -> TransferURL? {
    guard case .success(let parsed) = TransferURL.parse("http://\(host)/\(resource.name)") else {
      return nil
    }
    return parsed.url
  }

  // MARK: The network

  var networkState: NetworkState { isNetworkDown ? .absent : .present }

  func reach(of host: String) -> Reach {
    isNetworkDown ? .networkDown : outages[host] ?? .reachable
  }

  func setReach(_ reach: Reach?, of host: String) { outages[host] = reach }

  func endOutages() {
    outages = [:]
    isNetworkDown = false
  }

  /// The response to a request, true or false.
  func reply(
    to request: AttemptRequest, openCount: Int, of machine: SimulatedMachine
  ) -> SimulatedReply {
    var range = Self.range(of: request)
    var ifRange = request.headers.first { $0.name == "If-Range" }?.value
    let fault = SimulatedFault.responses.first { machine.meets($0) }
    if fault == .ignoredRange { range = nil }
    if fault == .ignoredIfRange { ifRange = nil }
    var reply = origins.honest(
      to: request.url, range: range, ifRange: ifRange, tagNumber: chance.bits() % 1000,
      at: machine.now.monotonic)
    if let server = origins.server(request.url.host) {
      let lies = SimulatedLies(chance: chance, server: server, range: range)
      if openCount > server.connectionsMax, hasFaults {
        machine.happened("too many connections for a server")
        lies.tell(.refused, in: &reply, at: request.url)
      } else if let fault {
        lies.tell(fault, in: &reply, at: request.url)
      }
    }
    if reply.status == 416 { machine.happened("416") }
    if reply.status == 206 { machine.happened("a part was sent") }
    machine.note(
      "\(request.id) \(reply.status) \(fault?.rawValue ?? "") \(reply.body.count) bytes")
    return reply
  }

  /// Checks a request, and notes it.
  func check(
    _ request: AttemptRequest, openCount: Int, openCountAtHost: Int, of machine: SimulatedMachine
  ) {
    if openCount > limits.connectionsMax { machine.violated("\(openCount) connections in all") }
    let spec = machine.journal.records[request.transfer]?.spec
    // The number that a user has given for a transfer counts for it alone.
    if let spec, spec.url.host == request.url.host, spec.connections == nil,
      openCountAtHost > limits.connectionsPerHostMax
    {
      machine.violated("\(openCountAtHost) connections to \(request.url.host)")
    }
    if openCountAtHost > 1 { machine.happened("several connections to a host") }
    if spec?.url.host != request.url.host {
      machine.happened(
        request.url.host == "h0.example" ? "a redirect was followed" : "a mirror was asked")
    }
    let headers = request.headers.filter { $0.name == "Range" || $0.name == "If-Range" }
    if !headers.isEmpty, !machine.hasAskedForPart {
      machine.hasAskedForPart = true
      machine.happened("bytes were continued after a start")
    }
    machine.note(
      "\(request.id) of \(request.transfer): \(request.url.text) "
        + headers.map { "\($0.name): \($0.value)" }.joined(separator: ", "))
  }

  private static func range(of request: AttemptRequest) -> (lower: Int64, upper: Int64?)? {
    guard let text = request.headers.first(where: { $0.name == "Range" })?.value else {
      return nil
    }
    let bounds = text.dropFirst("bytes=".count).split(separator: "-")
    guard let lower = bounds.first.flatMap({ Int64($0) }) else { return nil }
    return (lower, bounds.count > 1 ? Int64(bounds[1]).map { $0 + 1 } : nil)
  }

  // MARK: What the store gets

  /// Checks a commit: bytes that it calls durable are.
  func check(_ changes: [JournalChange], of machine: SimulatedMachine) {
    for change in changes {
      switch change {
      case .put(let record):
        machine.note("store: \(record.id) \(Self.text(of: record))")
        if addedAt[record.id] == nil { addedAt[record.id] = machine.now.monotonic }
        sources[record.id, default: []].formUnion(
          [record.spec.url] + record.spec.options.mirrors)
        if let data = record.resumeData { check(data.durable, data, of: record.id, machine) }
      case .progress(let id, let durable):
        if let data = machine.journal.records[id]?.resumeData {
          check(durable, data, of: id, machine)
        }
      case .remove, .putSession, .removeSession, .clearFinished, .uncover, .hostServed,
        .rememberHost, .bin, .hook, .digests, .forgetDigests, .members,
        .syncMembers, .leaveOutMembers:
        break
      }
    }
  }

  /// Counts the completions of a commit, before it, and the hooks that are due with them.
  func count(_ changes: [JournalChange], in journal: InMemoryJournal) {
    for change in changes {
      switch change {
      case .put(let record):
        // What undo restores was idle or gone, and is no completion.
        if record.state == .completed, let before = journal.records[record.id]?.state,
          before != .completed, before != .idle
        {
          recordedCompletions[record.id, default: 0] += 1
        }
      case .hook(.add(let run, _)):
        if run.event == .completed, let id = run.transfer {
          completionHooks[id, default: []].insert(run.id)
        }
      case .remove, .putSession, .removeSession, .clearFinished, .uncover, .hostServed,
        .rememberHost, .bin, .hook, .progress, .digests, .forgetDigests, .members,
        .syncMembers, .leaveOutMembers:
        break
      }
    }
  }

  private static func text(of record: TransferRecord) -> String {
    let data = record.resumeData.map { data in
      let ranges = data.durable.ranges.map { "\($0.lower)-\($0.upper)" }
      return "\(data.partialPath) \(ranges.joined(separator: ","))"
    }
    return [
      record.state.rawValue, record.reason?.rawValue, record.spec.directory, data,
      record.finishedFile?.path,
    ].compactMap { $0 }.joined(separator: " ")
  }

  private func check(
    _ durable: ByteRangeSet, _ data: ResumeData, of id: TransferID, _ machine: SimulatedMachine
  ) {
    guard machine.disk?.files.isDurable(durable, ofInode: data.inode) == false else { return }
    machine.violated("bytes of \(id) are recorded before they are on the disk: \(durable.ranges)")
  }

  // MARK: What people see

  func observe(_ event: EngineEvent, of machine: SimulatedMachine) {
    switch event {
    case .added(let row), .changed(let row), .loaded(let row): see(row, machine)
    case .listed(let listed): for row in listed.rows { see(row, machine) }
    case .removed(let row):
      states[row.id] = nil
      machine.note("\(row.id) removed")
    case .evicted: machine.happened("transfers left memory")
    case .recovered, .progress, .cleared, .uncovered, .limited, .queues, .hooksDue: break
    }
  }

  private func see(_ row: TransferSnapshot, _ machine: SimulatedMachine) {
    let before = states.updateValue(row.state, forKey: row.id)
    let words = [row.reason?.rawValue, row.error?.code.rawValue, row.freshStart?.rawValue]
    machine.note(
      "\(row.id) \(row.state) \(words.compactMap { $0 }.joined(separator: " ")) "
        + "\(row.bytesReceived)")
    if before != row.state { noteSometimes(row, machine) }
    guard row.state == .completed, let before, before != .completed, before != .idle else { return }
    announcedCompletions[row.id, default: 0] += 1
    if let record = machine.journal.records[row.id] { checkFile(of: record, machine) }
  }

  private func noteSometimes(_ row: TransferSnapshot, _ machine: SimulatedMachine) {
    if let reason = row.reason { machine.happened("waits: \(reason.rawValue)") }
    if row.state == .completed { machine.happened("completed") }
    if row.state == .failed, let error = row.error {
      machine.happened("failed: \(error.code.rawValue)")
      if error.code == .internalProblem { machine.violated("\(row.id): \(error.sentence)") }
    }
    if let start = row.freshStart { machine.happened("again from zero: \(start.rawValue)") }
  }

  /// Compares a finished file with what the simplest downloader would have fetched.
  func checkFile(of record: TransferRecord, _ machine: SimulatedMachine) {
    guard let file = record.finishedFile else {
      return machine.violated("\(record.id) is completed without a file")
    }
    // Another transfer may have replaced the file since.
    guard let files = machine.disk?.files, files.standing(of: file) == .unchanged,
      let bytes = files.bytes(at: file.path), !accepted.contains(record.id)
    else { return }
    // What arrived before the user gave another link is what the user wanted.
    let right = NaiveDownloader(origins: origins).files(
      of: Array(sources[record.id] ?? []),
      from: addedAt[record.id] ?? MonotonicTime(milliseconds: 0),
      to: machine.now.monotonic)
    if !right.contains(where: { Self.isEqual($0, bytes) }) {
      machine.violated(
        "\(record.id): \(file.path) has \(bytes.count) bytes that no server had as a file")
    }
  }

  private static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    return left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        guard let start = left.baseAddress, let otherStart = right.baseAddress else { return true }
        return memcmp(start, otherStart, left.count) == 0
      }
    }
  }

  /// What does not agree at the end about the completions of transfers.
  func checkCompletions(of machine: SimulatedMachine) {
    for (id, count) in recordedCompletions.sorted(by: { $0.key < $1.key }) {
      let hookCount = completionHooks[id]?.count ?? 0
      if hookCount != count {
        machine.violated("\(id) completed \(count) times, with \(hookCount) hooks")
      }
    }
    for (id, count) in announcedCompletions.sorted(by: { $0.key < $1.key }) {
      if count > recordedCompletions[id, default: 0] {
        machine.violated("the completion of \(id) was announced \(count) times")
      }
    }
  }
}

/// Checks at rest.
extension SimulatedSurroundings {
  func changeResource(at now: MonotonicTime) {
    // The same segments with other contents would be another recording that says nothing of it.
    let files = origins.resources.indices.filter { origins.resources[$0].segmentCount == 0 }
    guard let index = chance.one(of: files) else { return }
    let old = origins.resources[index].version(at: now).bytes.count
    origins.resources[index].change(
      byteCount: chance.happens(0.6) ? old : Int(chance.skewed(upTo: Int64(2 * old + 10))), at: now)
  }

  /// After a kill or a power cut, what the store calls durable is on the disk.
  func checkRemains(
    _ files: InMemoryFileStorage, _ journal: InMemoryJournal, of machine: SimulatedMachine
  ) {
    for record in journal.records.values.sorted(by: { $0.id < $1.id }) {
      guard let data = record.resumeData, !data.durable.isEmpty else { continue }
      if files.isDurable(data.durable, ofInode: data.inode) == false {
        machine.violated("the end of the machine took bytes that were recorded of \(record.id)")
      }
      machine.happened("bytes were recorded when it ended")
    }
  }

  /// Damages durable bytes of files that were open when the machine ended.
  func rot(
    _ files: InMemoryFileStorage, _ journal: InMemoryJournal, of machine: SimulatedMachine
  ) {
    guard hasFaults, let share = options.weights[.rot] else { return }
    for record in journal.records.values.sorted(by: { $0.id < $1.id }) {
      guard let data = record.resumeData, data.lastWriteNanoseconds == nil,
        rotChance.happens(share), let range = rotChance.one(of: data.durable.ranges),
        var bytes = files.bytes(at: data.partialPath)
      else { continue }
      let place = Int(rotChance.number(range.lower...range.lastByte))
      guard bytes.indices.contains(place) else { continue }
      bytes[place] ^= 1
      files.overwrite(data.partialPath, with: bytes)
      machine.happened("a durable byte was damaged")
      machine.note("disk: byte \(place) of \(data.partialPath) is damaged")
    }
  }

  func check(_ audit: EngineAudit, of machine: SimulatedMachine) {
    if audit.attemptCount > 0 { machine.violated("\(audit.attemptCount) attempts are left") }
    if audit.bodyCount > 0 { machine.violated("\(audit.bodyCount) bodies are left") }
    if audit.connectionCount > 0 { machine.violated("a connection is counted and not there") }
    if audit.runningCount > 0 { machine.violated("a slot is lost") }
    if audit.readingCount > 0 { machine.violated("a read of the store has no end") }
    if let network = machine.network, network.openCount > 0 {
      machine.violated("\(network.openCount) requests are left")
    }
    for (id, record) in audit.records.sorted(by: { $0.key < $1.key }) {
      if !audit.atRest.contains(id) { machine.violated("\(id) does not come to rest") }
      if machine.journal.records[id] != record {
        machine.violated("the store has another state of \(id) than the engine")
      }
    }
  }
}
