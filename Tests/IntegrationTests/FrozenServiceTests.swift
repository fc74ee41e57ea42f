import Foundation
import Testing

/// The real service, stopped with SIGSTOP.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct FrozenServiceTests {
  private let home: KettleHome

  init() throws { home = try KettleHome() }

  private func frozen() async throws -> Int32 {
    try await home.kettle("add", "--paused", "https://example.org/a.bin")
    let service = try await home.servicePID()
    kill(service, SIGSTOP)
    return service
  }

  // Fault 178
  @Test(arguments: [
    ["list"], ["add", "https://example.org/b"], ["pause", "1"], ["why", "1"], ["wait", "1"],
    ["watch"],
    ["queues"], ["daemon", "status"], ["daemon", "stop"], ["config", "reload"], [],
  ])
  func `every command says that the service does not answer`(words: [String]) async throws {
    let service = try await frozen()
    defer { kill(service, SIGCONT) }
    let begin = ContinuousClock.now
    let outcome = try await home.run(KettleHome.program, words)
    #expect(outcome.code == 3, "\(outcome.errors)")
    #expect(
      outcome.errors.hasPrefix("kettle: The service (process \(service)) does not answer"),
      "\(outcome.errors)")
    // On an idle machine it takes 5. The limit excludes only a command that waits for ever.
    #expect(ContinuousClock.now - begin < .seconds(60))
  }

  // Fault 178
  @Test func `a command that waits learns of it too`() async throws {
    try await home.kettle("add", "--paused", "https://example.org/a.bin")
    let service = try await home.servicePID()
    _ = try await home.tmux(
      "new-session", "-d", "-x", "120", "-y", "10",
      "\(KettleHome.program) wait 1; echo ended with $?; exec sh")
    // It has the state of the transfer, and waits for events.
    _ = try await home.screen { $0.contains("paused") }
    kill(service, SIGSTOP)
    defer { kill(service, SIGCONT) }
    let screen = try await home.screen { $0.contains("ended with") }
    #expect(screen.contains("does not answer") && screen.contains("ended with 3"), "\(screen)")
  }

  // Fault 178
  @Test func `an open dashboard says so, finds the service again, and can be left`() async throws {
    try await home.kettle("add", "--paused", "https://example.org/a.bin")
    let service = try await home.servicePID()
    _ = try await home.tmux(
      "new-session", "-d", "-x", "100", "-y", "24",
      "\(KettleHome.program); echo ended with $?; exec sh")
    _ = try await home.screen { $0.contains("a.bin") }
    kill(service, SIGSTOP)
    _ = try await home.screen { $0.contains("service does not answer") }
    kill(service, SIGCONT)
    _ = try await home.screen { !$0.contains("service does not answer") && $0.contains("a.bin") }
    kill(service, SIGSTOP)
    defer { kill(service, SIGCONT) }
    _ = try await home.tmux("send-keys", "q")
    _ = try await home.screen { $0.contains("ended with 0") }
  }
}
