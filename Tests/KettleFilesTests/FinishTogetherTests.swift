import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing

@testable import KettleFiles

/// Files that are renamed together.
@Suite struct FinishTogetherTests {
  private let scratch: ScratchDirectory

  init() throws { scratch = try ScratchDirectory() }

  private func whole(_ name: String, in directory: String? = nil) throws -> FileToFinish {
    let files = POSIXFileStorage(documentsDirectory: scratch.path)
    let file = try files.createPartialFile(
      in: directory ?? scratch.path, preferredName: name, onConflict: .rename)
    try file.write(Array(name.utf8))
    _ = try file.sync()
    return FileToFinish(
      resumeData: file.resumeData(durable: name.utf8.count, total: name.utf8.count),
      onConflict: .rename)
  }

  @Test func `a file gets the server's time and keeps it through the check of its identity`() throws
  {
    var file = try whole("a")
    file.modifiedAt = WallTime(millisecondsSince1970: 1_000_000_000_500)
    let files = POSIXFileStorage(documentsDirectory: scratch.path)
    let finished = try files.finish([file])[0].get()
    #expect(finished.identity?.modifiedNanoseconds == 1_000_000_000_500_000_000)
    #expect(files.removeFinishedFile(finished))
  }

  @Test func `permissions are set whatever the mask of the process`() throws {
    let files = POSIXFileStorage(documentsDirectory: scratch.path)
    let file = try files.createPartialFile(
      in: scratch.path, preferredName: "b", onConflict: .rename)
    for mask: UInt32 in [0o077, 0o002] {
      file.setPermissions(FilePermissions(mask: mask))
      var status = stat()
      #expect(stat(file.path, &status) == 0)
      #expect(status.st_mode & 0o777 == 0o666 & ~mask)
    }
  }

  /// The renames, by new name, and the directory syncs, in order.
  private final class Journal: Sendable {
    let steps = Mutex<[String]>([])

    func calls(syncFailures: [Int32] = []) -> FileCalls {
      var calls = FileCalls.kernel
      let rename = calls.renameToFree
      calls.renameToFree = { [self] directory, name, newName in
        steps.withLock { $0.append(newName) }
        return rename(directory, name, newName)
      }
      let failures = Mutex(syncFailures)
      calls.syncAll = { [self] descriptor in
        steps.withLock { $0.append("sync") }
        guard let number = failures.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else {
          return fsync(descriptor)
        }
        errno = number
        return -1
      }
      return calls
    }
  }

  private func storage(_ calls: FileCalls) -> POSIXFileStorage {
    POSIXFileStorage(documentsDirectory: scratch.path, calls: calls)
  }

  @Test func `one directory sync follows all renames in it`() throws {
    let files = try ["a", "b", "c"].map { try whole($0) }
    let journal = Journal()
    let results = storage(journal.calls()).finish(files)
    #expect(
      try results.map { try $0.get().path } == ["a", "b", "c"].map { scratch.path + "/" + $0 })
    #expect(journal.steps.withLock { $0 } == ["a", "b", "c", "sync"])
    #expect(Disk.names(in: scratch.path) == ["a", "b", "c"])
    for (file, result) in zip(["a", "b", "c"], results) {
      #expect(try result.get().identity?.byteCount == Int64(file.utf8.count))
    }
  }

  @Test func `each directory is synced`() throws {
    let other = scratch.path + "/other"
    #expect(mkdir(other, 0o755) == 0)
    let files = [try whole("a"), try whole("b", in: other), try whole("c")]
    let journal = Journal()
    #expect(try storage(journal.calls()).finish(files).allSatisfy { try $0.get().identity != nil })
    #expect(journal.steps.withLock { $0.count { $0 == "sync" } } == 2)
    #expect(Disk.names(in: other) == ["b"])
  }

  @Test func `a failed file does not affect the others`() throws {
    let files = try ["a", "b", "c"].map { try whole($0) }
    #expect(unlink(scratch.path + "/b.part") == 0)
    let results = storage(.kernel).finish(files)
    #expect(try results[0].get().path == scratch.path + "/a")
    #expect(throws: TransferFailure.self) { try results[1].get() }
    #expect(try results[2].get().path == scratch.path + "/c")
  }

  @Test func `a failed directory sync fails all files and is not retried`() throws {
    let files = try ["a", "b", "c"].map { try whole($0) }
    let journal = Journal()
    let results = storage(journal.calls(syncFailures: [EIO])).finish(files)
    let failure = TransferFailure(.fileProblem, on: scratch.path, detail: "EIO")
    #expect(results.elementsEqual(files.map { _ in .failure(failure) }))
    #expect(journal.steps.withLock { $0 } == ["a", "b", "c", "sync"])
  }

  // Fault 202
  @Test func `one directory sync follows all moves to the bin, and all moves back`() throws {
    let names = ["a", "b", "c"]
    let partial = try whole("d").resumeData
    let files = try storage(.kernel).finish(names.map { try whole($0) }).map { try $0.get() }
    let journal = Journal()
    let moved = storage(journal.calls()).moveTogether { moves in
      files.map { moves.moveFinishedFile($0, toName: ".bin" + $0.path.suffix(1)) }
        + [moves.movePartialFile(partial.partialIdentity, toName: ".bind")]
    }
    #expect(moved == [true, true, true, true])
    let binned = [".bina", ".binb", ".binc", ".bind"]
    #expect(journal.steps.withLock { $0 } == binned + ["sync"])
    #expect(Disk.names(in: scratch.path) == binned)
    storage(journal.calls()).moveTogether { moves in
      for (file, name) in zip(files, binned) {
        let inBin = FinishedFile(path: scratch.path + "/" + name, identity: file.identity)
        #expect(moves.restoreFinishedFile(file, from: inBin) == file)
      }
    }
    #expect(journal.steps.withLock { $0 } == binned + ["sync"] + names + ["sync"])
  }

  @Test func `a move that fails syncs nothing`() throws {
    let file = try whole("a").resumeData
    #expect(unlink(scratch.path + "/a.part") == 0)
    let journal = Journal()
    #expect(!storage(journal.calls()).movePartialFile(file.partialIdentity, toName: ".bin"))
    #expect(journal.steps.withLock { $0 }.isEmpty)
  }

  @Test func `nothing is synced when no file was renamed`() throws {
    let file = try whole("a")
    #expect(unlink(scratch.path + "/a.part") == 0)
    let journal = Journal()
    #expect(throws: TransferFailure.self) {
      try storage(journal.calls()).finish([file]).first?.get()
    }
    #expect(journal.steps.withLock { $0 }.isEmpty)
  }
}
