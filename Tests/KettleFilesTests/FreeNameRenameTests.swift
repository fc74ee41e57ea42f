import Dispatch
import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing

@testable import KettleFiles

@Suite struct FreeNameRenameTests {
  private let scratch: ScratchDirectory
  private let directory: Directory

  init() throws {
    scratch = try ScratchDirectory()
    directory = try Directory(scratch.path)
  }

  private func rename(
    _ way: FreeNameRename.Way, _ name: String, _ newName: String
  ) -> Errno? {
    do throws(Errno) {
      try FreeNameRename(ways: [way]).rename(name, to: newName, in: directory)
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: FreeNameRename.Way.allCases)
  func `each way renames a file to a free name`(_ way: FreeNameRename.Way) throws {
    try Disk.put([1, 2], at: scratch.path + "/a.part")
    #expect(rename(way, "a.part", "a") == nil)
    #expect(Disk.names(in: scratch.path) == ["a"])
    #expect(Disk.bytes(at: scratch.path + "/a") == [1, 2])
  }

  // Fault 84
  // Fault 85
  @Test(arguments: FreeNameRename.Way.allCases)
  func `no way replaces a file, a directory or a dangling link`(
    _ way: FreeNameRename.Way
  ) throws {
    try Disk.put([1], at: scratch.path + "/a.part")
    try Disk.put([9], at: scratch.path + "/file")
    #expect(mkdir(scratch.path + "/folder", 0o700) == 0)
    #expect(symlink("/nowhere", scratch.path + "/link") == 0)
    for name in ["file", "folder", "link"] {
      #expect(rename(way, "a.part", name)?.name == "EEXIST")
    }
    #expect(Disk.names(in: scratch.path) == ["a.part", "file", "folder", "link"])
    #expect(Disk.bytes(at: scratch.path + "/file") == [9])
  }

  // Fault 85
  @Test(arguments: FreeNameRename.Way.allCases)
  func `exactly one of 50 concurrent renames to one name succeeds`(_ way: FreeNameRename.Way) throws
  {
    for number in 0..<50 { try Disk.put([UInt8(number)], at: scratch.path + "/\(number).part") }
    let winners = Mutex<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 50) { number in
      if rename(way, "\(number).part", "a") == nil { winners.withLock { $0.append(number) } }
    }
    let all = winners.withLock { $0 }
    #expect(all.count == 1)
    #expect(Disk.bytes(at: scratch.path + "/a") == all.map { UInt8($0) })
    #expect(Disk.names(in: scratch.path).count == 50)
  }

  @Test(arguments: FreeNameRename.Way.allCases)
  func `a missing file leaves nothing under the new name`(_ way: FreeNameRename.Way) {
    #expect(rename(way, "missing.part", "a")?.name == "ENOENT")
    #expect(Disk.names(in: scratch.path) == [])
  }

  /// What file systems return for a call that they do not have.
  private static let refusals = [
    EINVAL, ENOSYS, EOPNOTSUPP, EPERM, EACCES, EIO, EOVERFLOW, EMLINK, EXDEV,
  ]

  // Fault 166
  @Test(arguments: refusals, refusals)
  func `whatever number means that a call is missing, the next way is used`(
    _ ofRename: Int32, _ ofLink: Int32
  ) throws {
    var calls = FileCalls.kernel
    calls.renameToFree = { _, _, _ in
      errno = ofRename
      return -1
    }
    calls.link = { _, _, _ in
      errno = ofLink
      return -1
    }
    let refusing = try Directory(scratch.path, calls: calls)
    try Disk.put([1, 2], at: scratch.path + "/a.part")
    try Disk.put([9], at: scratch.path + "/b")
    #expect(throws: Errno(rawValue: EEXIST)) {
      try FreeNameRename().rename("a.part", to: "b", in: refusing)
    }
    try FreeNameRename().rename("a.part", to: "a", in: refusing)
    #expect(Disk.bytes(at: scratch.path + "/a") == [1, 2])
    #expect(Disk.bytes(at: scratch.path + "/b") == [9])
    #expect(Disk.names(in: scratch.path) == ["a", "b"])
  }

  // Fault 166
  @Test func `a full disk or a missing directory is not taken for a missing call`() throws {
    for number in [ENOSPC, EDQUOT, EROFS, ENOENT, EEXIST] {
      #expect(!SystemError(number).mayMeanUnsupported)
    }
  }

  // Fault 79
  @Test func `an interrupted rename by link is completed`() throws {
    let files = POSIXFileStorage(documentsDirectory: scratch.path)
    for policy in ConflictPolicy.allCases {
      let file = try files.createPartialFile(
        in: scratch.path, preferredName: "a", onConflict: policy)
      try file.write([1, 2, 3])
      _ = try file.sync()
      #expect(link(file.path, scratch.path + "/a") == 0)
      let resumeData = file.resumeData(durable: 3, total: 3)
      #expect(files.finishedFile(of: resumeData) == nil)
      let finished = try files.finish(resumeData, onConflict: policy)
      #expect(finished.path == scratch.path + "/a")
      #expect(Disk.names(in: scratch.path) == ["a"])
      unlink(finished.path)
    }
  }

  @Test(arguments: FreeNameRename.Way.allCases)
  func `a storage works on a file system that supports only one way`(
    _ way: FreeNameRename.Way
  ) throws {
    let files = POSIXFileStorage(
      documentsDirectory: scratch.path, freeNameRename: FreeNameRename(ways: [way]))
    let file = try files.createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
    try file.write([1, 2, 3])
    _ = try file.sync()
    try Disk.put([9], at: scratch.path + "/a")
    let finished = try files.finish(
      file.resumeData(durable: 3, total: 3), onConflict: .rename)
    #expect(finished.path == scratch.path + "/a (2)")
    #expect(Disk.bytes(at: finished.path) == [1, 2, 3])
    #expect(files.removeFinishedFile(finished))
  }
}
