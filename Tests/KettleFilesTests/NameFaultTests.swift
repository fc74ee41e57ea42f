import Dispatch
import Glibc
import KettleEngine
import KettleModel
import KettleScheduler
import KettleSystem
import Testing
import TestSupport

@testable import KettleFiles

/// Untrusted names, contended names, and the permissions of the files.
@Suite struct NameFaultTests {
  private let scratch: ScratchDirectory
  private let directory: String
  private let files: POSIXFileStorage
  private let bytes: [UInt8] = Array("the whole file".utf8)

  init() throws {
    scratch = try ScratchDirectory()
    directory = scratch.path + "/documents"
    files = POSIXFileStorage(documentsDirectory: directory)
  }

  private func create(
    _ name: String, _ policy: ConflictPolicy = .rename
  ) throws(TransferFailure) -> any PartialFile {
    try files.createPartialFile(in: directory, preferredName: name, onConflict: policy)
  }

  private func finished(_ name: String) throws -> FinishedFile {
    let file = try create(name)
    try file.write(bytes)
    _ = try file.sync()
    return try files.finish(
      file.resumeData(durable: bytes.count, total: bytes.count), onConflict: .rename)
  }

  @Test func `of many files for one name each is created once, after few questions`() throws {
    let createdCount = Mutex(0)
    let askedCount = Mutex(0)
    var calls = FileCalls.kernel
    calls.openUnnamed = {
      createdCount.withLock { $0 += 1 }
      return openat($0, ".", $1, 0o666)
    }
    calls.statusOfName = {
      askedCount.withLock { $0 += 1 }
      return fstatat($0, $1, $2, AT_SYMLINK_NOFOLLOW)
    }
    mkdir(directory, 0o755)
    let files = POSIXFileStorage(documentsDirectory: directory, calls: calls)
    let count = 300
    for number in 1...count {
      let file = try files.createPartialFile(
        in: directory, preferredName: "a.iso", onConflict: .rename)
      #expect(file.finalName == (number == 1 ? "a.iso" : "a (\(number)).iso"))
    }
    #expect(createdCount.withLock { $0 } == count)
    #expect(askedCount.withLock { $0 } < count * 45)
  }

  // MARK: Other things in place of a file

