import KettleEngine
import KettleModel
import Testing

/// Moving files to the bin and back, with the Linux file system and the one in memory.
@Suite struct BinFilesConformanceTests {
  private let bytes: [UInt8] = Array("half of it".utf8)
  private let name = ".kettle-bin-5-1"

  /// A closed partial file and its resume data.
  private func partial(in storage: StorageUnderTest) throws -> ResumeData {
    let file = try storage.create("a.iso")
    try bytes.withUnsafeBytes { try file.write($0, at: 0) }
    var data = ResumeData(
      partialPath: file.path, device: file.device, inode: file.inode,
      durable: ByteRangeSet(prefix: Int64(bytes.count)), totalByteCount: 100, validator: nil,
      finalName: file.finalName)
    data.lastWriteNanoseconds = try file.sync()
    return data
  }

  private func binned(_ data: ResumeData, in storage: StorageUnderTest) -> PartialIdentity {
    PartialIdentity(path: storage.path(name), device: data.device, inode: data.inode)
  }

  @Test(arguments: StorageKind.allCases)
  func `a partial file comes back under its own name and can be continued`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let data = try partial(in: storage)
    storage.files.movePartialFile(data.partialIdentity, toName: name)
    #expect(storage.names() == [name])
    let restored = storage.files.restorePartialFile(data, from: binned(data, in: storage))
    #expect(restored == data)
    #expect(storage.names() == ["a.iso.part"])
    _ = try storage.files.openPartialFile(restored)
  }

  @Test(arguments: StorageKind.allCases)
  func `a partial file gets the first free name when its own is taken`(
    _ kind: StorageKind
  ) throws {
    let storage = try StorageUnderTest(kind)
    let data = try partial(in: storage)
    storage.files.movePartialFile(data.partialIdentity, toName: name)
    try storage.put([7], storage.path("a.iso.part"))
    let restored = storage.files.restorePartialFile(data, from: binned(data, in: storage))
    #expect(restored.partialPath == storage.path("a (2).iso.part"))
    #expect(storage.bytes(restored.partialPath) == bytes)
    #expect(storage.bytes(storage.path("a.iso.part")) == [7])
    _ = try storage.files.openPartialFile(restored)
  }

  @Test(arguments: StorageKind.allCases)
  func `another file is neither moved to the bin nor back`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let data = try partial(in: storage)
    // While the file exists, no other one gets its inode.
    try storage.put([8], storage.path(name))
    try storage.put([7], data.partialPath)
    storage.files.movePartialFile(data.partialIdentity, toName: "elsewhere")
    #expect(storage.names() == [name, "a.iso.part"])
    #expect(storage.files.restorePartialFile(data, from: binned(data, in: storage)) == data)
    #expect(storage.names() == [name, "a.iso.part"])
  }

  @Test(arguments: StorageKind.allCases)
  func `nothing in the bin is replaced`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    let data = try partial(in: storage)
    try storage.put([7], storage.path(name))
    storage.files.movePartialFile(data.partialIdentity, toName: name)
    #expect(storage.bytes(storage.path(name)) == [7])
    #expect(storage.bytes(data.partialPath) == bytes)
    // It never left, so it is found in its place.
    #expect(storage.files.restorePartialFile(data, from: binned(data, in: storage)) == data)
  }

  @Test(arguments: StorageKind.allCases)
  func `a finished file comes back, numbered when its name is taken`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    var data = try partial(in: storage)
    data.totalByteCount = Int64(bytes.count)
    let file = try storage.files.finish(data, onConflict: .rename)
    #expect(storage.files.moveFinishedFile(file, toName: name))
    #expect(storage.names() == [name])
    try storage.put([7], file.path)
    let binned = FinishedFile(path: storage.path(name), identity: file.identity)
    let restored = storage.files.restoreFinishedFile(file, from: binned)
    #expect(restored.path == storage.path("a (2).iso"))
    #expect(restored.identity == file.identity)
    #expect(storage.bytes(restored.path) == bytes)
  }

  @Test(arguments: StorageKind.allCases)
  func `a finished file that others changed is left`(_ kind: StorageKind) throws {
    let storage = try StorageUnderTest(kind)
    var data = try partial(in: storage)
    data.totalByteCount = Int64(bytes.count)
    let file = try storage.files.finish(data, onConflict: .rename)
    try storage.shorten(file.path, 3)
    #expect(!storage.files.moveFinishedFile(file, toName: name))
    #expect(storage.names() == ["a.iso"])
  }
}
