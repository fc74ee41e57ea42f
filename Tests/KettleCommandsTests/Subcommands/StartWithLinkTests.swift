import KettleControl
import KettleModel
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct StartWithLinkTests {
  private let id = TransferID(rawValue: 3)

  @Test func `a new link is sent with its login`() async {
    var context = FakeContext()
    var row = snapshot(3, .queued)
    row.bytesReceived = 12_582_912
    context.service = FakeService([row])
    #expect(
      await context.run("start", "3", "--url", "https://me:s%40@example.org/a?t=2")
        == .init(code: 0, output: "3 resumes from 12 MiB\n", error: ""))
    #expect(
      context.service.asked.first
        == .relink(
          id, url: "https://example.org/a?t=2", Login(user: "me", password: "s@")))
  }

  @Test func `a login keeps the link`() async {
    let context = FakeContext()
    context.service.describe([snapshot(3, .waiting, url: "https://example.org/a?t=1")])
    let outcome = await context.run("start", "3", "--user", "me:secret")
    #expect(outcome.code == 0)
    #expect(
      context.service.asked.contains(
        .relink(id, url: "https://example.org/a?t=1", Login(user: "me", password: "secret"))))
  }

  @Test func `a password is asked for, and a link with a login gets the given one`() async {
    var context = FakeContext()
    context.console = FakeConsole(inputIsTerminal: true)
    context.console.answer(.success("asked"))
    _ = await context.run("start", "3", "--url", "https://a:b@example.org/a", "--user", "me")
    #expect(
      context.service.asked.first
        == .relink(id, url: "https://example.org/a", Login(user: "me", password: "asked")))
  }

  @Test func `the number after a start is what the request used, not what has arrived since`() {
    var details = TransferDetails(snapshot: snapshot(3, .running))
    details.snapshot.bytesReceived = 6 << 20
    details.resumedFromByteCount = 4 << 20
    #expect(Sentences.started(details) == "3 resumes from 4.0 MiB")
    details.awaitsAnswer = true
    #expect(Sentences.started(details) == "3 has 4.0 MiB and asks the server for the rest")
    details.awaitsAnswer = false
    details.resumedFromByteCount = 0
    #expect(Sentences.started(details) == "3 starts from the beginning")
  }

  @Test func `an invalid link is rejected before any request`() async {
    let context = FakeContext()
    #expect(
      await context.run("start", "3", "--url", "nfs://example.org/a")
        == .init(
          code: 2, output: "",
          error: "kettle: The URL \"nfs://example.org/a\" has the scheme \"nfs\"; "
            + "only http, https, ftp, ftps and sftp are supported\n"))
    #expect(context.service.asked.isEmpty)
  }

  @Test(arguments: [["3", "4"], ["--all"]])
  func `a link applies to one transfer`(which: [String]) async {
    let context = FakeContext()
    let outcome = await context.run(["start"] + which + ["--url", "https://example.org/a"])
    #expect(outcome.code == 2)
    #expect(
      outcome.error
        == "kettle: --url and --user apply to one transfer; give exactly one id\n")
    #expect(context.service.asked.isEmpty)
  }

  @Test func `an unknown transfer exits with 2, a completed one with 1`() async {
    for (why, code) in [(ControlRefusal.Why.unknown, Int32(2)), (.completed, 1)] {
      let context = FakeContext()
      context.service.refuse([.init(id: id, why: why)])
      let outcome = await context.run("start", "3", "--url", "https://example.org/a")
      #expect(outcome.code == code)
      #expect(outcome.output.isEmpty)
      #expect(
        outcome.error == "kettle: " + Sentences.of(.init(id: id, why: why)) + "\n")
    }
  }
}
