import Foundation
import KettleSystem
import Logging
import Testing

@testable import KettleDaemon

@Suite(.timeLimit(.minutes(5)))
struct SocketFileMonitorTests {
  private struct Broken: Error {}

  private static let fast = SocketFileMonitor.Pace(
    calm: .milliseconds(5), alert: .milliseconds(5), alertCheckCount: 1)
  /// The timer does not fire during a test.
  private static let slow = SocketFileMonitor.Pace(
    calm: .seconds(3600), alert: .seconds(3600), alertCheckCount: 1)
  private static let nowhere = "/nonexistent/kettle/control.sock"

  @Test func `checks continue after a failure`() async {
    let (checks, continuation) = AsyncStream<Void>.makeStream()
    let count = Mutex(0)
    let monitor = SocketFileMonitor(
      of: Self.nowhere, pace: Self.fast, logger: Logger(label: "test")
    ) {
      continuation.yield()
      if count.withLock({
        $0 += 1
        return $0 == 2
      }) {
        throw Broken()
      }
      return false
    }
    var seen = 0
    for await _ in checks {
      seen += 1
      if seen == 4 { break }
    }
    monitor.end()
    #expect(seen == 4)
  }

  // Fault 177
  @Test func `a client that looks for a service causes a check`() async throws {
    let directory = try TemporaryDirectory()
    let startLock = directory.path + "/start.lock"
    let (checks, continuation) = AsyncStream<Void>.makeStream()
    let monitor = SocketFileMonitor(
      of: Self.nowhere, startLockPath: startLock, pace: Self.slow, logger: Logger(label: "test")
    ) {
      continuation.yield()
      return false
    }
    _ = OwnedDescriptor(opened: open(startLock, O_RDWR | O_CLOEXEC))
    for await _ in checks { break }
    monitor.end()
  }

  @Test func `checks never overlap`() async throws {
    let directory = try TemporaryDirectory()
    let (checks, continuation) = AsyncStream<Int>.makeStream()
    let (gate, opening) = AsyncStream<Void>.makeStream()
    let under = Mutex(0)
    let monitor = SocketFileMonitor(
      of: directory.path + "/control.sock", pace: Self.fast, logger: Logger(label: "test")
    ) {
      continuation.yield(
        under.withLock {
          $0 += 1
          return $0
        })
      // Each removal while this check waits would cause a second check.
      for await _ in gate { break }
      under.withLock { $0 -= 1 }
      return false
    }
    var all = checks.makeAsyncIterator()
    #expect(await all.next() == 1)
    for number in 0..<3 {
      try directory.makeAndRemove("file \(number)")
      opening.yield()
      #expect(await all.next() == 1)
    }
    monitor.end()
  }

  @Test func `a removed file triggers a check`() async throws {
    let directory = try TemporaryDirectory()
    let (checks, continuation) = AsyncStream<Void>.makeStream()
    let monitor = SocketFileMonitor(
      of: directory.path + "/control.sock", pace: Self.slow, logger: Logger(label: "test")
    ) {
      continuation.yield()
      return false
    }
    var all = checks.makeAsyncIterator()
    try directory.makeAndRemove("control.sock")
    #expect(await all.next() != nil)
    monitor.end()
  }

  @Test func `a recreated directory is watched`() async throws {
    let directory = try TemporaryDirectory()
    let place = directory.path + "/kettle"
    try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
    let (checks, continuation) = AsyncStream<Bool>.makeStream()
    let monitor = SocketFileMonitor(
      of: place + "/control.sock", pace: Self.slow, logger: Logger(label: "test")
    ) {
      let isThere = FileManager.default.fileExists(atPath: place)
      if !isThere {
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
      }
      continuation.yield(isThere)
      return !isThere
    }
    var all = checks.makeAsyncIterator()
    try FileManager.default.removeItem(atPath: place)
    #expect(await all.next() == false)
    // It is watched only after the check, so the file is removed until a check follows.
    let removal = Task {
      while !Task.isCancelled {
        _ = FileManager.default.createFile(atPath: place + "/file", contents: nil)
        try? FileManager.default.removeItem(atPath: place + "/file")
        await Task.yield()
      }
    }
    #expect(await all.next() == true)
    removal.cancel()
    monitor.end()
  }
}

/// A directory that is deleted with its last reference.
private final class TemporaryDirectory: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "kettle-monitor-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func makeAndRemove(_ name: String) throws {
    _ = FileManager.default.createFile(atPath: path + "/" + name, contents: nil)
    try FileManager.default.removeItem(atPath: path + "/" + name)
  }
}
