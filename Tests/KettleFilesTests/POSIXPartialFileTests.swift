import Glibc
import KettleEngine
import KettleModel
import Testing

@testable import KettleFiles

@Suite struct POSIXPartialFileTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func partialFile(_ descriptor: Int32) -> POSIXPartialFile {
    POSIXPartialFile(
      existing: OpenFile(owning: descriptor), path: "/x/a.part", finalName: "a",
      identity: FileIdentity(device: 1, inode: 2, byteCount: 0, modifiedNanoseconds: 0))
  }

  // Fault 71
  @Test func `a full disk is reported with the path`() {
    let file = partialFile(open("/dev/full", O_RDWR))
    let failure = failure { () throws(TransferFailure) in try file.write([1, 2, 3]) }
    #expect(failure == TransferFailure(.diskFull, on: "/x/a.part", detail: "ENOSPC"))
  }

  // Fault 73
  @Test func `a file larger than the file system allows is reported`() throws {
    let file = partialFile(open(scratch.path + "/a", O_RDWR | O_CREAT, 0o600))
    let failure = failure { () throws(TransferFailure) in try file.write([1], at: .max - 1) }
    #expect(failure == TransferFailure(.fileProblem, on: "/x/a.part", detail: "EFBIG"))
  }

  @Test func `a negative offset is an error and writes nothing`() throws {
    let file = partialFile(open(scratch.path + "/a", O_RDWR | O_CREAT, 0o600))
    #expect(
      failure { () throws(TransferFailure) in try file.write([1], at: -1) }?.detail == "EINVAL")
    #expect(failure { () throws(TransferFailure) in try file.truncate(to: -1) }?.detail == "EINVAL")
    #expect(Disk.bytes(at: scratch.path + "/a") == [])
  }

  // Fault 22
  // Fault 78
  @Test(arguments: [0, 1, 4095, 65_536])
  func `a file with a hole in place of its bytes is not renamed`(shortenedTo: Int) throws {
    let files = POSIXFileStorage(documentsDirectory: scratch.path)
    let file = try files.createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
    let content = [UInt8](repeating: 7, count: 200_000)
    try file.write(content)
    _ = try file.sync()
    let resumeData = file.resumeData(durable: content.count, total: content.count)
    try #require(truncate(file.path, off_t(shortenedTo)) == 0)
    try #require(truncate(file.path, off_t(content.count)) == 0)
    let told = failure { () throws(TransferFailure) in
      try files.finish(resumeData, onConflict: .rename)
    }
    #expect(
      told
        == TransferFailure(
          .partialFileChanged, on: file.path, detail: "a part of it is missing"))
    #expect(Disk.names(in: scratch.path) == ["a.part"])
  }

  @Test func `written zeros do not count as a hole`() throws {
    let files = POSIXFileStorage(documentsDirectory: scratch.path)
    let file = try files.createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
    let content = [UInt8](repeating: 0, count: 3 << 20)
    try file.write(content)
    _ = try file.sync()
    let resumeData = file.resumeData(durable: content.count, total: content.count)
    #expect(try files.finish(resumeData, onConflict: .rename).path == scratch.path + "/a")
  }

  // Fault 74
  @Test func `a failed sync makes every later sync fail`() throws {
    // fdatasync(2) on a device without storage fails; then the descriptor is redirected to a good
    // file.
    let descriptor = open("/dev/full", O_RDWR)
    let file = partialFile(descriptor)
    let first = failure { () throws(TransferFailure) in try file.sync() }
    #expect(first == TransferFailure(.fileProblem, on: "/x/a.part", detail: "EINVAL"))
    let good = open(scratch.path + "/a", O_RDWR | O_CREAT, 0o600)
    #expect(dup2(good, descriptor) == descriptor)
    close(good)
    try file.write([1])
    #expect(failure { () throws(TransferFailure) in try file.sync() } == first)
  }

  @Test func `a write of 4 MiB is complete`() throws {
    let path = scratch.path + "/a"
    let file = partialFile(open(path, O_RDWR | O_CREAT, 0o600))
    let content = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    try file.write(content, at: 5)
    _ = try file.sync()
    #expect(Disk.bytes(at: path) == [0, 0, 0, 0, 0] + content)
  }

  @Test func `a file closes when its last reference is released`() throws {
    let descriptor = open(scratch.path + "/a", O_RDWR | O_CREAT, 0o600)
    do { _ = partialFile(descriptor) }
    // Another file may have got the descriptor number meanwhile, but not this file's inode.
    var status = stat()
    let isOpen = fstat(descriptor, &status) == 0
    #expect(!isOpen || Disk.status(of: scratch.path + "/a")?.st_ino != status.st_ino)
  }
}
