import KettleModel
import SeededNumbers

/// Random records of every kind, with many equal positions, hosts, sizes and dates.
struct RandomRecords {
  var random: SeededGenerator
  private var lastTask: Int64 = 0

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  private static let hosts = [
    "http://a.example", "https://a.example", "https://b.a.example:8443", "https://[2001:db8::1]",
    "https://münchen.example", "http://10.0.0.1:81", "https://example.org",
  ]
  private static let titles: [String?] = [
    nil, nil, "", "Ubuntu", "ubuntu", "Ärger", "A\u{308}rger", "Zeta", "zeta 2",
    "A title of more letters than fit into a small string", "ß", "\u{1F4BE}",
  ]
  private static let names: [String?] = [nil, nil, "name.iso", "Über.tar.gz", "b"]

  private mutating func one<Value>(_ values: [Value]) -> Value {
    values[Int.random(in: values.indices, using: &random)]
  }

  private mutating func maybe<Value>(_ value: Value) -> Value? {
    Bool.random(using: &random) ? value : nil
  }

  mutating func number(_ range: ClosedRange<Int64>) -> Int64 {
    Int64.random(in: range, using: &random)
  }

  mutating func record(_ id: Int64) -> TransferRecord {
    lastTask += 1
    let path = one([
      "/", "/files/\(id % 7).iso", "/a%20b/C?d=\(id % 5)", "/Archive.tar", "/aux.iso?x=/b",
    ])
    var spec = TransferSpec(url: Sample.url(one(Self.hosts) + path))
    spec.session = SessionID(rawValue: one(["kettle", "org.example.b", "Org.example.a", "ü"]))
    spec.title = one(Self.titles)
    spec.name = one(Self.names).flatMap { FileName(recorded: $0, one([.user, .foreign])) }
    spec.directory = one([nil, "/home/somebody/Downloads", "/mnt/Disk"])
    spec.priority = one([.low, .normal, .normal, .normal, .high])
    if number(0...3) == 0 { spec.options.queue = QueueName(one(["night", "bulk"])) }
    spec.options.member = Self.member(id)
    if number(0...9) == 0 { spec.task = task() }
    if number(0...9) == 0 {
      spec.request = RequestContent(method: "PUT", body: .file(path: "/x", byteCount: 77))
    }
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: lastTask, spec: spec,
      createdAt: WallTime(millisecondsSince1970: number(0...20)), queuePosition: number(-20...20),
      state: one([.queued, .queued, .queued] + TransferState.allCases))
    setProgress(of: &record)
    return record
  }

  /// A transfer stays what it is, whatever changes. Its collection is never removed.
  private static func member(_ id: Int64) -> MemberRole? {
    let directories = ["", "a/", "a/b/", "a b/", "a-b/c d/", "Ä/", "\u{301}b/"]
    let path = directories[Int(id) / 8 % directories.count] + "File \(id)"
    guard id % 4 == 0, let path = MemberPath(foreign: path) else { return nil }
    return MemberRole(collection: TransferID(rawValue: 10_000 + id / 4 % 2), number: id, path: path)
  }

  private mutating func setProgress(of record: inout TransferRecord) {
    if number(0...2) == 0 { record.resumeData = resumeData() }
    if number(0...4) == 0 {
      let identity = FileIdentity(
        device: 1, inode: 2, byteCount: number(0...4), modifiedNanoseconds: 3)
      record.finishedFile = FinishedFile(path: "/mnt/Disk/File.iso", identity: maybe(identity))
    }
    record.finishedAt = maybe(WallTime(millisecondsSince1970: number(0...20)))
    record.finishNumber = maybe(number(0...30))
    record.task?.sentByteCount = number(0...90)
  }

  private mutating func task() -> TaskOptions {
    var task = TaskOptions(kind: one([.download, .upload]))
    task.expectedReceiveByteCount = maybe(number(0...50))
    task.expectedSendByteCount = maybe(number(0...50))
    task.subtitle = maybe(name())
    return task
  }

  private mutating func resumeData() -> ResumeData {
    var data = Sample.bareResumeData
    data.durable = ByteRangeSet(prefix: number(0...40))
    data.totalByteCount = maybe(number(0...40))
    data.finalName = one(["Final.iso", "final.iso", "x"])
    return data
  }

  /// The last part of a URL, made of fragments with a special meaning on some system.
  mutating func name() -> String {
    let pieces = [
      "archive", "A", "con", "COM1", "LPT9", "nul", ".", "..", "-", "_", "~", "%20", "%2F", "+",
      "tar.gz", "123456", "?q=/name.iso", "/", "aux.", ":", "@", String(repeating: "x", count: 99),
    ]
    return (0...Int(number(0...3))).map { _ in one(pieces) }.joined()
  }

  // MARK: Queries

  mutating func filter() -> RowFilter {
    var filter = RowFilter(scope: one(RowFilter.Scope.allCases))
    if number(0...2) == 0 {
      filter.states = TransferState.allCases.filter { _ in number(0...2) == 0 }
    }
    filter.membership = one([.any, .any, .none, .of(TransferID(rawValue: 10_001)), .collections])
    if number(0...4) == 0 { filter.needsUser = true }
    if number(0...4) == 0 { filter.hookFailed = true }
    if number(0...3) == 0 { filter.session = SessionID(rawValue: one(["kettle", "ü", "none"])) }
    if number(0...3) == 0 { filter.queue = QueueName(one(["default", "night", "none"])) }
    if number(0...3) == 0 { filter.host = one(["a.example", "example", "EXAMPLE.ORG", "[2001"]) }
    if number(0...2) == 0 {
      filter.text = one([
        "ISO", "a final", "ÄRGER", "disk \"a b\"", "  ", "!iso", "'iso", "^a", "iso$", "!^HTTPS",
        "^ä 'ärger", "!'a !final$ disk", "!", "\"!iso\"",
      ])
    }
    return filter
  }

  mutating func request() -> (origins: Set<Origin>, countMax: Int) {
    let origins = Self.hosts.filter { _ in Bool.random(using: &random) }
    return (Set(origins.map { Sample.url($0 + "/").origin }), Int(number(0...30)))
  }

  mutating func places() -> [(position: Int64, id: TransferID)] {
    (0..<20).map { _ in (number(-22...22), TransferID(rawValue: number(0...300))) }
  }

  mutating func states() -> Set<TransferState> {
    Set(TransferState.allCases.filter { _ in Bool.random(using: &random) })
  }

  mutating func ids(_ range: ClosedRange<Int64>, count: Int) -> [TransferID] {
    (0..<count).map { _ in TransferID(rawValue: number(range)) }
  }
}
