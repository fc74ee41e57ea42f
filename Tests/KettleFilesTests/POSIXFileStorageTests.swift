import Dispatch
import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing

@testable import KettleFiles

/// Tests that need a real file system.
@Suite struct POSIXFileStorageTests {
  private let scratch: ScratchDirectory
  private let directory: String
  private let files: POSIXFileStorage
  private let bytes: [UInt8] = Array("the whole file".utf8)

  init() throws {
    scratch = try ScratchDirectory()
    directory = scratch.path + "/some/where/documents"
    files = POSIXFileStorage(documentsDirectory: directory + "/")
  }

  private func create(
    _ name: String, _ policy: ConflictPolicy = .rename
  ) throws(TransferFailure) -> any PartialFile {
    try files.createPartialFile(in: directory, preferredName: name, onConflict: policy)
  }

  private func open(_ resumeData: ResumeData) -> TransferFailure? {
    failure { () throws(TransferFailure) in try files.openPartialFile(resumeData) }
  }

  /// The umask of the process, read from /proc because umask(2) would change it.
  private func umaskOfProcess() throws -> mode_t {
    let status = try #require(Disk.bytes(at: "/proc/self/status"))
    let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
    let line = try #require(lines.first { $0.hasPrefix("Umask:") })
    return try #require(mode_t(line.drop { !$0.isNumber }, radix: 8))
  }

  // MARK: Directories and permissions

  @Test func `the documents directory and its missing parents are created`() throws {
    _ = try create("a")
    let mode = try 0o755 & ~umaskOfProcess()
    #expect(Disk.mode(of: directory) == mode)
    #expect(Disk.mode(of: scratch.path + "/some") == mode)
    #expect(Disk.names(in: directory) == ["a.part"])
  }

  @Test func `the directory for held files is private to the user`() throws {
    let held = scratch.path + "/state/kettle/held"
    let files = POSIXFileStorage(documentsDirectory: directory, heldDirectory: held + "/")
    #expect(files.freeBytes(at: held) != nil)
    _ = try files.createPartialFile(in: held, preferredName: "a", onConflict: .rename)
    let mode = try 0o700 & ~umaskOfProcess()
    #expect(Disk.mode(of: held) == mode)
    #expect(Disk.mode(of: scratch.path + "/state") == mode)
    #expect(Disk.names(in: held) == ["a.part"])
  }

