import Foundation
import Glibc
import KettleModel
import Testing
import TestSupport

/// A program that queues a file and exits; the service launches it again.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct RealSessionTests {
  private let home: KettleHome
  private let origin: ScriptedOrigin

  init() throws {
    home = try KettleHome()
    origin = try ScriptedOrigin()
  }

  private func sessions() async throws -> [[String: Any]] {
    let outcome = try await home.kettle("session", "list", "--json")
    let parsed = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8))
    return try #require(parsed as? [[String: Any]])
  }

  /// The text written to a pipe until its writer closes it. A read blocks, so it runs on a separate
  /// thread; the time limit is the suite's.
  private func text(ofPipe path: String) async -> String {
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let bytes = (try? FileHandle(forReadingAtPath: path)?.readToEnd()) ?? Data()
        continuation.resume(returning: String(decoding: bytes, as: UTF8.self))
      }
    }
  }

  /// Attaches with a script as the program, queues a file and disconnects.
  private func leave(_ script: String, _ url: String) throws {
    let program = try ControlLine(home)
    let attached = try program.ask(
      "sessions.attach",
      #"{"session":"org.example.app","options":{"launch":{"executablePath":"/bin/sh","#
        + #""arguments":["-c","\#(script)"],"directory":"\#(home.path)"},"#
        + #""sendsLaunchEvents":true,"asksServerTrust":false}}"#)
    #expect(attached.contains(#""lastTaskIdentifier":0"#), "\(attached)")
    let added = try program.ask(
      "transfers.add",
      #"{"transfers":[{"url":"\#(url)","session":"org.example.app","#
        + #""task":{"kind":"download","conditions":[],"credentials":[]}}]}"#)
    #expect(added.contains(#""ids":"#), "\(added)")
    program.close()
  }

  @Test func `a program that has exited is launched once when its file is complete`() async throws {
    let body = SeededBody(seed: 1, byteCount: 300_000)
    origin.serve(OriginBehavior(body), at: "/a.bin")
    try await home.kettle("daemon", "start")
    let pipe = home.path + "/told"
    try #require(mkfifo(pipe, 0o600) == 0)
    try leave(
      #"pwd > told.new; echo $KETTLE_SESSION_EVENTS > told; exit 9"#, origin.url("/a.bin").text)
    #expect(await text(ofPipe: pipe) == "org.example.app\n")
    #expect(
      String(
        decoding: FileManager.default.contents(atPath: home.path + "/told.new") ?? Data(),
        as: UTF8.self)
        == home.path + "\n")
    // The file is kept for the program, which has not collected it.
    let session = try #require(try await sessions().first)
    #expect(session["unreportedCount"] as? Int == 1)
    #expect(session["processID"] is NSNull)
    let list = try await home.kettle("list")
    #expect(list.output.contains("its program has not collected it yet"))
    // The user may drop a session that is not collected.
    let dropped = try await home.kettle("session", "drop", "org.example.app", "--yes")
    #expect(dropped.code == 0, "\(dropped.errors)")
    #expect(try await sessions().isEmpty)
    #expect(try await home.rows().isEmpty)
  }
}
