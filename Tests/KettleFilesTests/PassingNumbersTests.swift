import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing

@testable import KettleFiles

/// A file system that keeps no inode numbers, over one that does.
final class PassingDisk: Sendable {
  enum Numbering: CaseIterable, Sendable {
    /// A remount changes each number: FAT, exFAT.
    case byMount
    /// Each name has a number of its own: link(2) and rename(2) through FUSE.
    case byName
  }

  private let numbering: Numbering
  private let mounts = Mutex<ino_t>(0)
  /// FUSE_SUPER_MAGIC, statfs(2).
  private let kind: Int

  init(_ numbering: Numbering, kind: Int = 0x6573_5546) {
    self.numbering = numbering
    self.kind = kind
  }

  func remount() { mounts.withLock { $0 += 1 } }

  var calls: FileCalls {
    var calls = FileCalls.kernel
    calls.fileSystemKind = { [kind] _ in kind }
    calls.status = { [self] descriptor, status in
      let result = fstat(descriptor, status)
      var name = [CChar](repeating: 0, count: 4096)
      let count = readlink("/proc/self/fd/\(descriptor)", &name, name.count)
      let path = String(
        decoding: name.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
      renumber(&status.pointee, path.split(separator: "/").last.map(String.init) ?? "")
      return result
    }
    calls.statusOfName = { [self] directory, name, status in
      let result = fstatat(directory, name, status, AT_SYMLINK_NOFOLLOW)
      renumber(&status.pointee, name)
      return result
    }
    return calls
  }

  private func renumber(_ status: inout stat, _ name: String) {
    switch numbering {
    case .byMount: status.st_ino ^= mounts.withLock { $0 } << 32
    case .byName: status.st_ino = name.utf8.reduce(ino_t(7)) { ($0 &* 31) &+ ino_t($1) }
    }
  }
}

/// Files whose inode numbers change although nobody touches them.
@Suite struct PassingNumbersTests {
  private let scratch: ScratchDirectory
  private let bytes: [UInt8] = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  init() throws { scratch = try ScratchDirectory() }

  private func storage(_ disk: PassingDisk, ways: [FreeNameRename.Way] = [.rename])
    -> POSIXFileStorage
  {
    POSIXFileStorage(
      documentsDirectory: scratch.path, freeNameRename: FreeNameRename(ways: ways),
      calls: disk.calls)
  }

  private func partial(
    _ files: POSIXFileStorage, _ name: String = "a.iso", durable: Int? = nil
  ) throws -> ResumeData {
    let file = try files.createPartialFile(
      in: scratch.path, preferredName: name, onConflict: .rename)
    try file.write(bytes)
    let modified = try file.sync()
    var resumeData = file.resumeData(durable: durable ?? bytes.count, total: bytes.count)
    resumeData.sample = file.sample(ofFirst: resumeData.durable.prefixByteCount)
    resumeData.lastWriteNanoseconds = modified
    return resumeData
  }

  private func reopening(
    _ resumeData: ResumeData, _ files: POSIXFileStorage
  ) -> TransferFailure? {
    failure { () throws(TransferFailure) in try files.openPartialFile(resumeData) }
  }

  private func put(_ content: [UInt8], _ name: String) throws {
    try Disk.put(content, at: scratch.path + "/" + name)
  }

  // Fault 163
  @Test(arguments: FreeNameRename.Way.allCases, PassingDisk.Numbering.allCases)
  func `a file with another number after its rename is finished`(
    _ way: FreeNameRename.Way, _ numbering: PassingDisk.Numbering
  ) throws {
    let disk = PassingDisk(numbering)
    let files = storage(disk, ways: [way])
    let resumeData = try partial(files)
    disk.remount()
    let finished = try files.finish(resumeData, onConflict: .rename)
    #expect(finished.path == scratch.path + "/a.iso")
    #expect(Disk.names(in: scratch.path) == ["a.iso"])
    disk.remount()
    #expect(files.removeFinishedFile(finished))
    #expect(Disk.names(in: scratch.path) == [])
  }

  // Fault 163
  @Test func `a crash after the rename is recognized by the content`() throws {
    let disk = PassingDisk(.byMount)
    let resumeData = try partial(storage(disk))
    rename(resumeData.partialPath, scratch.path + "/a.iso")
    disk.remount()
    let found = storage(disk).finishedFile(of: resumeData)
    #expect(found?.path == scratch.path + "/a.iso")
    #expect(found?.identity?.sample != nil)
  }

