import Glibc
import KettleEngine
import KettleModel
import KettleScheduler
import Testing

@testable import KettleFiles

/// What a file system does not allow: long names, some characters, large files.
@Suite struct NameLimitTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func storage(
    byteCountMax: Int, _ change: (inout FileCalls) -> Void = { _ in }
  ) -> POSIXFileStorage {
    var calls = FileCalls.kernel
    calls.nameByteCountMax = { _ in byteCountMax }
    change(&calls)
    return POSIXFileStorage(documentsDirectory: scratch.path, calls: calls)
  }

  // Fault 171
  @Test(arguments: [143, 189, 255])
  func `a name is cut to what the file system stores, with room for a number`(limit: Int) throws {
    let files = storage(byteCountMax: limit)
    let long = String(repeating: "n", count: 300) + ".tar.gz"
    let name = files.fitted(long, in: scratch.path)
    #expect(name.hasSuffix("n.tar.gz"))
    #expect((name + " (9999).part").utf8.count == limit)
    #expect(files.fitted("short.iso", in: scratch.path) == "short.iso")
    // The directory is still to be made.
    let later = POSIXFileStorage(
      documentsDirectory: scratch.path + "/a/b", calls: files.calls)
    #expect(later.fitted(long, in: scratch.path + "/a/b") == name)
  }

  // Fault 171
  @Test func `only the partial file is shortened when the name itself fits`() throws {
    let files = storage(byteCountMax: 143)
    let name = String(repeating: "n", count: 139) + ".iso"
    let file = try files.createPartialFile(
      in: scratch.path, preferredName: name, onConflict: .rename)
    #expect(file.finalName == name)
    #expect(Disk.names(in: scratch.path) == [String(repeating: "n", count: 134) + ".iso.part"])
    try file.write([1])
    _ = try file.sync()
    let finished = try files.finish(file.resumeData(durable: 1, total: 1), onConflict: .rename)
    #expect(finished.path == scratch.path + "/" + name)
  }

  @Test func `a limit that is not stated is the usual one`() throws {
    let directory = try Directory(scratch.path, calls: storage(byteCountMax: -1).calls)
    #expect(directory.nameByteCountMax == 255)
    #expect(directory.partialName(for: "a.iso") == "a.iso.part")
  }

  // Fault 171
  @Test(arguments: [
    (ENAMETOOLONG, "a", TransferFailure.Code.fileProblem, "ENAMETOOLONG"),
    (EFBIG, "a", .fileProblem, "EFBIG"),
    (EINVAL, "a", .fileProblem, "EINVAL for this name"),
    (ENOENT, "Ep 1: why?.mkv", .fileProblem, "ENOENT for this name"),
    (EPERM, "Ep 1: why?.mkv", .fileProblem, "EPERM for this name"),
    (EIO, "trailing.", .fileProblem, "EIO for this name"),
    (ENOENT, "plain.mkv", .directoryMissing, "ENOENT"),
    (EPERM, "plain.mkv", .directoryUnwritable, "EPERM"),
    (ENOSPC, "a:b", .diskFull, "ENOSPC"),
  ])
  func `an error about the name is about the name`(
    _ number: Int32, _ name: String, _ code: TransferFailure.Code, _ detail: String
  ) throws {
    let directory = try Directory(scratch.path)
    let failure = directory.failure(Errno(rawValue: number), onName: name)
    let isOfName = code == .fileProblem
    #expect(
      failure
        == TransferFailure(
          code, on: isOfName ? scratch.path + "/" + name : scratch.path, detail: detail))
  }

  // Fault 171
  @Test func `a directory that is missing is not blamed on the name`() throws {
    let files = POSIXFileStorage(documentsDirectory: scratch.path)
    let problem = failure { () throws(TransferFailure) in
      try files.createPartialFile(
        in: scratch.path + "/none", preferredName: "a: b?", onConflict: .rename)
    }
    #expect(problem?.code == .directoryMissing)
    let gone = try Directory(scratch.path)
    let parent = scratch.path + "/removed"
    mkdir(parent, 0o700)
    let removed = try Directory(parent)
    rmdir(parent)
    #expect(removed.failure(Errno(rawValue: ENOENT), onName: "a:b").code == .directoryMissing)
    #expect(gone.failure(Errno(rawValue: ENOENT), onName: "a:b").code == .fileProblem)
  }

  // Fault 172
  @Test func `FAT has no files of four gigabytes`() throws {
    // MSDOS_SUPER_MAGIC, linux/magic.h.
    let fat = storage(byteCountMax: 255) { $0.fileSystemKind = { _ in 0x4D44 } }
    #expect(fat.largestFileByteCount(at: scratch.path) == 0xFFFF_FFFF)
  }

  // Fault 168
  @Test func `a device or a FIFO is seen, through a link too`() throws {
    mkfifo(scratch.path + "/fifo", 0o600)
    symlink("/dev/null", scratch.path + "/null")
    try Disk.put([1], at: scratch.path + "/file")
    let files = POSIXFileStorage(documentsDirectory: scratch.path)
    #expect(["fifo", "null"].allSatisfy { files.isSpecial(at: scratch.path + "/" + $0) })
    #expect(["file", "none", "."].allSatisfy { !files.isSpecial(at: scratch.path + "/" + $0) })
  }

  @Test func `a directory that cannot be synced is no obstacle, a disk error is one`() throws {
    let directory = { (number: Int32) throws -> Directory in
      var calls = FileCalls.kernel
      calls.syncAll = { _ in
        errno = number
        return -1
      }
      return try Directory(scratch.path, calls: calls)
    }
    try directory(EINVAL).sync()
    #expect(throws: Errno(rawValue: EIO)) { try directory(EIO).sync() }
  }
}