  // Fault 81
  @Test func `a file in place of a parent of the documents directory is reported`() throws {
    try Disk.put([1], at: scratch.path + "/some")
    let failure = failure { () throws(TransferFailure) in try create("a") }
    #expect(
      failure == TransferFailure(.directoryMissing, on: directory, detail: "ENOTDIR"))
  }

  // Fault 91
  // Fault 94
  @Test func `a partial file respects the umask and is never executable`() throws {
    let file = try create("script.sh")
    #expect(Disk.mode(of: file.path) == (try 0o666 & ~umaskOfProcess()))
  }

  // Fault 94
  @Test func `a file is no more readable than the one that it replaces`() throws {
    _ = try create("x")
    try Disk.put([1], at: directory + "/a")
    chmod(directory + "/a", 0o600)
    let file = try create("a", .replace)
    try file.write(bytes)
    _ = try file.sync()
    _ = try files.finish(
      file.resumeData(durable: bytes.count, total: bytes.count), onConflict: .replace)
    #expect(Disk.mode(of: directory + "/a") == 0o600)
    #expect(Disk.bytes(at: directory + "/a") == bytes)
  }

  // Fault 84
  @Test func `hard links to a replaced file keep its bytes`() throws {
    _ = try create("x")
    try Disk.put([1], at: directory + "/a")
    #expect(link(directory + "/a", directory + "/other") == 0)
    let file = try create("a", .replace)
    try file.write(bytes)
    _ = try file.sync()
    _ = try files.finish(
      file.resumeData(durable: bytes.count, total: bytes.count), onConflict: .replace)
    #expect(Disk.bytes(at: directory + "/other") == [1])
  }

  // MARK: Names

  // Fault 86
  // Fault 89
  @Test(arguments: [
    "", ".", "..", "a/b", "/etc/passwd", "a\u{0}b", String(repeating: "x", count: 251),
  ])
  func `a name that is not a path component is refused before any change`(_ name: String) throws {
    let failure = failure { () throws(TransferFailure) in try create(name) }
    #expect(failure?.code == .fileProblem)
    #expect(failure?.detail == "not the name of a file")
    #expect(Disk.names(in: scratch.path) == [])
  }

  // Fault 89
  @Test func `the longest name can be created, numbered and finished`() throws {
    let name = String(repeating: "é", count: 123) + ".iso"
    _ = try create(name)
    let second = try create(name)
    #expect(second.finalName.hasSuffix(" (2).iso"))
    try second.write(bytes)
    _ = try second.sync()
    let finished = try files.finish(
      second.resumeData(durable: bytes.count, total: bytes.count), onConflict: .rename)
    #expect(Disk.bytes(at: finished.path) == bytes)
  }

  // Fault 85
  @Test func `1,000 parallel transfers of one name get 1,000 names, and none overwrites another`()
    throws
  {
    let names = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 1000) { number in
      guard let file = try? create("a.tar.gz") else { return }
      let content = Array("\(number)".utf8)
      guard (try? file.write(content)) != nil,
        let finished = try? files.finish(
          file.resumeData(durable: content.count, total: content.count), onConflict: .rename),
        Disk.bytes(at: finished.path) == content
      else { return }
      names.withLock { $0.append(finished.path) }
    }
    let all = names.withLock { $0 }
    #expect(all.count == 1000)
    #expect(Set(all).count == 1000)
    let contents = Set(
      all.compactMap { Disk.bytes(at: $0) }.map { String(decoding: $0, as: UTF8.self) })
    #expect(contents == Set((0..<1000).map(String.init)))
    #expect(Disk.names(in: directory).count == 1000)
  }

  // MARK: Links and special files

  // Fault 83
  @Test func `a link at the partial or final name counts as taken and is not followed`() throws {
    _ = try create("x")
    let victim = scratch.path + "/victim"
    #expect(symlink(victim, directory + "/a.part") == 0)
    #expect(symlink(victim, directory + "/b") == 0)
    #expect(try create("a").finalName == "a (2)")
    #expect(try create("b").finalName == "b (2)")
    #expect(Disk.status(of: victim) == nil)
  }

  // Fault 22
  // Fault 83
  // Fault 84
  @Test func `a link, a FIFO or a directory in place of the partial file is reported`() throws {
    let file = try create("a")
    let resumeData = file.resumeData(durable: 0)
    let told = TransferFailure(
      .partialFileChanged, on: file.path, detail: "it is no regular file")
    #expect(rename(file.path, file.path + ".moved") == 0)
    #expect(symlink(file.path + ".moved", file.path) == 0)
    #expect(open(resumeData) == told)
    unlink(file.path)
    #expect(mkfifo(file.path, 0o600) == 0)
    #expect(open(resumeData) == told)
    unlink(file.path)
    #expect(mkdir(file.path, 0o700) == 0)
    #expect(open(resumeData) == told)
    files.removePartialFile(resumeData.partialIdentity)
    #expect(Disk.status(of: file.path) != nil)
  }

  // Fault 84
  @Test func `replace replaces only a regular file`() throws {
    _ = try create("x")
    let victim = scratch.path + "/victim"
    try Disk.put([1], at: victim)
    #expect(mkdir(directory + "/folder", 0o700) == 0)
    #expect(mkfifo(directory + "/fifo", 0o600) == 0)
    #expect(symlink(victim, directory + "/link") == 0)
    for name in ["folder", "fifo", "link"] {
      let early = failure { () throws(TransferFailure) in try create(name, .replace) }
      #expect(early == TransferFailure(.nameTaken, on: directory + "/" + name))
    }
    // The same if it appeared after the transfer started.
    let file = try create("late", .replace)
    try file.write(bytes)
    #expect(mkfifo(directory + "/late", 0o600) == 0)
    let late = failure { () throws(TransferFailure) in
      try files.finish(
        file.resumeData(durable: bytes.count, total: bytes.count), onConflict: .replace)
    }
    #expect(late == TransferFailure(.nameTaken, on: directory + "/late"))
    #expect(Disk.bytes(at: victim) == [1])
    #expect(Disk.bytes(at: file.path) == bytes)
  }

  // MARK: Disks

  // Fault 81
  @Test func `a partial file is recognized after the device number of its disk changes`() throws {
    let file = try create("a")
    try file.write(bytes)
    _ = try file.sync()
    var resumeData = file.resumeData(durable: bytes.count, total: bytes.count)
    resumeData.device += 1
    #expect(open(resumeData) == nil)
    let finished = try files.finish(resumeData, onConflict: .rename)
    #expect(files.finishedFile(of: resumeData) == finished)
  }

  // Fault 81
  @Test func `a partial file on an unmounted disk is not given up`() throws {
    let file = try create("a")
    var resumeData = file.resumeData(durable: 0)
    resumeData.device += 1
    unlink(file.path)
    #expect(
      open(resumeData)
        == TransferFailure(
          .directoryMissing, on: directory, detail: "another disk is in its place"))
  }

  // Fault 81
  @Test func `opening a partial file does not recreate its missing directory`() throws {
    let file = try create("a")
    ScratchDirectory.remove(directory)
    #expect(
      open(file.resumeData(durable: 0))
        == TransferFailure(.directoryMissing, on: directory, detail: "ENOENT"))
    #expect(Disk.status(of: directory) == nil)
  }

  @Test func `resume data without an absolute file path is refused`() throws {
    _ = try create("a")
    for path in ["", "a.part", "../a.part", "/", directory + "/"] {
      let resumeData = ResumeData(
        partialPath: path, device: 1, inode: 1, durable: ByteRangeSet(), totalByteCount: nil,
        validator: nil, finalName: "a")
      #expect(open(resumeData)?.code == .partialFileChanged)
    }
  }

  // Fault 86
  @Test func `a final name that leaves the directory is refused`() throws {
    let file = try create("a")
    var resumeData = file.resumeData(durable: 0, total: 0)
    resumeData.finalName = "../a"
    let failure = failure { () throws(TransferFailure) in
      try files.finish(resumeData, onConflict: .replace)
    }
    #expect(failure?.code == .partialFileChanged)
    #expect(Disk.status(of: file.path) != nil)
  }

  @Test func `free bytes are those available to an unprivileged user`() throws {
    let free = try #require(files.freeBytes(at: scratch.path))
    var status = statvfs()
    #expect(statvfs(scratch.path, &status) == 0)
    let total = Int64(status.f_blocks) * Int64(status.f_frsize)
    #expect(free > 0 && free <= total)
    #expect(files.freeBytes(at: directory) != nil)
  }
}
