import Foundation
import KettleClient
import KettleControl
import KettleDashboard
import KettleModel
import Testing
import TestSupport

@testable import KettleCommands

/// Adding from the form, looking for duplicates, and opening files.
@Suite(.timeLimit(.minutes(1)))
struct DashboardAddingTests {
  private func spec(_ url: String, directory: String? = nil) throws -> TransferSpec {
    var spec = TransferSpec(url: try TransferURL.parse(url).get().url)
    spec.directory = directory
    return spec
  }

  /// What comes of one effect: the link's own message comes at any moment.
  private func outcome(
    _ effect: DashboardEffect, in world: FakeContext, filesAreHere: Bool = true
  ) async throws -> DashboardMessage? {
    var request = DashboardRequest(place: world.world.place, client: "kettle")
    request.filesAreHere = filesAreHere
    let session = try await DashboardSession.open(request, in: world.world)
    session.perform(effect)
    var outcome: DashboardMessage?
    for await message in session.messages where message != .linkChanged(.connected) {
      outcome = message
      break
    }
    await session.close()
    return outcome
  }

  @Test func `a directory is looked at before anything is added`() async throws {
    let world = FakeContext()
    let missing = try spec("http://a/1", directory: "/nowhere/at/all")
    #expect(
      try await outcome(.add([missing]), in: world)
        == .commandFinished(
          .addFailed(
            sentence: Sentences.report(
              of: UsageError(.place(.directoryMissing("/nowhere/at/all")))
            ).sentences.joined())))
    #expect(world.service.asked.filter { $0 != .status } == [])
    let place = try TemporaryDirectory()
    let there = try spec("http://a/1", directory: place.path + "/.")
    #expect(
      try await outcome(.add([there]), in: world) == .commandFinished(.added(count: 1)))
    #expect(
      world.service.asked.filter { $0 != .status } == [
        .add([try spec("http://a/1", directory: place.path)])
      ])
  }

  @Test func `a directory of another machine is left to the service there`() async throws {
    let world = FakeContext()
    let far = try spec("http://a/1", directory: "/nowhere/at/all")
    #expect(
      try await outcome(.add([far]), in: world, filesAreHere: false)
        == .commandFinished(.added(count: 1)))
  }

  @Test func `what the service refuses leaves the form as it was`() async throws {
    let world = FakeContext()
    world.service.fail(AddTransfers.name, with: ControlError(.cannotKeep, "disk full"))
    let error = ControlError(.cannotKeep, "disk full")
    #expect(
      try await outcome(.add([spec("http://a/1")]), in: world)
        == .commandFinished(.addFailed(sentence: Sentences.of(error))))
  }

  @Test func `thousands of URLs are asked about in pieces that the service takes`() async throws {
    var world = FakeContext()
    world.service = FakeService([snapshot(1, .running)])
    let known = snapshot(1, .running).url
    let urls = (0..<2500).map { "http://a/\($0)" } + [known]
    let found = DuplicateSearch.Found(id: TransferID(rawValue: 1), state: .running)
    #expect(
      try await outcome(.findDuplicates(urls), in: world) == .duplicatesFound([known: found]))
    let counts = world.service.asked.compactMap { asked in
      if case .findURLs(let urls) = asked { urls.count } else { nil }
    }
    #expect(counts == [1000, 1000, 501])
  }

  @Test(arguments: [
    ([String: String](), "/etc/passwd", FileOpener.Problem.noDesktop),
    (["DISPLAY": ""], "/etc/passwd", .noDesktop),
    (["DISPLAY": ":0", "PATH": "/nowhere"], "/etc/passwd", .noOpener),
    (["WAYLAND_DISPLAY": "w", "PATH": "relative:"], "/etc/passwd", .noOpener),
  ])
  func `it is said why a file cannot be opened`(
    environment: [String: String], path: String, problem: FileOpener.Problem
  ) async throws {
    var world = FakeContext()
    world.environment = environment
    #expect(
      try await outcome(.openFile(path: path), in: world)
        == .commandFinished(.failed(sentence: Sentences.of(problem))))
    #expect(
      try await outcome(.openFile(path: path), in: world, filesAreHere: false)
        == .commandFinished(.failed(sentence: Sentences.of(.fileElsewhere))))
  }

  @Test func `the opener of the desktop gets the path as it is, and its failure is told`()
    async throws
  {
    let place = try TemporaryDirectory()
    try ShellProgram.write(
      "printf %s \"$1\" > \"\(place.path)/opened\"; exit 3", to: place.path + "/xdg-open")
    let path = try place.file("a file; $(touch x) 'y'", "")
    var world = FakeContext()
    world.environment = ["DISPLAY": ":0", "PATH": place.path]
    #expect(
      try await outcome(.openFile(path: path), in: world)
        == .commandFinished(.failed(sentence: Sentences.of(.refused(path, end: "exit 3")))))
    #expect(try String(contentsOfFile: place.path + "/opened", encoding: .utf8) == path)
    #expect(
      try await outcome(.openFile(path: path + "!"), in: world)
        == .commandFinished(.failed(sentence: Sentences.of(.fileGone(path + "!")))))
  }
}
