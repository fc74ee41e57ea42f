import Foundation
import Glibc
import KettleControl
import KettleModel
import KettleSocket
import KettleSystem
import Testing

@testable import KettleCommands

/// `kettle get -o -`
@Suite(.timeLimit(.minutes(5)))
struct GetToStandardOutputTests: GetRows {
  @Test func `-o - is for one file of this machine, and --stream needs it`() async {
    for (arguments, part) in [
      ([url, url + "2", "-o", "-"], "\"-o -\" is for one file but 2 URLs were given"),
      ([url, "--stream"], "needs \"-o -\""),
      ([url, "-o", "-", "--host", "h"], "on the other machine"),
      ([url, "-o", "-", "--json"], "both write to standard output"),
    ] {
      let context = FakeContext()
      let outcome = await context.run(["get"] + arguments)
      #expect(outcome.code == 2)
      #expect(outcome.error.contains(part))
      #expect(context.service.asked.isEmpty)
    }
  }

  @Test func `-o - passes a verified file on and leaves nothing behind`() async throws {
    let folder = try TemporaryDirectory()
    var context = FakeContext()
    context.environment["TMPDIR"] = folder.path
    let arguments = ["get", url, "-o", "-", "-q"]
    let service = context.service
    service.onAdd { spec in
      let path = (spec.directory ?? "") + "/" + (spec.name?.text ?? "")
      try? "the file".write(toFile: path, atomically: false, encoding: .utf8)
    }
    service.onWatch([event(completed)])
    let outcome = await context.run(arguments)
    #expect(outcome == .init(code: 0, output: "the file", error: ""))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    #expect(service.asked.contains(.control(.remove, .ids([TransferID(rawValue: 1)]))))
  }

  /// Gets a file of which the service has created nothing.
  private func get(
    _ arguments: String..., rows: [TransferSnapshot], readerGone: Bool = false,
    files: [String: String] = [:]
  ) async throws -> (FakeContext.CommandResult, asked: [FakeService.Asked], left: [String]) {
    let folder = try TemporaryDirectory()
    var context = FakeContext()
    context.environment["TMPDIR"] = folder.path
    if readerGone { context.console.fail(with: .readerGone) }
    context.service.onAdd { spec in
      for (name, text) in files {
        let path = (spec.directory ?? "") + "/" + name
        try? text.write(toFile: path, atomically: false, encoding: .utf8)
      }
    }
    context.service.onWatch(rows.map { event($0) })
    let outcome = await context.run(["get", url, "-o", "-", "-q"] + arguments)
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (outcome, context.service.asked, left)
  }

  @Test func `a file that cannot be read is an error and leaves nothing behind`() async throws {
    let (outcome, _, left) = try await get(rows: [completed])
    #expect(outcome.code == 1)
    #expect(outcome.output == "")
    #expect(outcome.error.contains("cannot be read (No such file or directory)"))
    #expect(left == [])
  }

  @Test func `a stream passes on what has arrived and then the rest`() async throws {
    let (outcome, asked, _) = try await get(
      "--stream", rows: [running(3), completed], files: ["file.part": "abc...", "file": ""])
    // Another file has the final name.
    #expect(outcome.output == "abc")
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("changed on the server after a part of it was passed on"))
    let specs = asked.flatMap { asked -> [TransferSpec] in
      if case .add(let specs) = asked { specs } else { [] }
    }
    #expect(specs.first?.connections == 1)
  }

  @Test func `bytes that are discarded after they were passed on are an error`() async throws {
    let (outcome, _, _) = try await get(
      "--stream", rows: [running(3), running(2)], files: ["file.part": "abc"])
    #expect(outcome.output == "abc")
    #expect(outcome.code == 1)
    #expect(outcome.error.contains("changed on the server"))
  }

  @Test func `when the reader has gone nothing more is fetched`() async throws {
    let (outcome, asked, left) = try await get(
      "--stream", rows: [running(3)], readerGone: true, files: ["file.part": "abc"])
    #expect(outcome.code == 0)
    #expect(asked.contains(.control(.remove, .ids([TransferID(rawValue: 1)]))))
    #expect(left == [])
  }

  // Fault 163
  @Test func `a file with another number after its rename is still the streamed one`() throws {
    let directory = try TemporaryDirectory()
    let descriptors = try [("a", "same"), ("b", "same"), ("c", "other")].map { name, text in
      open(try directory.file(name, text), O_RDONLY | O_CLOEXEC)
    }
    defer { descriptors.forEach { close($0) } }
    func isSame(_ index: Int, _ numbers: InodeNumbers) -> Bool {
      StandardOutputDelivery.isSameFile(descriptors[0], descriptors[index], where: numbers)
    }
    #expect(isSame(0, .lasting) && isSame(1, .passing))
    #expect(!isSame(1, .lasting) && !isSame(2, .passing))
  }
}
