import Foundation
import KettleModel
import Testing
import TestSupport

/// The real program, started with standard descriptors closed.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct ClosedDescriptorTests {
  enum Stream: String, CaseIterable {
    case input = "<&-"
    case output = ">&-"
    case error = "2>&-"
  }

  struct Case: CustomTestStringConvertible {
    var name = "kettle"
    var words: [String]
    var closed: [Stream]
    var code: Int32
    /// What standard error or, for a closed one, standard output contains.
    var said = ""

    var testDescription: String {
      "\(name) \(words.joined(separator: " ")) \(closed.map(\.rawValue).joined(separator: " "))"
    }
  }

  static let outputIsClosed = "Cannot write to standard output (it is closed)"
  static let inputIsClosed = "Cannot read standard input (it is closed)"

  static let cases: [Case] = [
    Case(words: ["--help"], closed: [.output], code: 1, said: outputIsClosed),
    Case(words: ["--version"], closed: [.output], code: 1, said: outputIsClosed),
    Case(words: ["list"], closed: [.output], code: 1, said: outputIsClosed),
    Case(words: ["list", "--json"], closed: [.output], code: 1, said: outputIsClosed),
    Case(words: ["list", "--json"], closed: [.input, .output], code: 1, said: outputIsClosed),
    Case(words: ["list", "--json"], closed: [.output, .error], code: 1),
    Case(words: ["list", "--json"], closed: [.input], code: 0),
    Case(words: ["list", "--json"], closed: [.error], code: 0, said: "own.bin"),
    Case(words: ["list", "--json"], closed: [.input, .error], code: 0, said: "own.bin"),
    Case(words: ["why", "1"], closed: [.output], code: 1, said: outputIsClosed),
    Case(words: ["daemon", "status"], closed: [.output], code: 1, said: outputIsClosed),
    Case(words: ["config", "path"], closed: [.output], code: 1, said: outputIsClosed),
    Case(words: [], closed: [.output], code: 1, said: outputIsClosed),
    Case(words: ["add", "-i", "-"], closed: [.input], code: 2, said: inputIsClosed),
    Case(words: ["list", "--no-such"], closed: [.error], code: 2),
    Case(
      name: "kettle-aria2c", words: ["--version"], closed: [.output], code: 1,
      said: outputIsClosed),
    Case(name: "kettle-aria2c", words: ["--help"], closed: [.error], code: 0, said: "yt-dlp"),
    Case(name: "kettle-native-host", words: [], closed: [.input], code: 2, said: inputIsClosed),
    Case(name: "kettle-native-host", words: [], closed: [.input, .output, .error], code: 2),
  ]

  private func run(_ one: Case, in home: KettleHome) async throws -> KettleHome.Outcome {
    let program = home.path + "/" + one.name
    if !FileManager.default.fileExists(atPath: program) {
      try FileManager.default.createSymbolicLink(
        atPath: program, withDestinationPath: KettleHome.program)
    }
    let redirections = one.closed.map(\.rawValue).joined(separator: " ")
    return try await home.run(
      "/bin/sh", ["-c", "exec \"$0\" \"$@\" \(redirections)", program] + one.words)
  }

  // Fault 173
  @Test(arguments: cases)
  func `a closed descriptor is an error of the command that needs it and harmless to others`(
    one: Case
  ) async throws {
    let home = try KettleHome()
    try await home.kettle("add", "--paused", "https://example.org/own.bin")
    let outcome = try await run(one, in: home)
    #expect(outcome.code == one.code, "\(outcome.output)\(outcome.errors)")
    let said = one.closed.contains(.error) ? outcome.output : outcome.errors
    #expect(one.said.isEmpty || said.contains(one.said), "\(said)")
    // No request was read from what the command printed.
    #expect(try await home.rows().count == 1)
  }

  // Fault 173
  @Test func `what a server sends to a closed standard output reaches nothing`() async throws {
    let home = try KettleHome()
    let origin = try ScriptedOrigin()
    origin.serve(OriginBehavior(SeededBody(seed: 1, byteCount: 100_000)), at: "/a.bin")
    let url = try origin.url("/a.bin").text
    let outcome = try await run(
      Case(words: ["get", "-q", "-o", "-", url], closed: [.output], code: 1), in: home)
    #expect(outcome.code == 1)
    #expect(outcome.errors.contains(Self.outputIsClosed), "\(outcome.errors)")
  }

  // Fault 173
  @Test func `the service holds nothing at a number that was closed`() async throws {
    let home = try KettleHome()
    let all = Stream.allCases.map(\.rawValue).joined(separator: " ")
    _ = try await home.run("/bin/sh", ["-c", "\"$0\" daemon run \(all) &", KettleHome.program])
    var processID: Int32?
    while processID == nil { processID = try? await home.servicePID() }
    for number in 0...2 {
      let link = "/proc/\(try #require(processID))/fd/\(number)"
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
    }
  }

  // Fault 173
  @Test func `a service that a command with closed descriptors starts holds none of its sockets`()
    async throws
  {
    let home = try KettleHome()
    _ = try await run(Case(words: ["list"], closed: Stream.allCases, code: 0), in: home)
    let processID = try await home.servicePID()
    let input = try FileManager.default.destinationOfSymbolicLink(
      atPath: "/proc/\(processID)/fd/0")
    #expect(input == "/dev/null")
    for number in 1...2 {
      let link = "/proc/\(processID)/fd/\(number)"
      let path = try FileManager.default.destinationOfSymbolicLink(atPath: link)
      #expect(path == "/dev/null" || path.hasSuffix("/service.log"), "\(path)")
    }
  }
}
