import KettleControl
import KettleModel
import KettleSocket
import Testing

@testable import KettleCommands

@Suite(.timeLimit(.minutes(5)))
struct ControlCommandsTests {
  private func id(_ number: Int64) -> TransferID { TransferID(rawValue: number) }

  private func context(_ rows: TransferSnapshot...) -> FakeContext {
    var context = FakeContext()
    context.service = FakeService(rows)
    return context
  }

  @Test(arguments: [
    ("pause", ControlVerb.pause, "1 paused\n2 paused\n"),
    ("stop", .stop, "1 stopped\n2 stopped\n"),
    ("remove", .remove, "1 removed\n2 removed\n"),
  ])
  func `controlled ids are printed`(
    command: String, verb: ControlVerb, output: String
  ) async {
    let context = context(snapshot(1, .running), snapshot(2, .running))
    #expect(await context.run(command, "1", "2") == .init(code: 0, output: output, error: ""))
    #expect(context.service.asked == [.control(verb, .ids([id(1), id(2)]))])
  }

  @Test func `start reports whether it resumes or starts over, and why`() async {
    var held = snapshot(1, .queued)
    held.bytesReceived = 12_582_912
    var changed = snapshot(3, .queued)
    changed.freshStart = .resourceChanged
    let context = context(held, snapshot(2, .queued), changed)
    #expect(
      await context.run("start", "1", "2", "3")
        == .init(
          code: 0,
          output: """
            1 resumes from 12 MiB
            2 starts from the beginning
            3 starts from the beginning, because the file on the server has changed

            """, error: ""))
  }

  // Fault 201
  @Test(arguments: [ControlVerb.start, .pause, .stop, .remove])
  func `many ids are one request, and a line each`(verb: ControlVerb) async {
    let context = context()
    let numbers = (1...5000).reversed().map(Int64.init)
    let outcome = await context.run([verb.rawValue] + numbers.map(String.init))
    #expect(outcome.code == 0)
    let lines = numbers.map { Sentences.did(verb, id($0)) + "\n" }
    #expect(outcome.output.utf8.elementsEqual(lines.joined().utf8))
    #expect(context.service.asked == [.control(verb, .ids(numbers.map(id)))])
  }

  @Test func `a bad word among many ids is refused as among few`() async {
    let few = await FakeContext().run("pause", "1", "2", "x")
    let many = await FakeContext().run(["pause"] + (1...200).map(String.init) + ["x", "3", "4"])
    #expect(few.code == 2)
    #expect(many == few)
  }

  @Test(arguments: [
    ("start", ControlVerb.start, "2 transfers started\n"),
    ("pause", .pause, "2 transfers paused\n"),
    (
      "stop", .stop, "2 transfers stopped; \"kettle undo\" brings them back for ten minutes\n"
    ),
    (
      "remove", .remove, "2 transfers removed; \"kettle undo\" brings them back for ten minutes\n"
    ),
  ])
  func `--all controls all transfers and prints their count`(
    command: String, verb: ControlVerb, output: String
  ) async {
    let context = context(snapshot(1, .running), snapshot(2, .running))
    #expect(await context.run(command, "--all") == .init(code: 0, output: output, error: ""))
    #expect(context.service.asked == [.control(verb, .all)])
  }

  @Test func `a stop says how much is kept, and a start what it continues from`() async {
    let context = context(snapshot(1, .running), snapshot(2, .running))
    let until = context.clock.now().wall.advanced(byMilliseconds: BinAction.keptMilliseconds)
    context.service.bin(BinBytes(transferCount: 2, byteCount: 67_108_864, until: until))
    let stopped = await context.run("stop", "--all").output
    #expect(stopped.hasPrefix("2 transfers stopped; 64 MiB kept until "), "\(stopped)")
    #expect(stopped.contains("\"kettle start\" continues"), "\(stopped)")
    let one = await context.run("stop", "1")
    #expect(one.output == stopped + "1 stopped\n")
    #expect(one.error.hasPrefix("64 MiB kept until "), "\(one.error)")
    context.service.bin(BinBytes(transferCount: 2, byteCount: 67_108_864))
    let started = await context.run("start", "--all").output.dropFirst(one.output.count)
    #expect(started == "2 transfers started; continues from 64 MiB that the bin had kept\n")
  }

  @Test func `--fresh starts from the beginning`() async {
    let context = context(snapshot(1, .paused))
    #expect(await context.run("start", "1", "--fresh").output == "1 started from the beginning\n")
    #expect(context.service.asked.contains(.control(.startFresh, .ids([id(1)]))))
    let refused = await context.run("start", "1", "--fresh", "--user", "a:b")
    #expect(refused.code == 2)
    #expect(refused.error.contains("--fresh"))
  }

  @Test(arguments: ["start", "pause", "stop", "remove"])
  func `neither ids nor --all, or both, is an error`(command: String) async {
    let neither = await FakeContext().run(command)
    #expect(neither.code == 2)
    #expect(neither.error.contains("needs transfer ids, or --all"))
    let both = await FakeContext().run(command, "1", "--all")
    #expect(both.code == 2)
    #expect(both.error.contains("takes either ids or --all"))
  }

  @Test(arguments: ["0", "x", "1.5", "99999999999999999999"])
  func `an id is a positive number`(text: String) async {
    let context = FakeContext()
    let outcome = await context.run("pause", text)
    #expect(outcome.code == 2)
    #expect(outcome.error.hasPrefix("kettle: The value '\(text)' is invalid for '<id>'"))
    #expect(context.service.asked.isEmpty)
  }

  @Test func `only unknown ids exit with 2`() async {
    let context = context()
    context.service.refuse([.init(id: id(8), why: .unknown)])
    #expect(
      await context.run("pause", "8")
        == .init(
          code: 2, output: "",
          error: "kettle: There is no transfer 8; \"kettle list\" shows all transfers\n"))
  }

  @Test func `partial success exits with 1`() async {
    let context = context(snapshot(1, .running))
    context.service.refuse([
      .init(id: id(8), why: .unknown), .init(id: id(9), why: .completed),
    ])
    let outcome = await context.run("pause", "1", "8", "9")
    #expect(outcome.code == 1)
    #expect(outcome.output == "1 paused\n")
    #expect(outcome.error.split(separator: "\n").count == 2)
  }

  @Test func `a completed transfer needs neither a start nor a pause`() async {
    for verb in ["start", "pause", "stop"] {
      let context = context(snapshot(1, .completed))
      context.service.refuse([.init(id: id(1), why: .completed)])
      #expect(
        await context.run(verb, "1")
          == .init(
            code: 0, output: "",
            error: "Transfer 1 is done already; \"kettle get --again\" with its URL fetches "
              + "another copy\n"))
    }
  }

  @Test func `a control that the state forbids exits with 1`() async {
    let context = context(snapshot(1, .idle))
    context.service.refuse([.init(id: id(1), why: .notStarted)])
    #expect(await context.run("pause", "1").code == 1)
  }

  @Test func `remove --with-file also deletes the file`() async {
    let context = context(snapshot(1, .completed))
    #expect(await context.run("remove", "--with-file", "1").output == "1 removed with its file\n")
    #expect(context.service.asked == [.control(.removeWithFile, .ids([id(1)]))])
  }

  // Fault 167
  @Test func `remove --with-file says that a file stays`() async {
    let context = context(snapshot(1, .completed), snapshot(2, .completed))
    context.service.keepFiles([.init(id: id(1), path: "/home/anna/a.iso")])
    let outcome = await context.run("remove", "--with-file", "1", "2")
    #expect(outcome.code == 1)
    #expect(outcome.output == "1 removed\n2 removed with its file\n")
    #expect(
      outcome.error
        == "kettle: The file \"/home/anna/a.iso\" stays, because it is not as Kettle wrote it or "
        + "cannot be moved; delete it yourself if it is to go\n")
  }

  @Test(arguments: [("y", Int32(0)), ("YES", 0), ("", 130), ("n", 130), ("yep", 130)])
  func `on a terminal remove --all asks first`(answer: String, code: Int32) async {
    var context = context(snapshot(1, .running))
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    context.console.answer(.success(answer))
    let outcome = await context.run("remove", "--all")
    #expect(outcome.code == code)
    #expect(
      context.console.questions
        == [
          "Remove all transfers from the list and move their partial files to the bin? [y/N] "
        ])
    #expect(context.service.asked.isEmpty == (code != 0))
    #expect(outcome.error == (code == 0 ? "" : "Nothing changed\n"))
  }

  @Test func `remove --all --yes does not ask`() async {
    var context = context(snapshot(1, .running))
    context.console = FakeConsole(inputIsTerminal: true, outputColumns: 80)
    #expect(await context.run("remove", "--all", "--yes").code == 0)
    #expect(context.console.questions.isEmpty)
  }

  @Test func `without a terminal files are not deleted without --yes`() async {
    let context = context(snapshot(1, .completed))
    let outcome = await context.run("remove", "--all", "--with-file")
    #expect(outcome.code == 2)
    #expect(outcome.error.contains("there is no terminal to ask on; add --yes"))
    #expect(context.service.asked.isEmpty)
    #expect(await context.run("remove", "--all", "--with-file", "-y").code == 0)
  }
}
