import Foundation
import SeededNumbers
import Testing
import TestSupport

/// Signals while the real service starts.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct RealStartTests {
  private let home: KettleHome

  init() throws { home = try KettleHome() }

  private func start(_ words: [String]) throws -> Running {
    try Running("/usr/bin/env", words, home.environment, output: home.path + "/said")
  }

  /// Waits for the end. After 30 seconds `processID` is killed, and the status shows that.
  private func end(of running: Running, processID: pid_t) async -> Int32 {
    let killing = DispatchWorkItem { kill(processID, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 30, execute: killing)
    defer { killing.cancel() }
    return await running.end()
  }

  /// A clean end, or that of a program that does not handle the signal yet.
  private func isEnd(_ status: Int32) -> Bool { status == 0 || status == 128 + SIGTERM }

  // Fault 106
  @Test func `SIGTERM at any moment of the start ends the service`() async throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    for number in 0..<30 {
      let service = try start([KettleHome.program, "daemon", "run"])
      let moment = ContinuousClock.now + .microseconds(Int.random(in: 0...200_000, using: &random))
      while ContinuousClock.now < moment {}
      service.send(SIGTERM)
      let status = await end(of: service, processID: service.processID)
      let said = (try? String(contentsOfFile: home.path + "/said", encoding: .utf8)) ?? ""
      #expect(isEnd(status), "start \(number) ended with \(status), seed \(seed): \(said)")
    }
    #expect(try await home.rows().isEmpty)
  }

  // Fault 106
  @Test(.enabled(if: Tracer.isThere, "strace is not installed"))
  func `SIGTERM during the installation of its handler is not lost`() async throws {
    let trace = try NamedPipe(home.path + "/trace")
    // Every change of a signal's disposition is delayed; the test waits for the first one of
    // SIGTERM.
    let service = try start([
      "strace", "-f", "-qq", "-o", trace.path, "-e", "trace=rt_sigaction", "-e", "signal=none",
      "-e", "inject=rt_sigaction:delay_exit=100000", KettleHome.program, "daemon", "run",
    ])
    let processID = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        continuation.resume(returning: Self.signalAtFirstChange(trace))
        // strace blocks when its output is not read.
        while let text = trace.next(budgetMilliseconds: 30_000), !text.isEmpty {}
      }
    }
    try #require(processID != nil, "the trace never showed SIGTERM")
    let status = await end(of: service, processID: try #require(processID))
    #expect(isEnd(status), "it ended with \(status)")
  }

  /// Sends SIGTERM to the traced process as soon as it changes the disposition of SIGTERM.
  private static func signalAtFirstChange(_ trace: NamedPipe) -> pid_t? {
    var said = ""
    while let text = trace.next(budgetMilliseconds: 30_000), !text.isEmpty {
      said += text
      guard said.contains("rt_sigaction(SIGTERM"),
        let processID = said.split(separator: " ").first.flatMap({ pid_t($0) })
      else { continue }
      kill(processID, SIGTERM)
      return processID
    }
    return nil
  }
}