  // Fault 85
  @Test(arguments: [
    ("dangling", "a link that leads to nothing"), ("loop", "a link that leads to itself"),
    ("below", "a link that leads to nothing"), ("directory", "a directory"),
    ("fifo", "not a regular file"), ("link", nil), ("file", nil),
  ])
  func `skip accepts only an existing regular file and never writes through a link`(
    name: String, detail: String?
  ) throws {
    mkdir(directory, 0o755)
    let target = scratch.path + "/target"
    try Disk.put([1], at: directory + "/file")
    symlink(target, directory + "/dangling")
    symlink("loop", directory + "/loop")
    symlink("file/below", directory + "/below")
    symlink("file", directory + "/link")
    mkdir(directory + "/directory", 0o755)
    mkfifo(directory + "/fifo", 0o600)
    let expected = TransferFailure(.nameTaken, on: directory + "/" + name, detail: detail)
    #expect(throws: expected) { _ = try create(name, .skip) }
    // The same if it appeared during the download.
    let late = try create("late", .skip)
    try late.write(bytes)
    _ = try late.sync()
    rename(directory + "/" + name, directory + "/late")
    if name == "loop" { symlink("late", directory + "/loop.new") }
    if name == "loop" { rename(directory + "/loop.new", directory + "/late") }
    let end = TransferFailure(.nameTaken, on: directory + "/late", detail: detail)
    #expect(throws: end) {
      try files.finish(
        late.resumeData(durable: bytes.count, total: bytes.count), onConflict: .skip)
    }
    #expect(access(target, F_OK) != 0)
    #expect(Disk.bytes(at: directory + "/late.part") == bytes)
  }

  // MARK: Contention for a name

  // Fault 85
  @Test func `10,000 parallel reservations of 100 names create 10,000 files`() throws {
    let finalNames = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 10_000) { number in
      guard let file = try? create("file \(number % 100).tar.gz"),
        (try? file.write(Array("\(number)".utf8))) != nil
      else { return }
      finalNames.withLock { $0.append(file.finalName) }
    }
    let all = finalNames.withLock { $0 }
    #expect(all.count == 10_000)
    #expect(Set(all).count == 10_000)
    let names = Disk.names(in: directory)
    #expect(Set(names) == Set(all.map { $0 + ".part" }))
    let contents = Set(
      names.compactMap { Disk.bytes(at: directory + "/" + $0) }
        .map { String(decoding: $0, as: UTF8.self) })
    #expect(contents.count == 10_000)
    // Numbered without gaps: 100 of each name.
    #expect(all.contains("file 7 (100).tar.gz") && !all.contains("file 7 (101).tar.gz"))
  }

  // Fault 85
  @Test func `a race for one name with other programs overwrites nothing`()
    throws
  {
    _ = try create("x")
    let overwritten = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: 400) { number in
      if number.isMultiple(of: 2) {
        let path = directory + "/a"
        let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_EXCL, 0o644)
        guard descriptor >= 0 else { return }
        var made = stat()
        fstat(descriptor, &made)
        close(descriptor)
        // Still the other program's file if it was not replaced.
        if Disk.status(of: path)?.st_ino != made.st_ino { overwritten.withLock { $0 += 1 } }
        rename(path, directory + "/kept \(number)")
      } else {
        _ = try? finished("a")
      }
    }
    #expect(overwritten.withLock { $0 } == 0)
    let sizes = Disk.names(in: directory).compactMap { name in
      Disk.bytes(at: directory + "/" + name).map { (name, $0.count) }
    }
    for (name, size) in sizes where name != "x.part" {
      #expect(size == (name.hasPrefix("kept") ? 0 : bytes.count), "\(name)")
    }
    #expect(sizes.count { $0.1 == bytes.count } == 200)
  }

  // MARK: Hostile names

  // Fault 86
  // Fault 87
  // Fault 88
  // Fault 91
  @Test(arguments: [
    "../../etc/passwd", "/etc/passwd", "..\\..\\boot.ini", "C:\\x", "%2e%2e%2fx", "....//x",
    "//server/share/x", "", ".", "..", "~", "~/.ssh/authorized_keys", "a\u{0}b", "a\nb",
    "\u{1B}[31mred", "\u{1B}]0;title\u{7}", "\u{7F}", "a\u{85}\u{9B}31m", "invoice\u{202E}fdp.exe",
    "zero\u{200B}width", "-rf", "--help", ".bashrc", ".ssh", "name.", "name ", "con", "aux.txt",
    "$(reboot)", "`reboot`", "a;b|c&d", "a.pdf.desktop", "*?<>\"", "\u{FFFD}\u{FFFD}",
    String(repeating: "x", count: 300), String(repeating: "é", count: 200) + ".tar.gz",
    "e" + String(repeating: "\u{301}", count: 300), "🏳️‍🌈" + String(repeating: "🧑‍🚀", count: 60),
  ])
  func `any name from a server becomes one plain file in the directory`(_ text: String) throws {
    guard let name = FileName.sanitized(text) else { return }
    let finished = try finished(name)
    #expect(Disk.names(in: scratch.path) == ["documents"])
    #expect(Disk.names(in: directory) == [name])
    #expect(finished.path == directory + "/" + name)
    let status = try #require(Disk.status(of: finished.path))
    #expect(status.st_mode & S_IFMT == S_IFREG && status.st_mode & 0o7111 == 0)
    #expect(!name.hasPrefix("-") && !name.hasPrefix("."))
    #expect(!name.unicodeScalars.contains { $0.value < 32 || $0 == "/" || $0 == "\\" })
  }

  // Fault 86
  // Fault 88
  @Test(arguments: ["-rf", ".bashrc", "$(reboot)", "a b", "name.", "con", "\u{1B}[31m"])
  func `a valid name chosen by the user is used unchanged`(_ name: String) throws {
    #expect(try finished(name).path == directory + "/" + name)
    #expect(Disk.names(in: directory) == [name])
  }

  // Fault 89
  @Test(arguments: [
    String(repeating: "x", count: 250), String(repeating: "x", count: 246) + ".iso",
    String(repeating: "é", count: 125), String(repeating: "x", count: 243) + ".tar.gz",
  ])
  func `the longest name leaves room for the suffix and a number`(
    _ name: String
  ) throws {
    #expect(name.utf8.count == FileName.byteCountMax)
    let first = try create(name)
    let second = try create(name)
    let third = try files.createPartialFile(insteadOf: first.resumeData(durable: 0))
    #expect(third.finalName == name)
    for (file, other) in [(first, second), (second, third)] {
      #expect(file.path != other.path)
    }
    #expect(Disk.names(in: directory).allSatisfy { $0.utf8.count <= 255 })
    _ = try finished(name)
  }

  // Fault 89
  @Test func `a path that is too long for the system is reported`() throws {
    let deep = directory + String(repeating: "/" + String(repeating: "d", count: 200), count: 21)
    let told = failure { () throws(TransferFailure) in
      try files.createPartialFile(in: deep, preferredName: "a", onConflict: .rename)
    }
    #expect(told?.code == .fileProblem)
    #expect(told?.detail == "ENAMETOOLONG")
  }

  // MARK: Links and special files at a name

  // Fault 84
  @Test func `a hard link, a device link or a FIFO at the name is left untouched`() throws {
    _ = try create("x")
    let victim = scratch.path + "/victim"
    try Disk.put([1], at: victim)
    #expect(link(victim, directory + "/hard") == 0)
    #expect(symlink("/dev/full", directory + "/device") == 0)
    #expect(mkfifo(directory + "/fifo", 0o600) == 0)
    for name in ["hard", "device", "fifo"] {
      #expect(try finished(name).path == directory + "/\(name) (2)")
    }
    #expect(Disk.bytes(at: victim) == [1])
    #expect(Disk.status(of: victim)?.st_nlink == 2)
  }

  // Fault 83
  @Test func `a link planted at the final name is not followed`() throws {
    let file = try create("a")
    try file.write(bytes)
    let victim = scratch.path + "/victim"
    try Disk.put([1], at: victim)
    #expect(symlink(victim, directory + "/a") == 0)
    let finished = try files.finish(
      file.resumeData(durable: bytes.count, total: bytes.count), onConflict: .rename)
    #expect(finished.path == directory + "/a (2)")
    #expect(Disk.bytes(at: victim) == [1])
  }

  // Fault 83
  @Test func `a digest and a deletion do not follow links`() throws {
    let done = try finished("a")
    let file = try create("b")
    try file.write(bytes)
    for path in [done.path, file.path] {
      #expect(rename(path, path + ".moved") == 0)
      #expect(symlink(path + ".moved", path) == 0)
    }
    #expect(!files.removeFinishedFile(done))
    let resumeData = file.resumeData(durable: bytes.count)
    files.removePartialFile(resumeData.partialIdentity)
    #expect(
      failure { () throws(TransferFailure) in
        try files.beginDigest(of: resumeData, algorithm: .md5)
      }?.detail == "it is no regular file")
    #expect(Disk.names(in: directory) == ["a", "a.moved", "b.part", "b.part.moved"])
  }

  // MARK: Permissions

  // Fault 91
  // Fault 94
  @Test(
    arguments: [
      (0o000, 0o666), (0o022, 0o644), (0o077, 0o600), (0o027, 0o640), (0o007, 0o660),
    ] as [(mode_t, mode_t)])
  func `a file gets its umask permissions at creation and is never executable`(
    _ mask: mode_t, _ expected: mode_t
  ) throws {
    let (partial, whole) = try OwnUmask.with(mask) {
      let path = try create("run.sh").path
      let modeOfPartial = Disk.mode(of: path)
      return (modeOfPartial, Disk.mode(of: try finished("other.sh").path))
    }
    #expect(partial == expected)
    #expect(whole == expected)
    #expect(Disk.mode(of: directory) == 0o755 & ~mask)
  }

  // Fault 94
  @Test(.enabled(if: geteuid() == 0, "Other groups are root's to give"))
  func `a file in a setgid directory gets the group of the directory`() throws {
    _ = try create("x")
    chown(directory, geteuid(), 4711)
    chmod(directory, 0o2775)
    let done = try finished("a")
    #expect(Disk.status(of: done.path)?.st_gid == 4711)
    #expect(Disk.mode(of: done.path).map { $0 & 0o7111 } == 0)
  }

  // Fault 81
  @Test(.enabled(if: geteuid() != 0, "Root may write everywhere"))
  func `an unwritable directory is reported and works again once it is writable`() throws {
    let file = try create("a")
    try file.write(bytes)
    let resumeData = file.resumeData(durable: bytes.count, total: bytes.count)
    chmod(directory, 0o500)
    let told = TransferFailure(.directoryUnwritable, on: directory, detail: "EACCES")
    #expect(failure { () throws(TransferFailure) in try create("b") } == told)
    #expect(
      failure { () throws(TransferFailure) in try files.finish(resumeData, onConflict: .rename) }
        == told)
    chmod(directory, 0o700)
    #expect(try files.finish(resumeData, onConflict: .rename).path == directory + "/a")
  }
}
