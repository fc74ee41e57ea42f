import Glibc
import KettleEngine
import KettleModel
import Testing

@testable import KettleFiles

/// Disks that are full, read-only, missing or replaced.
@Suite(.enabled(if: ScratchDisk.isPossible, "Mounting a disk takes root"))
struct DiskFaultTests {
  private let bytes: [UInt8] = Array("the whole file".utf8)

  private func storage(_ disk: ScratchDisk) -> POSIXFileStorage {
    POSIXFileStorage(documentsDirectory: disk.path)
  }

  private func create(
    _ name: String, _ disk: ScratchDisk
  ) throws(TransferFailure) -> any PartialFile {
    try storage(disk).createPartialFile(
      in: disk.path, preferredName: name, onConflict: .rename)
  }

  // Fault 71
  @Test func `a full disk is reported, keeps the written bytes and accepts more with free space`()
    throws
  {
    let disk = try ScratchDisk("size=1m")
    let ballast = disk.path + "/ballast"
    try Disk.put([UInt8](repeating: 1, count: 600 << 10), at: ballast)
    let file = try create("a", disk)
    let piece = [UInt8](repeating: 7, count: 64 << 10)
    var written = 0
    var told: TransferFailure?
    while told == nil, written < 2 << 20 {
      told = failure { () throws(TransferFailure) in try file.write(piece, at: Int64(written)) }
      if told == nil { written += piece.count }
    }
    #expect(told == TransferFailure(.diskFull, on: file.path, detail: "ENOSPC"))
    #expect(storage(disk).freeBytes(at: disk.path) == 0)
    #expect(try file.read(written) == [UInt8](repeating: 7, count: written))
    unlink(ballast)
    try file.write(piece, at: Int64(written))
    _ = try file.sync()
    let size = written + piece.count
    let finished = try storage(disk).finish(
      file.resumeData(durable: size, total: size), onConflict: .rename)
    #expect(Disk.bytes(at: finished.path) == [UInt8](repeating: 7, count: size))
  }

  // Fault 73
  @Test func `a disk without free inodes is reported as full`() throws {
    let disk = try ScratchDisk("size=1m,nr_inodes=3")
    _ = try create("a", disk)
    _ = try create("b", disk)
    let told = failure { () throws(TransferFailure) in try create("c", disk) }
    #expect(told == TransferFailure(.diskFull, on: disk.path, detail: "ENOSPC"))
  }

  // MARK: Disks that disappear

  /// A complete partial file that is not open.
  private func whole(_ disk: ScratchDisk) throws(TransferFailure) -> ResumeData {
    let file = try create("a", disk)
    try file.write(bytes)
    _ = try file.sync()
    return file.resumeData(durable: bytes.count, total: bytes.count)
  }

  private func finish(_ resumeData: ResumeData, _ disk: ScratchDisk) -> TransferFailure? {
    failure { () throws(TransferFailure) in
      try storage(disk).finish(resumeData, onConflict: .rename)
    }
  }

  private func open(_ resumeData: ResumeData, _ disk: ScratchDisk) -> TransferFailure? {
    failure { () throws(TransferFailure) in try storage(disk).openPartialFile(resumeData) }
  }

  // Fault 81
  @Test func `a disk that becomes read-only reports every failure and loses nothing`() throws {
    let disk = try ScratchDisk("size=1m")
    let resumeData = try whole(disk)
    try #require(disk.makeReadOnly())
    let told = TransferFailure(.directoryUnwritable, on: disk.path, detail: "EROFS")
    #expect(failure { () throws(TransferFailure) in try create("b", disk) } == told)
    #expect(finish(resumeData, disk) == told)
    #expect(
      open(resumeData, disk)
        == TransferFailure(.fileProblem, on: resumeData.partialPath, detail: "EROFS"))
    storage(disk).removePartialFile(resumeData.partialIdentity)
    #expect(Disk.bytes(at: resumeData.partialPath) == bytes)
  }

  // Fault 81
  @Test func `a disk mounted over the directory causes no creation, data loss or deletion`() throws
  {
    let disk = try ScratchDisk("size=1m")
    let resumeData = try whole(disk)
    try #require(disk.cover())
    let told = TransferFailure(
      .directoryMissing, on: disk.path, detail: "another disk is in its place")
    #expect(open(resumeData, disk) == told)
    #expect(finish(resumeData, disk) == told)
    #expect(
      failure { () throws(TransferFailure) in
        try storage(disk).createPartialFile(insteadOf: resumeData)
      } == told)
    #expect(storage(disk).finishedFile(of: resumeData) == nil)
    storage(disk).removePartialFile(resumeData.partialIdentity)
    #expect(Disk.names(in: disk.path) == [])
    // The first disk is visible again.
    disk.unmount()
    #expect(open(resumeData, disk) == nil)
    #expect(finish(resumeData, disk) == nil)
  }

  // Fault 81
  @Test func `an open file can be written after its disk is unmounted`() throws {
    let disk = try ScratchDisk("size=1m")
    let file = try create("a", disk)
    try file.write(bytes)
    disk.unmount()
    try file.write(bytes, at: Int64(bytes.count))
    _ = try file.sync()
    let resumeData = file.resumeData(durable: 2 * bytes.count, total: 2 * bytes.count)
    // The directory under the mount point is empty and on another device.
    #expect(finish(resumeData, disk)?.code == .directoryMissing)
    #expect(Disk.names(in: disk.path) == [])
  }

  // Fault 82
  @Test func `a directory that links to another disk is used for partial and finished files`()
    throws
  {
    let disk = try ScratchDisk("size=1m")
    let scratch = try ScratchDirectory()
    let link = scratch.path + "/documents"
    #expect(symlink(disk.path, link) == 0)
    let files = POSIXFileStorage(documentsDirectory: link)
    let file = try files.createPartialFile(in: link, preferredName: "a", onConflict: .rename)
    try file.write(bytes)
    let finished = try files.finish(
      file.resumeData(durable: bytes.count, total: bytes.count), onConflict: .rename)
    #expect(finished.path == link + "/a")
    #expect(Disk.names(in: disk.path) == ["a"])
  }
}
