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
    #expect(ServiceLock.recordedSocketPath(at: world.lockPath) == nil)
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
    #expect(ServiceLock.recordedSocketPath(at: world.lockPath) == nil)
    try createFile(world.lockPath, String(repeating: "/longer", count: 12))
    let listener = try await world.listener()
    #expect(ServiceLock.recordedSocketPath(at: world.lockPath) == world.socketPath)
    await listener.close()
  }

  @Test(arguments: ["", "relative/path", "\u{0}", String(repeating: "/x", count: 100)])
  func `a file with other contents names no path`(content: String) throws {
    let world = try SocketWorld()
    try createFile(world.lockPath, content)
    #expect(ServiceLock.recordedSocketPath(at: world.lockPath) == nil)
  }

  @Test func `a pipe in place of the file does not hang`() throws {
    let world = try SocketWorld()
    try #require(mkfifo(world.lockPath, 0o600) == 0)
    #expect(ServiceLock.recordedSocketPath(at: world.lockPath) == nil)
  }
}
