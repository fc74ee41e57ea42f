import CKettleLinux
import Foundation
import Testing

/// The service as a child process of the test, so that the test can wait for its end.
final class ChildService: Sendable {
  struct End: Sendable {
    /// As in a shell: 128 plus the signal if one ended it.
    var status: Int32
    var cpuSeconds: Double
    var after: Duration
  }

  let processID: pid_t

  /// Starts it and waits until it answers.
  ///
  /// - Parameters:
  ///   - setting: What the shell runs before, for example `ulimit -n 64`.
  ///   - tracer: The shell words of a program that runs the service.
  init(_ home: KettleHome, setting: String = ":", behind tracer: String = "") async throws {
    var ends: [Int32] = [-1, -1]
    try #require(kettle_pipe(&ends) == 0)
    let (readEnd, writeEnd) = (ends[0], ends[1])
    defer { close(readEnd) }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    posix_spawn_file_actions_adddup2(&actions, writeEnd, 9)
    _ = kettle_spawn_close_from(&actions, 10)
    let script = "\(setting); exec 3>&9 9>&-; exec \(tracer) \"$0\" daemon run --ready-fd 3"
    let texts: [String] = ["/bin/sh", "-c", script, KettleHome.program]
    let words = texts.map { strdup($0) } + [nil]
    let variables = home.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var processID: pid_t = 0
    let problem = posix_spawn(&processID, "/bin/sh", &actions, nil, words, variables)
    close(writeEnd)
    try #require(problem == 0)
    self.processID = processID
    let isReady = await Self.onThread {
      var byte: UInt8 = 0
      while true {
        let count = read(readEnd, &byte, 1)
        if count == -1, errno == EINTR { continue }
        return count == 1
      }
    }
    try #require(isReady)
  }

  func send(_ signal: Int32) { kill(processID, signal) }

  /// Waits until it has ended. Nothing else may wait for it.
  func end() async -> End {
    let start = ContinuousClock.now
    return await Self.onThread { [processID] in
      var status: Int32 = 0
      var usage = rusage()
      while wait4(processID, &status, 0, &usage) == -1, errno == EINTR {}
      let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
      let microseconds = Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
      let seconds = Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + microseconds / 1e6
      return End(status: code, cpuSeconds: seconds, after: ContinuousClock.now - start)
    }
  }

  private static func onThread<Answer: Sendable>(
    _ body: @escaping @Sendable () -> Answer
  ) async -> Answer {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: body()) }
    }
  }
}

/// A client that connects and sends nothing.
final class SilentClient: Sendable {
  private let descriptor: Int32

  init(_ home: KettleHome) {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: (home.path + "/run/kettle/control.sock").utf8)
    }
    let descriptor = descriptor
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Sends a request and disconnects without waiting for the reply.
  func askAndLeave() {
    let line =
      #"{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocolVersion":1,"client":"x"}}"#
    let bytes = Array((line + "\n").utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
    hangUp()
  }

  func hangUp() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// Waits until the other end has stopped sending. Returns false if that takes longer than the
  /// budget.
  func isHungUp(withinMilliseconds budget: Int32) -> Bool {
    // POLLRDHUP of poll(2): the sending half of the other end is closed, after an error line.
    var entry = pollfd(fd: descriptor, events: 0x2000, revents: 0)
    return poll(&entry, 1, budget) == 1
  }

  deinit { close(descriptor) }
}
