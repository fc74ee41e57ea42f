import Foundation
import KettleModel
import Testing
import TestSupport

/// The programs of the documentation, as a reader would run them: to the end, killed in the middle
/// and started again, and killed and launched by the service.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct DocumentedProgramTests {
  /// A program and what it leaves behind.
  struct Case: CustomTestStringConvertible {
    let program: String
    /// The path at the origin and the name of the file.
    let files: [(path: String, name: String)]
    let isUpload: Bool

    var testDescription: String { program }

    init(_ program: String, _ files: (String, String)..., isUpload: Bool = false) {
      self.program = program
      self.files = files
      self.isUpload = isUpload
    }
  }

  static let cases = [
    Case("README1", ("/disk.iso", "disk.iso")),
    Case("BackgroundTransfer1", ("/books/17.pdf", "books/17.pdf")),
    Case(
      "AsyncDownloads1", ("/books/1.pdf", "books/1.pdf"), ("/books/2.pdf", "books/2.pdf"),
      ("/books/3.pdf", "books/3.pdf")),
    Case("DownloadingInTheBackground1", ("/books/17.pdf", "books/17.pdf")),
    Case("TenMinutes1", ("/disk.iso", "disk.iso")),
    Case("Uploading1", ("/films/17", "films/17.mp4"), isUpload: true),
  ]

  private let home: ExampleHome
  private let origin: ScriptedOrigin
  private let body = SeededBody(seed: 12, byteCount: 400_000)

  init() throws {
    home = try ExampleHome()
    origin = try ScriptedOrigin()
    for folder in ["books", "films"] {
      try FileManager.default.createDirectory(
        atPath: home.files + "/" + folder, withIntermediateDirectories: true)
    }
    try Data(body.bytes).write(to: URL(filePath: home.files + "/films/17.mp4"))
  }

  private func serve(_ test: Case, until event: String? = nil) {
    for file in test.files {
      let behavior =
        test.isUpload
        ? OriginBehavior.status(200, text: "thanks").with { $0.headWaitsFor = event }
        : OriginBehavior(body).with { behavior in
          behavior.stall = event.map { .init(after: 100_000, until: $0) }
        }
      origin.serve(behavior, at: file.path)
    }
  }

  private func start(_ test: Case) throws -> Running {
    let origin = "http://\(origin.host):\(origin.port)"
    return try home.startDocumented(test.program, origin: origin)
  }

  private func waitUntilBegun(_ test: Case) async throws {
    for file in test.files { try await origin.waitForRequests(1, at: file.path) }
  }

  /// There is no event for it, and each look starts a process.
  private func waitUntilConnected(_ program: Running) async throws {
    for _ in 0..<200 {
      let list = try await home.output(of: "session", "list", "--json")
      if String(decoding: list, as: UTF8.self).contains("\(program.processID)") { return }
    }
    Issue.record("the program did not connect")
  }

  private func waitUntilKept(_ name: String) async throws {
    let file = URL(filePath: home.files + "/" + name)
    let folder = file.deletingLastPathComponent()
    _ = try await FileLines(file.path, in: folder.path).wait(count: 1)
  }

  private func expectDoneOnce(_ test: Case) async throws {
    #expect(await (try home.start("kettle", "wait", "--all", "--timeout", "30")).end() == 0)
    if !test.isUpload {
      // A launched program moves its file when the transfer is complete, maybe after the service
      // has stopped.
      for file in test.files { try await waitUntilKept(file.name) }
    }
    // A stopped service has made all its launches.
    #expect(await (try home.start("kettle", "daemon", "stop")).end() == 0)
    for file in test.files {
      #expect(origin.beginnings(at: file.path) == 1)
      if !test.isUpload {
        #expect(body.difference(fromFileAt: home.files + "/" + file.name) == nil)
      }
    }
  }

  @Test(arguments: cases) func `run to its end`(_ test: Case) async throws {
    serve(test)
    #expect(await (try start(test)).end() == 0)
    try await expectDoneOnce(test)
  }

  @Test(arguments: cases) func `killed in the middle and started again`(_ test: Case) async throws {
    serve(test, until: "again")
    let first = try start(test)
    try await waitUntilBegun(test)
    first.send(SIGKILL)
    #expect(await first.end() == 128 + SIGKILL)
    let second = try start(test)
    try await waitUntilConnected(second)
    origin.release("again")
    #expect(await second.end() == 0)
    try await expectDoneOnce(test)
  }

  @Test(arguments: cases) func `killed in the middle and launched by the service`(
    _ test: Case
  ) async throws {
    serve(test, until: "killed")
    let program = try start(test)
    try await waitUntilBegun(test)
    program.send(SIGKILL)
    #expect(await program.end() == 128 + SIGKILL)
    origin.release("killed")
    try await expectDoneOnce(test)
  }
}
