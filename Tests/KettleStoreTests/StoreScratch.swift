import FoundationEssentials
import Glibc
import GRDB
import KettleModel
import Testing

@testable import KettleStore

/// A temporary state directory for one test, deleted when the test ends.
final class StoreScratch: Sendable {
  let root: String
  /// The path of the store; its directory does not exist yet.
  var path: String { directory + "/store.sqlite" }
  var directory: String { root + "/state/kettle" }

  /// - Parameter parent: `inMemory` for tests with many directories that need no real disk.
  init(in parent: String = "/tmp") throws {
    var template = Array("\(parent)/kettle-store-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap(mkdtemp).map { String(cString: $0) }
    }
    root = try #require(made)
  }

  static let inMemory = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"

  deinit { try? FileManager.default.removeItem(atPath: root) }

  static let now = WallTime(millisecondsSince1970: 1_798_135_200_123)
  /// The same time, as part of the name of a file that was set aside.
  static let stamp = "20261224T180000Z"

  /// - Parameter wholeByteCountMax: 0 to open the store like a large one.
  func open(
    wholeByteCountMax: Int64 = StoreOpening.wholeByteCountMax
  ) throws(StoreError) -> StoreOpening {
    try StoreOpening.open(path, at: Self.now, wholeByteCountMax: wholeByteCountMax)
  }

  /// Opens the store, commits these changes and closes it.
  func fill(_ changes: [JournalChange]) throws {
    let journal = try open().journal
    try journal.commit(changes)
    try journal.close()
  }

  /// A copy of the current files, as kill -9 leaves them.
  func killed() throws -> StoreScratch {
    let copy = try StoreScratch()
    _ = try copy.open().journal.close()
    unlink(copy.path + "-commits")
    for suffix in ["", "-wal", "-commits"] where access(path + suffix, F_OK) == 0 {
      try copy.put(try bytes(path + suffix), copy.path + suffix)
    }
    return copy
  }

  /// Changes a closed store like damage or another program.
  func meddle(_ sql: String) throws {
    let queue = try DatabaseQueue(path: path)
    try queue.inDatabase { db in
      try db.execute(sql: "PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF")
      try db.execute(sql: sql)
    }
    try queue.close()
  }

  /// Overwrites the root page of an index or of the transfer table with invalid bytes.
  func spoil(rootOf name: String) throws {
    let queue = try DatabaseQueue(path: path)
    let page = try queue.read { db in
      try Int.fetchOne(
        db, sql: "SELECT rootpage FROM sqlite_master WHERE name = ?", arguments: [name])
    }
    try queue.close()
    var content = try bytes(path)
    let start = try (#require(page) - 1) * StoreMutation.pageByteCount
    for index in start..<start + StoreMutation.pageByteCount { content[index] = 0xA5 }
    try put(content, path)
  }

  func names() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
  }

  func bytes(_ path: String) throws -> [UInt8] {
    [UInt8](try #require(FileManager.default.contents(atPath: path)))
  }

  func put(_ bytes: [UInt8], _ path: String) throws {
    try #require(FileManager.default.createFile(atPath: path, contents: Data(bytes)))
  }

  static func mode(of path: String) -> mode_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : nil
  }
}
