import Foundation
import Testing

/// The real program under a limit of its address space (`ulimit -v`).
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealAddressSpaceTests {
  private let home: KettleHome

  init() throws { home = try KettleHome() }

  @Test(arguments: [200_000, 300_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000])
  func `a small address space ends in an error, not in a signal`(kibibytes: Int) async throws {
    let outcome = try await limited(kibibytes, "list")
    #expect([0, 3].contains(outcome.code), "\(outcome.code) \(outcome.errors)")
    if outcome.code == 3 {
      #expect(
        outcome.errors.contains("The address space is limited to \(kibibytes / 1024) MiB"),
        "\(outcome.errors)")
    }
    if kibibytes <= 400_000 { #expect(outcome.code == 3) }
  }

  @Test func `a command runs in a sufficient address space`() async throws {
    let outcome = try await limited(1_500_000, "list")
    #expect(outcome.code == 0, "\(outcome.errors)")
  }

  private func limited(_ kibibytes: Int, _ word: String) async throws -> KettleHome.Outcome {
    let script = "ulimit -v \(kibibytes) && exec \"$0\" \"$1\""
    return try await home.run("/bin/sh", "-c", script, KettleHome.program, word)
  }
}
