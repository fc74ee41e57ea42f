import Foundation
import KettleControl
import KettleDashboard
import KettleModel
import KettleSocket
import TestSupport
import Testing

@testable import KettleCommands

/// Adding from the form, looking for duplicates, and opening files.
@Suite(.timeLimit(.minutes(5)))
struct DashboardAddingTests {
  private func spec(_ url: String, directory: String? = nil) throws -> TransferSpec {
    var spec = TransferSpec(url: try TransferURL.parse(url).get().url)
    spec.directory = directory
    return spec
  }

  /// Returns the outcome of one effect. The link's own message may arrive at any time.
  private func outcome(
    _ effect: ServiceEffect, in context: FakeContext, filesAreHere: Bool = true
  ) async throws -> DashboardMessage? {
    var request = DashboardRequest(address: context.context.address, client: "kettle")
    request.filesAreHere = filesAreHere
    let session = try await DashboardSession.open(request, in: context.context)
    session.perform(effect)
    var outcome: DashboardMessage?
    for await message in session.messages where message != .linkChanged(.connected) {
      outcome = message
      break
    }
    await session.close()
    return outcome
  }

  @Test func `a directory is checked before anything is added`() async throws {
    let context = FakeContext()
    let missing = try spec("http://a/1", directory: "/nowhere/at/all")
    #expect(
      try await outcome(.add([missing]), in: context)
        == .commandFinished(
          .addFailed(
            sentence: Sentences.report(
              of: UsageError(.path(.directoryMissing("/nowhere/at/all")))
            ).sentences.joined())))
    #expect(context.service.asked.filter { $0 != .status } == [])
    let directory = try TemporaryDirectory()
    let there = try spec("http://a/1", directory: directory.path + "/.")
    #expect(
      try await outcome(.add([there]), in: context)
        == .commandFinished(.added(count: 1, first: TransferID(rawValue: 1))))
    #expect(
      context.service.asked.filter { $0 != .status } == [
        .add([try spec("http://a/1", directory: directory.path)])
      ])
  }

  @Test func `a directory of another machine is checked by its service`() async throws {
    let context = FakeContext()
    let far = try spec("http://a/1", directory: "/nowhere/at/all")
    #expect(
      try await outcome(.add([far]), in: context, filesAreHere: false)
        == .commandFinished(.added(count: 1, first: TransferID(rawValue: 1))))
  }

  @Test func `a refusal by the service is reported as a failed addition`() async throws {
    let context = FakeContext()
    context.service.fail(AddTransfers.name, with: ControlError(.cannotKeep, "disk full"))
    let error = ControlError(.cannotKeep, "disk full")
    #expect(
      try await outcome(.add([spec("http://a/1")]), in: context)
        == .commandFinished(.addFailed(sentence: Sentences.of(error))))
  }

  @Test func `thousands of URLs are searched in batches`() async throws {
    var context = FakeContext()
    context.service = FakeService([snapshot(1, .running)])
    let known = snapshot(1, .running).url
    let urls = (0..<2500).map { "http://a/\($0)" } + [known]
    let found = DuplicateSearch.Found(id: TransferID(rawValue: 1), state: .running)
    #expect(
      try await outcome(.findDuplicates(urls), in: context) == .duplicatesFound([known: found]))
    #expect(context.service.sought.map(\.count) == [1000, 1000, 501])
  }

  @Test(arguments: [
    ([String: String](), "/etc/passwd", FileOpener.Problem.noDesktop),
    (["DISPLAY": ""], "/etc/passwd", .noDesktop),
    (["DISPLAY": ":0", "PATH": "/nowhere"], "/etc/passwd", .noOpener),
    (["WAYLAND_DISPLAY": "w", "PATH": "relative:"], "/etc/passwd", .noOpener),
  ])
  func `a file that cannot be opened is reported with the reason`(
    environment: [String: String], path: String, problem: FileOpener.Problem
  ) async throws {
    var context = FakeContext()
    context.environment = environment
    #expect(
      try await outcome(.openFile(path: path), in: context)
        == .commandFinished(.failed(sentence: Sentences.of(problem))))
    #expect(
      try await outcome(.openFile(path: path), in: context, filesAreHere: false)
        == .commandFinished(.failed(sentence: Sentences.of(.fileElsewhere))))
  }

  @Test func `a page that cannot be opened is reported with the reason, wherever the service is`()
    async throws
  {
    let page = try TransferURL.parse("https://example.org/a?b=c").get().url
    var context = FakeContext()
    context.environment = ["PATH": "/nowhere"]
    #expect(
      try await outcome(.openPage(page), in: context, filesAreHere: false)
        == .commandFinished(.openedPage(page, problem: Sentences.ofPage(.noDesktop))))
    context.environment = ["DISPLAY": ":0", "PATH": "/nowhere"]
    #expect(
      try await outcome(.openPage(page), in: context)
        == .commandFinished(.openedPage(page, problem: Sentences.ofPage(.noOpener))))
  }

  @Test func `the desktop's opener gets the URL of a page unchanged, and no other kind`()
    async throws
  {
    let directory = try TemporaryDirectory()
    try ShellProgram.write(
      "printf %s \"$1\" > \"\(directory.path)/opened\"; exit 3", to: directory.path + "/xdg-open")
    let opener = FileOpener(
      environment: ["DISPLAY": ":0", "PATH": directory.path], filesAreHere: false)
    let page = try TransferURL.parse("https://example.org/a;$(touch%20x)'?b=c&d").get().url
    let (problems, ended) = AsyncStream<FileOpener.Problem>.makeStream()
    try opener.open(page) { ended.yield($0) }
    var all = problems.makeAsyncIterator()
    #expect(await all.next() == .refused(page.text, end: "exit 3"))
    #expect(
      try String(contentsOfFile: directory.path + "/opened", encoding: .utf8) == page.text)
    let file = try TransferURL.parse("ftp://example.org/a").get().url
    #expect(throws: FileOpener.Problem.self) { try opener.open(file) { _ in } }
  }

  @Test func `the desktop's opener gets the path unchanged, and its failure is reported`()
    async throws
  {
    let directory = try TemporaryDirectory()
    try ShellProgram.write(
      "printf %s \"$1\" > \"\(directory.path)/opened\"; exit 3", to: directory.path + "/xdg-open")
    let path = try directory.file("a file; $(touch x) 'y'", "")
    var context = FakeContext()
    context.environment = ["DISPLAY": ":0", "PATH": directory.path]
    #expect(
      try await outcome(.openFile(path: path), in: context)
        == .commandFinished(.failed(sentence: Sentences.of(.refused(path, end: "exit 3")))))
    #expect(try String(contentsOfFile: directory.path + "/opened", encoding: .utf8) == path)
    #expect(
      try await outcome(.openFile(path: path + "!"), in: context)
        == .commandFinished(.failed(sentence: Sentences.of(.fileGone(path + "!")))))
  }
}
