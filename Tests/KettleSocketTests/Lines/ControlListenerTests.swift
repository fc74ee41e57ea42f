import Foundation
import Glibc
import KettleSocket
import KettleStarter
import KettleSystem
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ControlListenerTests {
  // Fault 120
  @Test func `the socket and its directory are private regardless of the umask`()
    async throws
  {
    let world = try SocketWorld()
    let listener = try await world.listener()
    #expect(mode(world.root + "/run") == 0o700)
    #expect(mode(world.socketPath) == 0o600)
    await listener.close()
  }

  @Test func `a socket that a supervisor listens on is served, and its file stays`() async throws {
    let world = try SocketWorld()
    try #require(mkdir(world.root + "/run", 0o700) == 0)
    let lent = try RawSocket(world.socketPath, .listener)
    try #require(chmod(world.socketPath, 0o666) == 0)
    // It connects before the service is there.
    let early = try RawSocket(world.socketPath)
    let before = try #require(inode(world.socketPath))
    let listener = try await world.listener(lent: lent.descriptor)
    for await service in listener.connections {
      try await service.send(bytes("hello"))
      await service.close()
      break
    }
    #expect(early.readToEnd() == "hello\n")
    // Nothing is bound in its place, even if the file is gone.
    #expect(try await !listener.restoreSocketFile())
    await listener.close()
    #expect(inode(world.socketPath) == before)
    #expect(mode(world.socketPath) == 0o600)
  }

  @Test func `a socket at another place is refused`() async throws {
    let world = try SocketWorld()
    try #require(mkdir(world.root + "/run", 0o700) == 0)
    let lent = try RawSocket(world.root + "/run/other.sock", .listener)
    await #expect(
      throws: ControlSocketError.system(
        call: "getsockname", path: world.socketPath, code: EADDRNOTAVAIL)
    ) { try await world.listener(lent: lent.descriptor) }
  }

  private func inode(_ path: String) -> UInt64? {
    var status = stat()
    return lstat(path, &status) == 0 ? UInt64(status.st_ino) : nil
  }

  // Fault 121
  @Test func `a directory open to others is refused with its mode`() async throws {
    let world = try SocketWorld()
    try #require(mkdir(world.root + "/run", 0o700) == 0)
    try #require(chmod(world.root + "/run", 0o755) == 0)
    await #expect(
      throws: ControlSocketError.unsafeDirectory(
        path: world.root + "/run", detail: "its mode is 755, not 700")
    ) { try await world.listener() }
  }

  // Fault 121
  @Test func `a link in place of the directory is refused`() async throws {
    let world = try SocketWorld()
    try #require(mkdir(world.root + "/elsewhere", 0o700) == 0)
    try #require(symlink(world.root + "/elsewhere", world.root + "/run") == 0)
    await #expect(
      throws: ControlSocketError.unsafeDirectory(
        path: world.root + "/run", detail: "it is not a directory")
    ) { try await world.listener() }
  }

  // Fault 121
  @Test func `a directory of another user is refused`() throws {
    let world = try SocketWorld()
    let path = world.root + "/run"
    #expect(
      throws: ControlSocketError.unsafeDirectory(
        path: path, detail: "it belongs to user \(geteuid())")
    ) { try PrivateDirectory.prepare(path, userID: Int64(geteuid()) + 1) }
  }

  @Test func `a directory that cannot be created is reported with the reason`() throws {
    let world = try SocketWorld()
    try createFile(world.root + "/file")
    let path = world.root + "/file/run"
    #expect(
      throws: ControlSocketError.cannotCreateDirectory(path: path, code: ENOTDIR)
    ) { try PrivateDirectory.prepare(path) }
  }

  // Fault 96
  @Test func `the socket file of a killed service is replaced`() async throws {
    let world = try SocketWorld()
    try PrivateDirectory.prepare(world.root + "/run")
    _ = try RawSocket(world.socketPath, .abandonedListener)
    await #expect(throws: ControlSocketError.notListening(path: world.socketPath)) {
      try await ControlConnection.connect(to: world.socketPath)
    }
    let listener = try await world.listener()
    let (client, service) = try await world.pair(listener)
    try await client.send(bytes("hello"))
    for try await line in service.lines {
      #expect(text(line) == "hello")
      break
    }
    await listener.close()
  }

  @Test func `a file that is not a socket is left alone`() async throws {
    let world = try SocketWorld()
    try PrivateDirectory.prepare(world.root + "/run")
    try createFile(world.socketPath, "precious")
    await #expect(throws: ControlSocketError.pathTaken(path: world.socketPath)) {
      try await world.listener()
    }
    #expect(mode(world.socketPath) == 0o600)
  }

  @Test func `a path too long for the address is refused on both sides`() async throws {
    let world = try SocketWorld()
    let lock = try world.lock()
    let path = world.root + "/" + String(repeating: "d", count: 108 - world.root.utf8.count - 1)
    #expect(path.utf8.count == 108)
    await #expect(throws: ControlSocketError.socketPathTooLong(path: path)) {
      try await ControlListener.start(at: path, holding: lock)
    }
    await #expect(throws: ControlSocketError.socketPathTooLong(path: path)) {
      try await ControlConnection.connect(to: path)
    }
    // One byte less is the longest that works; the directory is the test's own.
    let listener = try await ControlListener.start(at: String(path.dropLast()), holding: lock)
    let client = try await ControlConnection.connect(to: String(path.dropLast()))
    await client.close()
    await listener.close()
  }

  // Fault 120
  @Test func `neither side accepts another user`() async throws {
    let world = try SocketWorld()
    let own = Int64(geteuid())
    let refusals = Mutex<[ControlListener.Refusal]>([])
    let listener = try await ControlListener.start(
      at: world.socketPath, holding: try world.lock(), userID: own + 1,
      refused: { refusal in refusals.withLock { $0.append(refusal) } })
    let raw = try RawSocket(world.socketPath)
    #expect(raw.readToEnd() == "")
    raw.end()
    await #expect(
      throws: ControlSocketError.foreignPeer(path: world.socketPath, userID: own)
    ) { try await ControlConnection.connect(to: world.socketPath, userID: own + 1) }
    await listener.close()
    #expect(refusals.withLock { $0 }.first == .foreignUser(own))
    var accepted = 0
    for await _ in listener.connections { accepted += 1 }
    #expect(accepted == 0)
  }

  // Fault 117
  @Test func `connections above the maximum get an error and are closed, and others continue`()
    async throws
  {
    let world = try SocketWorld()
    let refusals = Mutex<[ControlListener.Refusal]>([])
    let listener = try await ControlListener.start(
      at: world.socketPath, holding: try world.lock(), limits: .init(connectionCountMax: 2),
      refused: { refusal in refusals.withLock { $0.append(refusal) } })
    let first = try await world.pair(listener)
    let second = try await world.pair(listener)
    // Its own sent bytes do not keep it from reading the reason.
    let third = try RawSocket(world.socketPath)
    third.send("hello\n")
    #expect(
      third.readToEnd()
        == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32009,"message":"2"}}"# + "\n")
    third.end()
    #expect(
      refusals.withLock { $0 }
        == [.tooManyConnections(countMax: 2, processID: Int64(getpid()))])
    try await second.service.send(bytes("still here"))
    for try await line in second.client.lines {
      #expect(text(line) == "still here")
      break
    }
    // A closed connection makes room for another one.
    await first.service.close()
    let fourth = try await world.pair(listener)
    try await fourth.client.send(bytes("x"))
    await listener.close()
  }

  // Fault 176
  @Test func `a service does not take the socket of another home`() async throws {
    let (first, second) = (try SocketWorld(), try SocketWorld())
    let listener = try await first.listener()
    let lock = try second.lock()
    await #expect(throws: ControlSocketError.pathServed(path: first.socketPath)) {
      try await ControlListener.start(at: first.socketPath, holding: lock)
    }
    let other = try await ControlListener.start(
      at: first.socketPath, fallback: second.socketPath, holding: lock, instance: "2")
    #expect(other.socketPath == second.socketPath)
    #expect(
      ServiceRecord.read(at: second.lockPath)
        == ServiceRecord(socketPath: second.socketPath, instance: "2"))
    _ = try await first.pair(listener)
    _ = try await second.pair(other)
    await other.close()
    #expect(mode(second.socketPath) == nil)
    await listener.close()
  }

  // Fault 177
  @Test func `a socket whose directory is lost moves to the other directory`() async throws {
    let world = try SocketWorld()
    let fallback = world.root + "/state/control.sock"
    let listener = try await ControlListener.start(
      at: world.socketPath, fallback: fallback, holding: try world.lock(), instance: "1")
    try FileManager.default.removeItem(atPath: world.root + "/run")
    // Nothing can be made there, as in the runtime directory after the last logout.
    try createFile(world.root + "/run")
    #expect(try await listener.restoreSocketFile())
    #expect(listener.socketPath == fallback)
    #expect(ServiceRecord.read(at: world.lockPath)?.socketPath == fallback)
    let client = try await ControlConnection.connect(to: fallback)
    await client.close()
    await listener.close()
  }

  @Test func `closing removes the socket file unless it was replaced`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    await listener.close()
    await listener.close()
    #expect(mode(world.socketPath) == nil)

    let otherWorld = try SocketWorld()
    let other = try await otherWorld.listener()
    try #require(unlink(other.socketPath) == 0)
    try createFile(other.socketPath)
    await other.close()
    #expect(mode(otherWorld.socketPath) == 0o600)
  }

  @Test func `a socket file removed with its directory is restored`() async throws {
    let world = try SocketWorld()
    let listener = try await world.listener()
    #expect(try await !listener.restoreSocketFile())
    let before = try await world.pair(listener)
    try #require(unlink(world.socketPath) == 0)
    try #require(rmdir(world.root + "/run") == 0)
    #expect(try await listener.restoreSocketFile())
    #expect(mode(world.socketPath) == 0o600)
    let after = try await world.pair(listener)
    for connection in [before, after] {
      try await connection.client.send(bytes("hello"))
      for try await line in connection.service.lines {
        #expect(text(line) == "hello")
        break
      }
    }
    await listener.close()
    #expect(try await !listener.restoreSocketFile())
  }
}
