import Glibc
import KettleEngine
import KettleModel
import KettleSystem
import Testing

@testable import KettleFiles

/// Files of other programs whose bytes are taken over.
struct ForeignFileTests {
  private let scratch: ScratchDirectory
  private let bytes = [UInt8]((0..<50_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

  init() throws { scratch = try ScratchDirectory() }

  private var path: String { scratch.path + "/a.iso" }

  private func storage(_ calls: FileCalls = .kernel) -> POSIXFileStorage {
    POSIXFileStorage(documentsDirectory: scratch.path, calls: calls)
  }

  private func refusal() -> String? {
    failure { () throws(TransferFailure) in try storage().fileToContinue(at: path) }?.detail
  }

  // Fault 197
  @Test func `only regular files that were written from their beginning on are continued`()
    throws
  {
    #expect(try storage().fileToContinue(at: path) == nil)
    try #require(mkdir(path, 0o755) == 0)
    #expect(refusal() == "it is a directory")
    try #require(rmdir(path) == 0 && symlink("b.iso", path) == 0)
    #expect(refusal() == "it is a link; name the file that it leads to")
    try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
    #expect(refusal() == "it is not a regular file")
    try #require(unlink(path) == 0)
    try Disk.put(bytes, at: path)
    #expect(try storage().fileToContinue(at: path)?.identity.byteCount == Int64(bytes.count))
    for (suffix, program) in POSIXFileStorage.pieceNotes {
      try Disk.put([1], at: path + suffix)
      #expect(
        refusal() == "a.iso\(suffix) says that \(program) writes it in pieces; finish it with that")
      try #require(unlink(path + suffix) == 0)
    }
    try #require(truncate(path, 1 << 20) == 0)
    #expect(refusal() == "it has gaps, as of a program that writes in pieces")
  }

  // Fault 193
  @Test(arguments: [0, EOPNOTSUPP, EXDEV])
  func `all bytes are copied, whatever the file system can do`(number: Int32) throws {
    var calls = FileCalls.kernel
    if number != 0 {
      let fails: @Sendable () -> Void = { errno = number }
      calls.clone = { _, _ in
        fails()
        return -1
      }
      calls.copyRange = { _, _, _, _ in
        fails()
        return -1
      }
    }
    let files = storage(calls)
    try Disk.put(bytes, at: path)
    let there = try #require(try files.fileToContinue(at: path))
    let partial = try files.createPartialFile(
      in: scratch.path, preferredName: "a.iso", onConflict: .replace)
    try files.copy(there, into: partial) { _ in true }
    #expect(Disk.bytes(at: partial.path) == bytes)
    #expect(Disk.bytes(at: path) == bytes)
  }

  // Fault 196
  @Test func `a file that another program writes to meanwhile is not copied`() throws {
    let files = storage()
    try Disk.put(bytes, at: path)
    let there = try #require(try files.fileToContinue(at: path))
    let partial = try files.createPartialFile(
      in: scratch.path, preferredName: "a.iso", onConflict: .replace)
    let path = path
    let told = failure { () throws(TransferFailure) in
      try files.copy(there, into: partial) { _ in
        try? Disk.put([1, 2, 3], at: path)
        return true
      }
    }
    #expect(told?.code == .notContinued)
    #expect(told?.detail == "another program writes to it")
  }

  // Fault 198
  @Test func `copying stops when it is told to`() throws {
    let files = storage()
    try Disk.put(bytes, at: path)
    let there = try #require(try files.fileToContinue(at: path))
    let partial = try files.createPartialFile(
      in: scratch.path, preferredName: "a.iso", onConflict: .replace)
    let told = failure { () throws(TransferFailure) in
      try files.copy(there, into: partial) { _ in false }
    }
    #expect(told?.code == .cancelled)
  }
}
