import KettleModel

/// Transfers in every fixture: one in each state, with resume data where a
/// state can have it. Never changed, because the files are never regenerated.
enum StoreFixture {
  static let records: [TransferRecord] = TransferState.allCases.enumerated().map { index, state in
    record(Int64(index) + 1, state)
  }

  /// Added and removed again, so that only the counters reflect it.
  static let removed = record(40, .idle)

  static func record(_ id: Int64, _ state: TransferState) -> TransferRecord {
    var record = TransferRecord(
      id: TransferID(rawValue: id), taskIdentifier: id, spec: spec(id),
      createdAt: WallTime(millisecondsSince1970: 1_767_225_600_000 + id * 1000),
      queuePosition: id * 10, state: state)
    switch state {
    case .idle, .queued: break
    case .scheduled: record.goesOnAt = WallTime(millisecondsSince1970: 1_798_135_200_000)
    case .running, .paused, .verifying:
      record.resumeData = resumeData(id, isWhole: state == .verifying)
    case .waiting:
      record.resumeData = resumeData(id, isWhole: false)
      record.reason = .retryAfter
      record.goesOnAt = WallTime(millisecondsSince1970: 1_767_229_200_000)
      record.failure = TransferFailure(.httpStatus, on: record.spec.url.text, detail: "503")
      record.retryCount = 4
    case .completed:
      record.finishedFile = FinishedFile(
        path: "/home/somebody/Downloads/File \(id).iso",
        identity: FileIdentity(
          device: 66_305, inode: 9_007_199_254_740_993, byteCount: 12_345_678_901,
          modifiedNanoseconds: 1_767_225_700_123_456_789))
      record.finishedAt = WallTime(millisecondsSince1970: 1_767_225_700_124)
    case .failed:
      record.resumeData = resumeData(id, isWhole: false)
      record.failure = TransferFailure(.linkExpired, on: record.spec.url.text, detail: nil)
      record.freshStart = .resourceChanged
      record.finishedAt = WallTime(millisecondsSince1970: 1_767_225_800_000)
    }
    return record
  }

  private static func spec(_ id: Int64) -> TransferSpec {
    guard
      case .success(let parsed) = TransferURL.parse(
        "https://example.org/files/File%20\(id).iso?v=1")
    else { preconditionFailure("The URL of the fixture is no URL") }
    var spec = TransferSpec(url: parsed.url)
    spec.directory = "/home/somebody/Downloads"
    guard !id.isMultiple(of: 2) else { return spec }
    spec.session = SessionID(rawValue: "org.example.app")
    spec.title = "Dateiübersicht \(id)"
    spec.name = try? FileName(typed: "File \(id).iso")
    spec.connections = 4
    spec.headers = [HeaderField(received: "X-Token", "a, \"b\"")]
    spec.login = Login(user: "somebody", password: "pass:word")
    spec.checksum = Checksum("sha256:" + String(repeating: "0a", count: 32))
    spec.caCertificatePath = "/etc/ssl/own.pem"
    spec.limitBytesPerSecond = 1_048_576
    spec.notBefore = WallTime(millisecondsSince1970: 1_767_225_600_000)
    spec.priority = .high
    spec.onConflict = .replace
    spec.beginning = .paused
    return spec
  }

  private static func resumeData(_ id: Int64, isWhole: Bool) -> ResumeData {
    var durable = ByteRangeSet(prefix: 1_048_576)
    if !isWhole, let range = ByteRange(lower: 2_097_152, upper: 3_145_728) { durable.insert(range) }
    var resumeData = ResumeData(
      partialPath: "/home/somebody/Downloads/File \(id).iso.part", device: 66_305,
      inode: 1_000_000 + UInt64(id), durable: durable,
      totalByteCount: isWhole ? 1_048_576 : 12_345_678_901,
      validator: Validator(
        entityTag: "\"v\(id)\"", lastModified: "Thu, 01 Jan 2026 00:00:00 GMT",
        isLastModifiedStrong: true),
      finalName: "File \(id).iso")
    resumeData.isWhole = isWhole
    return resumeData
  }
}
