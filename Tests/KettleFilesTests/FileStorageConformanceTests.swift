import KettleEngine
import KettleModel
import TestSupport
import Testing

/// The contract of the port, tested with the Linux file system and the one in memory.
@Suite struct FileStorageConformanceTests {
  private let bytes: [UInt8] = Array("the whole file".utf8)

  // MARK: Create

  // Fault 82
  @Test(arguments: StorageKind.allCases)
  func `a new partial file is empty and beside its final name`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a.iso")
    #expect(file.path == storage.path("a.iso.part"))
    #expect(file.finalName == "a.iso")
    #expect(storage.names() == ["a.iso.part"])
    #expect(storage.bytes(file.path) == [])
  }

  // Fault 85
  @Test(arguments: StorageKind.allCases)
  func `a name used by a file or another partial file is numbered`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    try storage.put([1], storage.path("a.tar.gz"))
    let second = try storage.create("a.tar.gz")
    let third = try storage.create("a.tar.gz")
    #expect(second.finalName == "a (2).tar.gz")
    #expect(third.finalName == "a (3).tar.gz")
    #expect(third.path == storage.path("a (3).tar.gz.part"))
    #expect(storage.bytes(storage.path("a.tar.gz")) == [1])
  }

  // Fault 23
  // Fault 85
  @Test(arguments: StorageKind.allCases)
  func `another program's partial file is never opened`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    try storage.put([7], storage.path("a.part"))
    #expect(try storage.create("a").finalName == "a (2)")
    #expect(storage.bytes(storage.path("a.part")) == [7])
  }

  // Fault 85
  @Test(arguments: StorageKind.allCases)
  func `skip reports a taken name and creates nothing`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    try storage.put([1], storage.path("a"))
    let failure = failure { () throws(TransferFailure) in try storage.create("a", .skip) }
    #expect(failure?.code == .nameTaken)
    #expect(failure?.subject == storage.path("a"))
    #expect(storage.names() == ["a"])
  }

  @Test(arguments: StorageKind.allCases)
  func `skip ignores a partial file of the same name`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    _ = try storage.create("a", .skip)
    let second = try storage.create("a", .skip)
    #expect(second.finalName == "a")
    #expect(second.path == storage.path("a (2).part"))
  }

  @Test(arguments: StorageKind.allCases)
  func `replace keeps the final name and leaves the old file untouched until the finish`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    try storage.put([1], storage.path("a"))
    #expect(try storage.create("a", .replace).finalName == "a")
    #expect(storage.bytes(storage.path("a")) == [1])
  }

  // Fault 81
  @Test(arguments: StorageKind.allCases)
  func `only the documents directory is created`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let elsewhere = storage.directory + "-elsewhere"
    let failure = failure { () throws(TransferFailure) in
      try storage.files.createPartialFile(
        in: elsewhere, preferredName: "a", onConflict: .rename)
    }
    #expect(failure == TransferFailure(.directoryMissing, on: elsewhere, detail: "ENOENT"))
  }

  // MARK: Open

  @Test(arguments: StorageKind.allCases)
  func `a reopened partial file continues from its durable bytes`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(Array(bytes.prefix(9)))
    _ = try file.sync()
    let opened = try storage.files.openPartialFile(file.resumeData(durable: 4))
    try opened.truncate(to: 4)
    try opened.write(Array(bytes.dropFirst(4)), at: 4)
    #expect(storage.bytes(opened.path) == bytes)
    #expect(opened.inode == file.inode && opened.device == file.device)
    #expect(opened.finalName == "a")
  }

  @Test(arguments: StorageKind.allCases)
  func `a write past the end leaves zeros before it`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write([9], at: 3)
    #expect(storage.bytes(file.path) == [0, 0, 0, 9])
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `a missing, replaced or truncated partial file is reported`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write(bytes)
    let resumeData = file.resumeData(durable: bytes.count)
    let open = { () throws(TransferFailure) in try storage.files.openPartialFile(resumeData) }

    try file.truncate(to: 3)
    #expect(
      failure(open)
        == TransferFailure(
          .partialFileChanged, on: file.path, detail: "it is shorter than what was kept"))
    try storage.put(bytes, file.path)
    #expect(
      failure(open)
        == TransferFailure(.partialFileChanged, on: file.path, detail: "it is another file"))
    storage.remove(file.path)
    #expect(
      failure(open) == TransferFailure(.partialFileChanged, on: file.path, detail: "it is gone"))
    storage.removeDirectory()
    #expect(
      failure(open)
        == TransferFailure(.directoryMissing, on: storage.directory, detail: "ENOENT"))
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `the file must contain the last of several durable ranges`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let file = try storage.create("a")
    try file.write([UInt8](repeating: 1, count: 20))
    var resumeData = file.resumeData(durable: 5)
    resumeData.durable.insert(try #require(ByteRange(lower: 15, upper: 21)))
    let failure = failure { () throws(TransferFailure) in
      try storage.files.openPartialFile(resumeData)
    }
    #expect(failure?.code == .partialFileChanged)
  }

  // MARK: Finish

  @Test(arguments: StorageKind.allCases)
  func `a complete file gets its final name and its identity is returned`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.whole("a.iso", bytes)
    let finished = try storage.files.finish(resumeData, onConflict: .rename)
    #expect(finished.path == storage.path("a.iso"))
    #expect(finished.identity?.byteCount == Int64(bytes.count))
    #expect(finished.identity?.inode == resumeData.inode)
    #expect(storage.names() == ["a.iso"])
    #expect(storage.bytes(finished.path) == bytes)
  }

  // Fault 85
  @Test(arguments: StorageKind.allCases)
  func `a name taken during the download is numbered and nothing is overwritten`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.whole("a.iso", bytes)
    try storage.put([1], storage.path("a.iso"))
    try storage.put([2], storage.path("a (2).iso"))
    let finished = try storage.files.finish(resumeData, onConflict: .rename)
    #expect(finished.path == storage.path("a (3).iso"))
    #expect(storage.bytes(storage.path("a.iso")) == [1])
    #expect(storage.bytes(storage.path("a (2).iso")) == [2])
  }

  // Fault 85
  @Test(arguments: StorageKind.allCases)
  func `skip keeps both the partial file and a file created during the download`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.whole("a", bytes, .skip)
    try storage.put([1], storage.path("a"))
    let failure = failure { () throws(TransferFailure) in
      try storage.files.finish(resumeData, onConflict: .skip)
    }
    #expect(failure == TransferFailure(.nameTaken, on: storage.path("a")))
    #expect(storage.bytes(storage.path("a")) == [1])
    #expect(storage.names() == ["a", "a.part"])
  }

  @Test(arguments: StorageKind.allCases)
  func `replace puts the new file in place of the old one`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    try storage.put([1], storage.path("a"))
    let resumeData = try storage.whole("a", bytes, .replace)
    let finished = try storage.files.finish(resumeData, onConflict: .replace)
    #expect(finished.path == storage.path("a"))
    #expect(storage.names() == ["a"])
    #expect(storage.bytes(storage.path("a")) == bytes)
  }

  // Fault 22
  @Test(arguments: StorageKind.allCases)
  func `a partial file with another identity or size is not renamed`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    var resumeData = try storage.whole("a", bytes)
    resumeData.totalByteCount = 5
    let longer = failure { () throws(TransferFailure) in
      try storage.files.finish(resumeData, onConflict: .rename)
    }
    #expect(longer?.detail == "it has another size than it had")
    resumeData.totalByteCount = Int64(bytes.count)
    try storage.put(bytes, resumeData.partialPath)
    let replaced = failure { () throws(TransferFailure) in
      try storage.files.finish(resumeData, onConflict: .rename)
    }
    #expect(replaced?.code == .partialFileChanged)
    #expect(storage.names() == ["a.part"])
  }

  // MARK: After a crash

  // Fault 79
  @Test(arguments: StorageKind.allCases)
  func `a file is either partial or finished after a crash`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.whole("a", bytes)
    #expect(storage.files.finishedFile(of: resumeData) == nil)
    let finished = try storage.files.finish(resumeData, onConflict: .rename)
    #expect(storage.files.finishedFile(of: resumeData) == finished)
  }

  // Fault 79
  @Test(arguments: StorageKind.allCases)
  func `a file that got a numbered name before a crash is found`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.whole("a", bytes)
    try storage.put([1], storage.path("a"))
    let finished = try storage.files.finish(resumeData, onConflict: .rename)
    #expect(storage.files.finishedFile(of: resumeData) == finished)
    #expect(finished.path == storage.path("a (2)"))
  }

  // Fault 79
  @Test(arguments: StorageKind.allCases)
  func `another program's file at the final name is not mistaken for ours`(_ kind: StorageKind)
    throws
  {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.whole("a", bytes)
    // Put at the final name before the removal, so that the inode is not reused.
    try storage.put(bytes, storage.path("a"))
    storage.remove(resumeData.partialPath)
    #expect(storage.files.finishedFile(of: resumeData) == nil)
  }

  // MARK: Remove

  @Test(arguments: StorageKind.allCases)
  func `the beginning of a partial file is read, and of no other file`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let own = try storage.whole("a", bytes)
    let files = storage.files
    #expect(
      files.beginning(of: own.partialIdentity, byteCountMax: 2) == Array(bytes.prefix(2)))
    #expect(files.beginning(of: own.partialIdentity, byteCountMax: 1 << 16) == bytes)
    var other = own.partialIdentity
    other.inode += 1
    #expect(files.beginning(of: other, byteCountMax: 2) == nil)
    files.removePartialFile(own.partialIdentity)
    #expect(files.beginning(of: own.partialIdentity, byteCountMax: 2) == nil)
  }

  // Fault 85
  @Test(arguments: StorageKind.allCases)
  func `only the partial file that the storage created is removed`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let resumeData = try storage.whole("a", bytes)
    try storage.put([1], resumeData.partialPath)
    storage.files.removePartialFile(resumeData.partialIdentity)
    #expect(storage.bytes(resumeData.partialPath) == [1])
    let own = try storage.whole("b", bytes)
    storage.files.removePartialFile(own.partialIdentity)
    storage.files.removePartialFile(own.partialIdentity)
    #expect(storage.names() == ["a.part"])
  }

  // Fault 85
  @Test(arguments: StorageKind.allCases)
  func `only a finished file with an unchanged identity is removed`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let finished = try storage.files.finish(storage.whole("a", bytes), onConflict: .rename)
    var changed = finished
    changed.identity?.byteCount += 1
    #expect(storage.files.removeFinishedFile(changed) == false)
    changed = finished
    changed.identity?.modifiedNanoseconds += 1
    #expect(storage.files.removeFinishedFile(changed) == false)
    changed = finished
    changed.identity?.device += 1
    #expect(storage.files.removeFinishedFile(changed) == false)
    let unknown = FinishedFile(path: finished.path, identity: nil)
    #expect(storage.files.removeFinishedFile(unknown) == false)
    #expect(storage.names() == ["a"])
    #expect(storage.files.removeFinishedFile(finished))
    #expect(storage.names() == [])
    #expect(storage.files.removeFinishedFile(finished) == false)
  }

  // Fault 85
  @Test(arguments: StorageKind.allCases)
  func `a finished file that another program replaced is kept`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let finished = try storage.files.finish(storage.whole("a", bytes), onConflict: .rename)
    try storage.put(bytes, finished.path)
    #expect(storage.files.removeFinishedFile(finished) == false)
    #expect(storage.bytes(finished.path) == bytes)
  }

  // Fault 184
  @Test(arguments: StorageKind.allCases)
  func `a finished file is unchanged, changed or missing, and has a digest`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let finished = try storage.files.finish(storage.whole("a", bytes), onConflict: .rename)
    #expect(storage.files.standing(of: finished) == .unchanged)
    #expect(
      try storage.files.digest(ofFileAt: finished.path, algorithm: .sha256)
        == TestDigest.hex(of: bytes, .sha256))
    try storage.put(bytes + [0], finished.path)
    #expect(storage.files.standing(of: finished) == .changed)
    #expect(
      storage.files.standing(of: FinishedFile(path: finished.path, identity: nil)) == .unchanged)
    storage.remove(finished.path)
    #expect(storage.files.standing(of: finished) == .missing)
    #expect(throws: TransferFailure.self) {
      try storage.files.digest(ofFileAt: finished.path, algorithm: .sha256)
    }
  }

  // MARK: Space

  @Test(arguments: StorageKind.allCases)
  func `free space is known for the documents directory before it is created`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    #expect((storage.files.freeBytes(at: storage.directory) ?? 0) > 0)
    #expect(storage.files.freeBytes(at: storage.directory + "-elsewhere") == nil)
  }
}
