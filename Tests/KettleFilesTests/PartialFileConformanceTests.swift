import KettleEngine
import KettleModel
import Testing

/// What an open partial file promises, asked of the file system of Linux and of the one in memory.
@Suite struct PartialFileConformanceTests {
  private let bytes: [UInt8] = Array("the whole file".utf8)
  private let minute: Int64 = 60_000_000_000

  // MARK: Reading back

  @Test(arguments: StorageKind.allCases)
  func `what was written is read back before it is synced`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes, at: 3)
    #expect(try file.read(5, at: 7) == Array("whole".utf8))
    #expect(try file.read(4) == [0, 0, 0] + bytes.prefix(1))
    #expect(try file.read(0, at: 1000) == [])
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `reading behind the end is told`(_ kind: StorageKind) throws {
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

  // MARK: Another program

  // Fault 22
  @Test(arguments: StorageKind.allCases, [0, 5, 13])
  func `a file that was shortened is neither written to nor synced`(
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
  func `a file that we cut off ourselves may be shorter`(_ kind: StorageKind) throws {
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
  func `a file that was deleted or replaced while it is open is not synced`(
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
  func `a sync tells when the file was last written to`(_ kind: StorageKind) throws {
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
  func `a closed file that was written to after its record is told, an older one is not`(
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
    // A power cut may take the time back though the bytes are there.
    #expect(outcome(-1) == nil)
  }

  @Test(arguments: StorageKind.allCases)
  func `a file that was being written to is taken as it is`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    let recorded = try file.sync()
    // After a crash nobody knows who wrote last.
    storage.setModified(recorded + 3_600_000_000_000, file.path)
    let resumeData = file.resumeData(durable: bytes.count)
    #expect(resumeData.lastWriteNanoseconds == nil)
    _ = try storage.files.openPartialFile(resumeData)
  }

  // MARK: Instead of another

  // Fault 12
  @Test(arguments: StorageKind.allCases)
  func `a partial file that is set aside keeps its bytes, its place and the name`(
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
    // The name stays reserved while the old one stands.
    #expect(try storage.create("a.iso").finalName == "a (4).iso")

    storage.files.removePartialFile(resumeData.partialIdentity)
    try new.write(bytes)
    _ = try new.sync()
    let finished = try storage.files.finish(
      new.resumeData(durable: bytes.count, total: bytes.count), onConflict: .rename)
    #expect(finished.path == storage.path("a.iso"))
  }

  @Test(arguments: StorageKind.allCases)
  func `instead of a partial file that is gone the first free name is taken`(
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
  func `no directory is made again for a file instead of another`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.create("a").resumeData(durable: 0)
    storage.removeDirectory()
    let told = failure { () throws(TransferFailure) in
      try storage.files.createPartialFile(insteadOf: resumeData)
    }
    #expect(told == TransferFailure(.directoryMissing, on: storage.directory, detail: "ENOENT"))
  }
}
