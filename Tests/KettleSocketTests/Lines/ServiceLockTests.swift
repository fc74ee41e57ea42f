import Foundation
import Glibc
import KettleSocket
import KettleStarter
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ServiceLockTests {
  // Fault 96
  @Test func `only one holder has the lock until it is released`() throws {
    let world = try SocketWorld()
    do {
      let held = try world.lock()
      #expect(try ServiceLock.acquire(at: world.lockPath) == nil)
      #expect(mode(held.path) == 0o600)
    }
    #expect(try ServiceLock.acquire(at: world.lockPath) != nil)
  }

  @Test func `a missing directory of the lock is created`() throws {
    let world = try SocketWorld()
    let path = world.root + "/a/b/service.lock"
    #expect(try ServiceLock.acquire(at: path) != nil)
    #expect(mode(world.root + "/a/b") == 0o700)
  }

  @Test func `a link in place of the lock is not followed`() throws {
    let world = try SocketWorld()
    try createFile(world.root + "/target", "kept")
    try #require(symlink(world.root + "/target", world.lockPath) == 0)
    #expect(
      throws: ControlSocketError.system(call: "open", path: world.lockPath, code: ELOOP)
    ) { try ServiceLock.acquire(at: world.lockPath) }
    #expect(ServiceRecord.read(at: world.lockPath) == nil)
  }

  // Fault 97
  @Test func `exactly one of many contenders gets the lock`() async throws {
    let world = try SocketWorld()
    let path = world.lockPath
    let locks = try await withThrowingTaskGroup(of: ServiceLock?.self) { group in
      for _ in 0..<50 { group.addTask { try ServiceLock.acquire(at: path) } }
      var locks: [ServiceLock] = []
      for try await lock in group { if let lock { locks.append(lock) } }
      return locks
    }
    #expect(locks.count == 1)
  }

  @Test func `the listener records its socket path`() async throws {
    let world = try SocketWorld()
    #expect(ServiceRecord.read(at: world.lockPath) == nil)
    try createFile(world.lockPath, String(repeating: "/longer", count: 12))
    let listener = try await world.listener()
    #expect(ServiceRecord.read(at: world.lockPath) == ServiceRecord(socketPath: world.socketPath))
    await listener.close()
  }

  // Fault 176
  @Test func `a record is of the service that wrote it`() throws {
    let world = try SocketWorld()
    let lock = try world.lock()
    try lock.record(ServiceRecord(socketPath: "/run/a.sock", instance: "7-1"))
    let record = try #require(ServiceRecord.read(at: world.lockPath))
    #expect(record == ServiceRecord(socketPath: "/run/a.sock", instance: "7-1"))
    #expect(record.isOf(instance: "7-1"))
    #expect(!record.isOf(instance: "7-2"))
    // A service of an earlier version does not tell.
    #expect(record.isOf(instance: nil))
    try lock.eraseRecord()
    #expect(ServiceRecord.read(at: world.lockPath) == nil)
  }

  // Fault 176
  @Test func `a copy of a lock file names no service`() throws {
    let world = try SocketWorld()
    let lock = try world.lock()
    try lock.record(ServiceRecord(socketPath: "/run/a.sock", instance: "7-1"))
    let copy = world.root + "/copy"
    try FileManager.default.copyItem(atPath: world.lockPath, toPath: copy)
    #expect(ServiceRecord.read(at: copy) == nil)
    #expect(ServiceRecord.read(at: world.lockPath) != nil)
    withExtendedLifetime(lock) {}
  }

  // Fault 176
  @Test func `a lock that is held names its service under any inode number`() throws {
    let world = try SocketWorld()
    try createFile(world.lockPath, "/run/a.sock\n7-1\n1 1")
    #expect(ServiceRecord.read(at: world.lockPath) == nil)
    let lock = try world.lock()
    #expect(ServiceRecord.read(at: world.lockPath)?.instance == "7-1")
    withExtendedLifetime(lock) {}
  }

  @Test func `the record of an earlier version is a path`() throws {
    let world = try SocketWorld()
    try createFile(world.lockPath, "/run/a.sock")
    #expect(
      ServiceRecord.read(at: world.lockPath) == ServiceRecord(socketPath: "/run/a.sock"))
  }

  @Test(arguments: ["", "relative/path", "\u{0}", String(repeating: "/x", count: 100)])
  func `a file with other contents names no path`(content: String) throws {
    let world = try SocketWorld()
    try createFile(world.lockPath, content)
    #expect(ServiceRecord.read(at: world.lockPath) == nil)
  }

  @Test func `a pipe in place of the file does not hang`() throws {
    let world = try SocketWorld()
    try #require(mkfifo(world.lockPath, 0o600) == 0)
    #expect(ServiceRecord.read(at: world.lockPath) == nil)
  }
}
