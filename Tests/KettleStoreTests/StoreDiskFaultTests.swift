import Glibc
import GRDB
import KettleEngine
import KettleModel
import Testing
import TestSupport

@testable import KettleStore

/// A disk that fails while the store writes.
///
/// Without a disk that fails on demand, the descriptor of the log is redirected to a device that
/// does: a full one, or one that accepts everything and cannot sync.
@Suite struct StoreDiskFaultTests {
  private let scratch: StoreScratch

  init() throws { scratch = try StoreScratch() }

  /// The open descriptor of a file.
  private static func descriptor(of path: String) -> Int32? {
    (0..<65536).first { number in
      var buffer = [UInt8](repeating: 0, count: 4096)
      let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
      return count > 0 && String(decoding: buffer.prefix(count), as: UTF8.self) == path
    }
  }

  /// Runs the body while all writes to the file at a path go to a device instead.
  private func redirecting<Value>(
    _ path: String, to device: String, _ body: () throws -> Value
  ) throws -> Value {
    let number = try #require(Self.descriptor(of: path))
    let saved = dup(number)
    let other = Glibc.open(device, O_RDWR)
    try #require(saved >= 0 && other >= 0 && dup2(other, number) == number)
    close(other)
    defer {
      dup2(saved, number)
      close(saved)
    }
    return try body()
  }

  // Fault 71
  // Fault 72
  // Fault 74
  @Test(arguments: [
    ("/dev/full", StoreError.Code.diskFull), ("/dev/null", .unwritable),
    ("/dev/zero", .unwritable),
  ])
  func `a commit that the disk rejects is reported and not found later`(
    _ device: String, _ code: StoreError.Code
  ) throws {
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(1...10))
    let error = #expect(throws: StoreError.self) {
      try redirecting(scratch.path + "-wal", to: device) {
        try journal.commit(Sample.puts(11...20))
      }
    }
    #expect(error?.code == code)
    #expect(try journal.whole().records.count == 10)
    // The files as kill -9 leaves them now.
    let copy = try StoreScratch()
    try StorePaths(copy.path).prepareDirectory()
    for suffix in ["", "-wal"] {
      try copy.put(try scratch.bytes(scratch.path + suffix), copy.path + suffix)
    }
    let opening = try copy.open()
    #expect(opening.notice == nil)
    #expect(try opening.journal.whole().records.count == 10)
    // The disk works again.
    try journal.commit(Sample.puts(11...20))
    try journal.close()
    #expect(try scratch.open().journal.whole().records.count == 20)
  }

  // Fault 74
  @Test func `a disk failure during a WAL checkpoint keeps the log`() throws {
    let journal = try scratch.open().journal
    try journal.commit(Sample.puts(1...500))
    #expect(throws: (any Error).self) {
      try redirecting(scratch.path, to: "/dev/full") {
        try journal.queue.inDatabase { db in
          try db.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        }
      }
    }
    try journal.close()
    #expect(try scratch.open().journal.whole().records.count == 500)
  }

  // MARK: Mounted disks

  private static let isRoot = geteuid() == 0

  private func withDisk(_ options: String, _ body: (String) throws -> Void) throws {
    let path = scratch.root + "/disk"
    try #require(mkdir(path, 0o700) == 0)
    guard mount("kettle-test", path, "tmpfs", 0, options) == 0 else {
      try Test.cancel("this machine lets nobody mount")
    }
    defer { umount2(path, Int32(MNT_DETACH)) }
    try body(path)
  }

  // Fault 71
  // Fault 72
  @Test(.enabled(if: isRoot, "Mounting a disk takes root"))
  func `a store on a full disk rejects new commits, keeps the rest and recovers with space`()
    throws
  {
    try withDisk("size=2m") { disk in
      let path = disk + "/store.sqlite"
      let journal = try StoreOpening.open(path, at: StoreScratch.now).journal
      try journal.commit(Sample.puts(1...10))
      let ballast = Glibc.open(disk + "/ballast", O_WRONLY | O_CREAT, 0o600)
      let piece = [UInt8](repeating: 1, count: 4096)
      while write(ballast, piece, piece.count) > 0 {}
      close(ballast)
      let error = #expect(throws: StoreError.self) { try journal.commit(Sample.puts(11...600)) }
      #expect(error?.code == .diskFull)
      #expect(try journal.whole().records.count == 10)
      unlink(disk + "/ballast")
      try journal.commit(Sample.puts(11...600))
      try journal.close()
      let again = try StoreOpening.open(path, at: StoreScratch.now)
      #expect(again.notice == nil)
      #expect(try again.journal.whole().records.count == 600)
      try again.journal.close()
    }
  }

  // Fault 72
  // Fault 99
  @Test(.enabled(if: isRoot, "Mounting a disk takes root"))
  func `a damaged store on a full disk is left in place`() throws {
    try withDisk("size=1m") { disk in
      let path = disk + "/store.sqlite"
      let damaged = [UInt8](repeating: 0xA5, count: 1 << 19)
      try scratch.put(damaged, path)
      try scratch.put([UInt8](repeating: 1, count: (1 << 19) - 8192), disk + "/ballast")
      let error = #expect(throws: StoreError.self) {
        try StoreOpening.open(path, at: StoreScratch.now)
      }
      #expect(error?.code == .diskFull)
      #expect(try scratch.bytes(path) == damaged)
      unlink(disk + "/ballast")
      let opening = try StoreOpening.open(path, at: StoreScratch.now)
      #expect(try scratch.bytes(#require(opening.notice?.asidePath)) == damaged)
      try opening.journal.close()
    }
  }

  // Fault 72
  @Test(.enabled(if: isRoot, "Mounting a disk takes root"))
  func `a store on a read-only disk is refused and not reported as damaged`() throws {
    try withDisk("size=1m") { disk in
      let path = disk + "/store.sqlite"
      let journal = try StoreOpening.open(path, at: StoreScratch.now).journal
      try journal.commit(Sample.puts(1...10))
      try journal.close()
      let before = try scratch.bytes(path)
      let flags = UInt(MS_REMOUNT | MS_RDONLY)
      try #require(mount("kettle-test", disk, "tmpfs", flags, nil) == 0)
      let error = #expect(throws: StoreError.self) {
        try StoreOpening.open(path, at: StoreScratch.now)
      }
      #expect(error.map { [.unwritable, .unreadable].contains($0.code) } == true)
      #expect(try scratch.bytes(path) == before)
    }
  }
}
