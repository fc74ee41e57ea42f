import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing

@testable import KettleFiles

/// Failing system calls, at every place where one can fail.
@Suite struct FileCallFaultTests {
  private let scratch: ScratchDirectory
  private let bytes: [UInt8] = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }

  init() throws { scratch = try ScratchDirectory() }

  private func storage(_ calls: FileCalls = .kernel) -> POSIXFileStorage {
    POSIXFileStorage(documentsDirectory: scratch.path, calls: calls)
  }

  private func create(_ calls: FileCalls) throws(TransferFailure) -> any PartialFile {
    try storage(calls).createPartialFile(
      in: scratch.path, preferredName: "a", onConflict: .rename)
  }

  /// pwrite(2) on a disk that accepts at most this many bytes per call.
  private static func write(
    _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: off_t, atMost: Int
  ) -> Int {
    pwrite(descriptor, bytes.baseAddress, min(atMost, bytes.count), offset)
  }

  private func whole() throws -> ResumeData {
    let file = try create(.kernel)
    try file.write(bytes)
    _ = try file.sync()
    return file.resumeData(durable: bytes.count, total: bytes.count)
  }

  @Test func `a move to the bin and back counts although the directory cannot be synced`() throws {
    let data = try whole()
    var calls = FileCalls.kernel
    calls.syncAll = { _ in
      errno = EIO
      return -1
    }
    let failing = storage(calls)
    #expect(failing.movePartialFile(data.partialIdentity, toName: ".bin"))
    let binned = PartialIdentity(
      path: scratch.path + "/.bin", device: data.device, inode: data.inode)
    #expect(failing.restorePartialFile(data, from: binned) == data)
    let file = try storage().finish(data, onConflict: .rename)
    #expect(failing.moveFinishedFile(file, toName: ".bin"))
    let binnedFile = FinishedFile(path: scratch.path + "/.bin", identity: file.identity)
    #expect(failing.restoreFinishedFile(file, from: binnedFile) == file)
  }

  /// A call that fails with each error number in turn, and then succeeds.
  private static func failing(_ numbers: [Int32]) -> @Sendable () -> Bool {
    let left = Mutex(numbers)
    return {
      guard let number = left.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
        return false
      }
      errno = number
      return true
    }
  }

  // MARK: Names

  // Fault 83
  // Fault 85
  @Test(arguments: [true, false])
  func `a file that appears at the name between check and creation is left untouched`(
    _ knowsUnnamed: Bool
  ) throws {
    let taken = scratch.path + "/a.part"
    let link = scratch.path + "/a (2).part"
    let victim = scratch.path + "/victim"
    try Disk.put([8], at: victim)
    var calls = FileCalls.kernel
    // The error of file systems without O_TMPFILE: NFS and most of FUSE.
    calls.openUnnamed = { directory, flags in
      try? Disk.put([7], at: taken)
      symlink(victim, link)
      if knowsUnnamed { return openat(directory, ".", flags, 0o666) }
      errno = EOPNOTSUPP
      return -1
    }
    let file = try create(calls)
    #expect(file.path == scratch.path + "/a (3).part")
    try file.write(bytes)
    _ = try file.sync()
    let finished = try storage(calls).finish(
      file.resumeData(durable: bytes.count, total: bytes.count), onConflict: .rename)
    #expect(Disk.bytes(at: finished.path) == bytes)
    #expect(Disk.bytes(at: taken) == [7])
    #expect(Disk.bytes(at: victim) == [8])
  }

  // MARK: Short and interrupted calls

  // Fault 75
  @Test func `short and interrupted writes continue until everything is written`() throws {
    var calls = FileCalls.kernel
    let isInterrupted = Mutex(false)
    calls.write = { descriptor, bytes, offset in
      let interrupts = isInterrupted.withLock { value in
        value.toggle()
        return value
      }
      if interrupts {
        errno = EINTR
        return -1
      }
      return Self.write(descriptor, bytes, offset, atMost: 4099)
    }
    let file = try create(calls)
    try file.write(bytes, at: 7)
    #expect(Disk.bytes(at: file.path) == [UInt8](repeating: 0, count: 7) + bytes)
  }

  // Fault 75
  @Test func `short and interrupted reads continue until everything is read`() throws {
    var calls = FileCalls.kernel
    let isInterrupted = Mutex(false)
    calls.read = { descriptor, start, count, offset in
      let interrupts = isInterrupted.withLock { value in
        value.toggle()
        return value
      }
      if interrupts {
        errno = EINTR
        return -1
      }
      return pread(descriptor, start, min(count, 4099), offset)
    }
    let file = try create(calls)
    try file.write(bytes)
    #expect(try file.read(bytes.count) == bytes)
  }

  // Fault 75
  @Test func `a sync interrupted by a signal is retried`() throws {
    var calls = FileCalls.kernel
    let fails = Self.failing([EINTR, EINTR])
    calls.syncData = { fails() ? -1 : fdatasync($0) }
    let file = try create(calls)
    try file.write(bytes)
    #expect(try file.sync() > 0)
  }

  // Fault 75
  @Test func `a write that accepts no bytes is an error and not an endless loop`() throws {
    var calls = FileCalls.kernel
    calls.write = { _, _, _ in 0 }
    let file = try create(calls)
    let told = failure { () throws(TransferFailure) in try file.write(bytes) }
    #expect(told == TransferFailure(.fileProblem, on: file.path, detail: "EIO"))
  }

  // MARK: Disk errors

  // Fault 71
  // Fault 73
  // Fault 74
  @Test(arguments: [
    (ENOSPC, TransferFailure.Code.diskFull, "ENOSPC"), (EDQUOT, .diskFull, "EDQUOT"),
    (EFBIG, .fileProblem, "EFBIG"), (EIO, .fileProblem, "EIO"), (EROFS, .fileProblem, "EROFS"),
    (EAGAIN, .fileProblem, "EAGAIN"),
  ])
  func `a write that fails halfway is reported and succeeds when retried`(
    _ number: Int32, _ code: TransferFailure.Code, _ name: String
  ) throws {
    var calls = FileCalls.kernel
    let writes = Mutex(0)
    calls.write = { descriptor, bytes, offset in
      let isSecond = writes.withLock { count in
        count += 1
        return count == 2
      }
      if isSecond {
        errno = number
        return -1
      }
      return Self.write(descriptor, bytes, offset, atMost: 60_000)
    }
    let file = try create(calls)
    let told = failure { () throws(TransferFailure) in try file.write(bytes) }
    #expect(told == TransferFailure(code, on: file.path, detail: name))
    try file.write(bytes)
    #expect(Disk.bytes(at: file.path) == bytes)
  }

  // Fault 74
  @Test func `a read error is reported and does not advance the digest`() throws {
    var calls = FileCalls.kernel
    let fails = Self.failing([EIO, EIO])
    calls.read = { fails() ? -1 : pread($0, $1, $2, $3) }
    let file = try create(calls)
    try file.write(bytes)
    let resumeData = file.resumeData(durable: bytes.count)
    let told = TransferFailure(.fileProblem, on: file.path, detail: "EIO")
    #expect(failure { () throws(TransferFailure) in try file.read(10) } == told)
    let digest = try storage(calls).beginDigest(of: resumeData, algorithm: .md5)
    let advanced = failure { () throws(TransferFailure) in
      try digest.advance(to: Int64(bytes.count), shouldStop: { false })
    }
    #expect(advanced == told)
    #expect(digest.byteCount == 0)
  }

  // Fault 74
  @Test(arguments: [EIO, ENOSPC, EDQUOT])
  func `a failed sync is final for a file and is never repeated`(
    _ number: Int32
  ) throws {
    var calls = FileCalls.kernel
    let fails = Self.failing([number])
    let count = Mutex(0)
    calls.syncData = { descriptor in
      count.withLock { $0 += 1 }
      return fails() ? -1 : fdatasync(descriptor)
    }
    let file = try create(calls)
    try file.write(bytes)
    let first = failure { () throws(TransferFailure) in try file.sync() }
    #expect(first?.detail == Errno(rawValue: number).name)
    #expect(failure { () throws(TransferFailure) in try file.sync() } == first)
    try file.write(bytes)
    #expect(failure { () throws(TransferFailure) in try file.sync() } == first)
    #expect(count.withLock { $0 } == 1)
  }

  // Fault 74
  @Test func `a failed sync of a new file's directory is final too`() throws {
    var calls = FileCalls.kernel
    let fails = Self.failing([EIO])
    calls.syncAll = { fails() ? -1 : fsync($0) }
    let file = try create(calls)
    // More than the bytes that may be lost with the name of a new file.
    try file.write([1], at: 2 << 20)
    let told = TransferFailure(.fileProblem, on: file.path, detail: "EIO")
    #expect(failure { () throws(TransferFailure) in try file.sync() } == told)
    #expect(failure { () throws(TransferFailure) in try file.sync() } == told)
  }

  // Fault 74
  @Test(arguments: [
    (EIO, TransferFailure.Code.fileProblem), (ENOSPC, .diskFull), (EROFS, .directoryUnwritable),
    (EACCES, .directoryUnwritable),
  ])
  func `a failed rename leaves the partial file and the next one succeeds`(
    _ number: Int32, _ code: TransferFailure.Code
  ) throws {
    let resumeData = try whole()
    var calls = FileCalls.kernel
    // Every way to the name fails: an error may mean only that one of them is not supported.
    let isBroken = Mutex(true)
    let kernel = FileCalls.kernel
    func breaking(_ call: @escaping FreeNameRename.Calls.Naming) -> FreeNameRename.Calls.Naming {
      { directory, name, newName in
        guard isBroken.withLock({ $0 }) else { return call(directory, name, newName) }
        errno = number
        return -1
      }
    }
    calls.renameToFree = breaking(kernel.renameToFree)
    calls.link = breaking(kernel.link)
    calls.rename = breaking(kernel.rename)
    let files = storage(calls)
    let told = failure { () throws(TransferFailure) in
      try files.finish(resumeData, onConflict: .rename)
    }
    #expect(
      told == TransferFailure(code, on: scratch.path, detail: Errno(rawValue: number).name))
    #expect(Disk.names(in: scratch.path) == ["a.part"])
    #expect(files.finishedFile(of: resumeData) == nil)
    isBroken.withLock { $0 = false }
    #expect(try files.finish(resumeData, onConflict: .rename).path == scratch.path + "/a")
  }

  // Fault 79
  @Test func `a finish with a failed directory sync does not count until recovery syncs it`()
    throws
  {
    let resumeData = try whole()
    var calls = FileCalls.kernel
    let fails = Self.failing([EIO, EIO])
    calls.syncAll = { fails() ? -1 : fsync($0) }
    let files = storage(calls)
    let told = failure { () throws(TransferFailure) in
      try files.finish(resumeData, onConflict: .rename)
    }
    #expect(told == TransferFailure(.fileProblem, on: scratch.path, detail: "EIO"))
    #expect(files.finishedFile(of: resumeData) == nil)
    #expect(files.finishedFile(of: resumeData)?.path == scratch.path + "/a")
  }

  // Fault 79
  @Test func `a directory is synced only after the file is renamed`() throws {
    let resumeData = try whole()
    var calls = FileCalls.kernel
    let synced = Mutex<[[String]]>([])
    calls.syncAll = { [path = scratch.path] descriptor in
      synced.withLock { $0.append(Disk.names(in: path)) }
      return fsync(descriptor)
    }
    _ = try storage(calls).finish(resumeData, onConflict: .rename)
    #expect(synced.withLock { $0 } == [["a"]])
  }

  // MARK: Races

  // Fault 83
  @Test func `a file swapped for the partial file just before the rename is not accepted`()
    throws
  {
    let resumeData = try whole()
    let path = resumeData.partialPath
    var calls = FileCalls.kernel
    let kernel = FileCalls.kernel.renameToFree
    calls.renameToFree = { directory, name, newName in
      rename(path, path + ".mine")
      try? Disk.put([6, 6, 6], at: path)
      return kernel(directory, name, newName)
    }
    let told = failure { () throws(TransferFailure) in
      try storage(calls).finish(resumeData, onConflict: .rename)
    }
    #expect(
      told == TransferFailure(.partialFileChanged, on: path, detail: "it is another file"))
    #expect(Disk.bytes(at: path + ".mine") == bytes)
  }

  // Fault 83
  @Test func `a directory swapped for a link before the rename affects no other directory`()
    throws
  {
    let documents = scratch.path + "/documents"
    let victim = scratch.path + "/victim"
    #expect(mkdir(documents, 0o755) == 0 && mkdir(victim, 0o755) == 0)
    try Disk.put([1], at: victim + "/a.part")
    var calls = FileCalls.kernel
    let kernel = FileCalls.kernel.renameToFree
    calls.renameToFree = { directory, name, newName in
      rename(documents, documents + ".moved")
      symlink(victim, documents)
      return kernel(directory, name, newName)
    }
    let files = POSIXFileStorage(documentsDirectory: documents, calls: calls)
    let file = try files.createPartialFile(
      in: documents, preferredName: "a", onConflict: .rename)
    try file.write(bytes)
    _ = try files.finish(
      file.resumeData(durable: bytes.count, total: bytes.count), onConflict: .rename)
    #expect(Disk.names(in: victim) == ["a.part"])
    #expect(Disk.names(in: documents + ".moved") == ["a"])
  }

  // Fault 85
  @Test func `a name taken between check and rename is not overwritten`() throws {
    let resumeData = try whole()
    let taken = scratch.path + "/a"
    var calls = FileCalls.kernel
    let kernel = FileCalls.kernel.renameToFree
    let isFirst = Mutex(true)
    calls.renameToFree = { directory, name, newName in
      let plants = isFirst.withLock { value in
        defer { value = false }
        return value
      }
      if plants { try? Disk.put([9], at: taken) }
      return kernel(directory, name, newName)
    }
    let finished = try storage(calls).finish(resumeData, onConflict: .rename)
    #expect(finished.path == scratch.path + "/a (2)")
    #expect(Disk.bytes(at: taken) == [9])
    #expect(Disk.bytes(at: finished.path) == bytes)
  }

  // Fault 93
  @Test func `a name that only the file system considers taken is numbered too`() throws {
    // On a case-insensitive file system "A" takes the name "a", although the strings differ.
    let resumeData = try whole()
    var calls = FileCalls.kernel
    let kernel = FileCalls.kernel.renameToFree
    calls.renameToFree = { directory, name, newName in
      guard newName == "a" else { return kernel(directory, name, newName) }
      errno = EEXIST
      return -1
    }
    for (policy, detail) in [(ConflictPolicy.skip, "it is gone again"), (.replace, nil)] {
      let told = failure { () throws(TransferFailure) in
        try storage(calls).finish(resumeData, onConflict: policy)
      }
      #expect(told == TransferFailure(.nameTaken, on: scratch.path + "/a", detail: detail))
    }
    let finished = try storage(calls).finish(resumeData, onConflict: .rename)
    #expect(finished.path == scratch.path + "/a (2)")
  }
}
