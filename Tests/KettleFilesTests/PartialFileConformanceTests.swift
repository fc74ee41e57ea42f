import KettleEngine
import KettleModel
import Testing

/// The contract of an open partial file, tested with the Linux file system and the one in memory.
@Suite struct PartialFileConformanceTests {
  private let bytes: [UInt8] = Array("the whole file".utf8)
  private let minute: Int64 = 60_000_000_000

  // MARK: Reading back

  @Test(arguments: StorageKind.allCases)
  func `written bytes can be read before a sync`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes, at: 3)
    #expect(try file.read(5, at: 7) == Array("whole".utf8))
    #expect(try file.read(4) == [0, 0, 0] + bytes.prefix(1))
    #expect(try file.read(0, at: 1000) == [])
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `a read past the end is reported`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    let told = TransferFailure(
      .partialFileChanged, on: file.path, detail: "it is shorter than what was kept")
    let failures = [(bytes.count, 1), (1, bytes.count), (1, 1 << 40)].map { count, offset in
      failure { () throws(TransferFailure) in try file.read(count, at: Int64(offset)) }
    }
    #expect(failures == [told, told, told])
  }

  // MARK: Changes by other programs

  // Fault 22
  @Test(arguments: StorageKind.allCases, [0, 5, 13])
  func `a truncated file is neither written nor synced`(
    _ kind: StorageKind, byteCount: Int
  ) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    _ = try file.sync()
    try storage.shorten(file.path, byteCount)
    let told = TransferFailure(
      .partialFileChanged, on: file.path, detail: "it is shorter than what was kept")
    #expect(failure { () throws(TransferFailure) in try file.write([1], at: 14) } == told)
    #expect(failure { () throws(TransferFailure) in try file.write([1], at: 0) } == told)
    #expect(failure { () throws(TransferFailure) in try file.sync() } == told)
    #expect(storage.bytes(file.path) == Array(bytes.prefix(byteCount)))
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `a file may be shorter after our own truncation`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    try file.truncate(to: 4)
    try file.write([1], at: 4)
    _ = try file.sync()
    #expect(storage.bytes(file.path) == Array(bytes.prefix(4)) + [1])
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `a file deleted or replaced while open is not synced`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    storage.remove(file.path)
    let gone = TransferFailure(.partialFileChanged, on: file.path, detail: "it is gone")
    #expect(failure { () throws(TransferFailure) in try file.sync() } == gone)
    let other = try storage.create("b")
    try other.write(bytes)
    try storage.put([1], other.path)
    #expect(
      failure { () throws(TransferFailure) in try other.sync() }?.code == .partialFileChanged)
  }

  // MARK: The last write

  @Test(arguments: StorageKind.allCases)
  func `a sync returns the time of the last write`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    storage.setModified(1_700_000_000_123_456_789, file.path)
    #expect(try file.sync() == 1_700_000_000_123_456_789)
    #expect(try file.sync() == 1_700_000_000_123_456_789)
    try file.write(bytes)
    #expect(try file.sync() != 1_700_000_000_123_456_789)
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `a write to a closed file after its record is reported, an older time is not`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    var resumeData = file.resumeData(durable: bytes.count)
    let recorded = try file.sync()
    resumeData.lastWriteNanoseconds = recorded
    let outcome = { (shift: Int64) -> TransferFailure? in
      storage.setModified(recorded + shift, file.path)
      return failure { () throws(TransferFailure) in
        try storage.files.openPartialFile(resumeData)
      }
    }
    let told = TransferFailure(
      .partialFileChanged, on: file.path, detail: "it was written to by others")
    #expect(outcome(0) == nil)
    #expect(outcome(1) == told)
    #expect(outcome(minute) == told)
    // A power cut may revert the time although the bytes are intact.
    #expect(outcome(-1) == nil)
  }

  @Test(arguments: StorageKind.allCases)
  func `a file without a recorded write time is opened as it is`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    let recorded = try file.sync()
    // After a crash it is unknown which program wrote last.
    storage.setModified(recorded + 3_600_000_000_000, file.path)
    let resumeData = file.resumeData(durable: bytes.count)
    #expect(resumeData.lastWriteNanoseconds == nil)
    _ = try storage.files.openPartialFile(resumeData)
  }

  // MARK: Replacement files

  // Fault 12
  @Test(arguments: StorageKind.allCases)
  func `a set-aside partial file keeps its bytes, its path and its name reservation`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let old = try storage.create("a.iso")
    try old.write(bytes)
    let resumeData = old.resumeData(durable: bytes.count)
    let new = try storage.files.createPartialFile(insteadOf: resumeData)
    let newer = try storage.files.createPartialFile(insteadOf: resumeData)
    #expect(new.path == storage.path("a (2).iso.part"))
    #expect(newer.path == storage.path("a (3).iso.part"))
    #expect(new.finalName == "a.iso" && newer.finalName == "a.iso")
    #expect(storage.bytes(new.path) == [])
    #expect(storage.bytes(old.path) == bytes)
    // The name stays reserved while the old file exists.
    #expect(try storage.create("a.iso").finalName == "a (4).iso")

    storage.files.removePartialFile(resumeData.partialIdentity)
    try new.write(bytes)
    _ = try new.sync()
    let finished = try storage.files.finish(
      new.resumeData(durable: bytes.count, total: bytes.count), onConflict: .rename)
    #expect(finished.path == storage.path("a.iso"))
  }

  @Test(arguments: StorageKind.allCases)
  func `a replacement for a missing partial file takes the first free name`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let old = try storage.create("a")
    storage.remove(old.path)
    let new = try storage.files.createPartialFile(insteadOf: old.resumeData(durable: 0))
    #expect(new.path == old.path)
  }

  // Fault 81
  @Test(arguments: StorageKind.allCases)
  func `a replacement partial file does not recreate a missing directory`(_ kind: StorageKind)
    throws
  {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.create("a").resumeData(durable: 0)
    storage.removeDirectory()
    let told = failure { () throws(TransferFailure) in
      try storage.files.createPartialFile(insteadOf: resumeData)
    }
    #expect(told == TransferFailure(.directoryMissing, on: storage.directory, detail: "ENOENT"))
  }
}
