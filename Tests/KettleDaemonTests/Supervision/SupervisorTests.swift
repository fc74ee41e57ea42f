import Foundation
import KettleSystem
import Testing

@testable import KettleDaemon

struct SupervisorTests {
  private func supervisor(_ environment: [String: String]) -> Supervisor? {
    Supervisor(environment: environment, processID: 42)
  }

  @Test func `a service without a supervisor has none`() {
    #expect(supervisor([:]) == nil)
    #expect(supervisor(["HOME": "/home/me", "NOTIFY_SOCKET": ""]) == nil)
    // Meant for another process, which passed its environment on.
    #expect(supervisor(["LISTEN_PID": "41", "LISTEN_FDS": "1"]) == nil)
    #expect(supervisor(["LISTEN_PID": "42", "LISTEN_FDS": "2"]) == nil)
    #expect(supervisor(["LISTEN_PID": "x", "LISTEN_FDS": "1"]) == nil)
    #expect(supervisor(["JOURNAL_STREAM": "1:2"]) == nil)
  }

  @Test func `what systemd passes is understood`() throws {
    let all = try #require(
      supervisor([
        "LISTEN_PID": "42", "LISTEN_FDS": "1", "NOTIFY_SOCKET": "@x", "WATCHDOG_PID": "42",
        "WATCHDOG_USEC": "120000000",
      ]))
    #expect(all.socketDescriptor == 3)
    #expect(all.notifyAddress == "@x")
    #expect(all.watchdogMicroseconds == 120_000_000)
    #expect(!all.hasJournal)
    let other = try #require(
      supervisor(["NOTIFY_SOCKET": "/n", "WATCHDOG_PID": "41", "WATCHDOG_USEC": "1"]))
    #expect(other.socketDescriptor == nil)
    #expect(other.watchdogMicroseconds == nil)
  }

  @Test func `the journal is where standard error leads to`() throws {
    var status = stat()
    try #require(fstat(STDERR_FILENO, &status) == 0)
    let stream = "\(status.st_dev):\(status.st_ino)"
    #expect(supervisor(["JOURNAL_STREAM": stream])?.hasJournal == true)
  }

  @Test(arguments: ["path", "abstract"])
  func `states are reported as datagrams`(kind: String) throws {
    let name = "/tmp/knotify-\(UUID().uuidString)"
    let isAbstract = kind == "abstract"
    let receiver = try Receiver(name, isAbstract: isAbstract)
    let channel = SupervisorChannel(
      supervisor(["NOTIFY_SOCKET": isAbstract ? "@" + name : name]))
    channel.report(.ready)
    channel.report(.alive)
    #expect(receiver.next() == "READY=1")
    #expect(receiver.next() == "WATCHDOG=1")
    SupervisorChannel(nil).report(.stopping)
    SupervisorChannel(supervisor(["NOTIFY_SOCKET": "/nowhere/at/all"])).report(.stopping)
    channel.report(.stopping)
    #expect(receiver.next() == "STOPPING=1")
  }
}

/// The other end of the supervisor's socket.
private final class Receiver {
  private let socket: OwnedDescriptor
  private let path: String?

  init(_ name: String, isAbstract: Bool) throws {
    let number = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    guard let owned = OwnedDescriptor(opened: number) else { throw SystemError(errno) }
    socket = owned
    path = isAbstract ? nil : name
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = (isAbstract ? [0] : []) + Array(name.utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(number, $0, length) }
    }
    guard result == 0 else { throw SystemError(errno) }
  }

  deinit { if let path { unlink(path) } }

  /// The next message; a datagram that was sent is already here.
  func next() -> String {
    var buffer = [UInt8](repeating: 0, count: 256)
    let count = recv(socket.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