  // Fault 164
  @Test func `a partial file continues after a remount, and after a crash too`() throws {
    let disk = PassingDisk(.byMount)
    let files = storage(disk)
    var resumeData = try partial(files, durable: 70_000)
    disk.remount()
    _ = try files.openPartialFile(resumeData)
    resumeData.lastWriteNanoseconds = nil
    disk.remount()
    _ = try files.openPartialFile(resumeData)
    #expect(files.beginning(of: resumeData.partialIdentity, byteCountMax: 2) == [0, 31])
  }

  // Fault 164
  @Test func `a file that another program put in its place is not touched`() throws {
    let disk = PassingDisk(.byMount)
    let files = storage(disk)
    let resumeData = try partial(files)
    let foreign = [UInt8](repeating: 7, count: bytes.count)
    try put(foreign, "b")
    rename(scratch.path + "/b", resumeData.partialPath)
    disk.remount()
    #expect(reopening(resumeData, files)?.code == .partialFileChanged)
    files.removePartialFile(resumeData.partialIdentity)
    #expect(!files.movePartialFile(resumeData.partialIdentity, toName: ".bin"))
    #expect(Disk.bytes(at: resumeData.partialPath) == foreign)
  }

  // Fault 164
  @Test func `a finished file that was changed stays, whatever its number`() throws {
    let disk = PassingDisk(.byMount)
    let files = storage(disk)
    let finished = try files.finish(try partial(files), onConflict: .rename)
    // The same size and beginning, but written later.
    let modified = try #require(finished.identity?.modifiedNanoseconds)
    Disk.setModified(finished.path, nanoseconds: modified + 3_000_000_000)
    #expect(!files.removeFinishedFile(finished))
    // FAT stores even seconds only.
    Disk.setModified(finished.path, nanoseconds: modified - 1_000_000_000)
    disk.remount()
    #expect(files.moveFinishedFile(finished, toName: ".bin"))
  }

  // Fault 165
  @Test(arguments: PassingDisk.Numbering.allCases)
  func `the bin returns or deletes what it holds`(
    _ numbering: PassingDisk.Numbering
  ) throws {
    let disk = PassingDisk(numbering)
    let files = storage(disk)
    let resumeData = try partial(files)
    var binned = resumeData.partialIdentity
    binned.path = scratch.path + "/.kettle-bin-1-1"
    #expect(files.movePartialFile(resumeData.partialIdentity, toName: ".kettle-bin-1-1"))
    disk.remount()
    #expect(files.restorePartialFile(resumeData, from: binned) == resumeData)
    #expect(files.movePartialFile(resumeData.partialIdentity, toName: ".kettle-bin-1-1"))
    disk.remount()
    files.removePartialFile(binned)
    #expect(Disk.names(in: scratch.path) == [])
    let finished = try files.finish(try partial(files), onConflict: .rename)
    var binnedFile = finished
    binnedFile.path = scratch.path + "/.kettle-bin-2-1"
    #expect(files.moveFinishedFile(finished, toName: ".kettle-bin-2-1"))
    disk.remount()
    #expect(files.restoreFinishedFile(finished, from: binnedFile) == finished)
    #expect(files.moveFinishedFile(finished, toName: ".kettle-bin-2-1"))
    disk.remount()
    #expect(files.removeFinishedFile(binnedFile))
  }

  // Fault 164
  @Test func `a record without a sample is trusted by its number alone`() throws {
    let disk = PassingDisk(.byMount)
    let files = storage(disk)
    var resumeData = try partial(files)
    resumeData.sample = nil
    _ = try files.openPartialFile(resumeData)
    disk.remount()
    #expect(reopening(resumeData, files)?.code == .partialFileChanged)
    #expect(Disk.names(in: scratch.path) == ["a.iso.part"])
  }

  @Test func `where numbers last, no sample is taken and another number is another file`() throws {
    // EXT4_SUPER_MAGIC, statfs(2).
    let disk = PassingDisk(.byMount, kind: 0xEF53)
    let files = storage(disk)
    let resumeData = try partial(files)
    #expect(resumeData.sample == nil)
    disk.remount()
    #expect(reopening(resumeData, files)?.code == .partialFileChanged)
  }

  @Test func `a file system that is not known is not relied on`() {
    #expect(InodeNumbers(kind: nil) == .passing)
    // MSDOS_SUPER_MAGIC and EXFAT_SUPER_MAGIC, linux/magic.h.
    #expect(InodeNumbers(kind: 0x4D44) == .passing)
    #expect(InodeNumbers(kind: 0x2011_BAB0) == .passing)
    #expect(InodeNumbers(kind: 0x0102_1994) == .lasting)
  }
}
