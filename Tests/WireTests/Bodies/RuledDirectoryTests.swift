import FoundationEssentials
import KettleEngine
import KettleModel
import Testing
import TestSupport

/// Rules of the user's that decide where a file goes.
struct RuledDirectoryTests {
  private let body = SeededBody(seed: 74, byteCount: 100_000)

  private func rule(_ number: Int, type: String, directory: String) throws -> TransferRule {
    var rule = TransferRule(number: number)
    rule.conditions.types = [try #require(MediaTypePattern(type))]
    rule.effects.directory = directory
    return rule
  }

  private func behavior(_ type: String) -> OriginBehavior {
    OriginBehavior(body).with { $0.headers = [HeaderField(received: "Content-Type", type)] }
  }

  @Test(arguments: [100_000, 3000] as [Int64])
  func `the type decides, and a directory below the downloads is made`(
    byteCount: Int64
  ) async throws {
    let body = SeededBody(seed: 74, byteCount: byteCount)
    let rules = [try rule(1, type: "video/*", directory: "Videos/new")]
    let world = try await WireWorld {
      $0.rules = rules
      $0.lateFileByteCountMax = 10_000
    }
    world.origin.serve(
      OriginBehavior(body).with {
        $0.headers = [HeaderField(received: "Content-Type", "video/mp4; codecs=x")]
      }, at: "/watch.bin")
    world.origin.serve(behavior("text/plain"), at: "/page.bin")
    let video = try await world.download("/watch.bin")
    #expect(video.path == world.home.documents + "/Videos/new/watch.bin")
    #expect(video.path.map(body.difference(fromFileAt:)) == .some(nil))
    #expect(
      try await world.record(of: video.id).spec.options.rule?.words == "rule 1 (type video/*)")
    let other = try await world.download("/page.bin")
    #expect(other.path == world.home.documents + "/page.bin")
  }

  @Test func `a directory elsewhere must exist`() async throws {
    let elsewhere =
      FileManager.default.temporaryDirectory.path + "/kettle-rules-"
      + UUID().uuidString
    let rules = [try rule(1, type: "video/*", directory: elsewhere)]
    let world = try await WireWorld { $0.rules = rules }
    world.origin.serve(behavior("video/mp4"), at: "/a.bin")
    let row = try await world.download("/a.bin")
    #expect(row.error?.code == .directoryMissing)
    #expect(row.error?.subject == elsewhere)
    #expect(!FileManager.default.fileExists(atPath: elsewhere))
  }

  @Test func `a transfer follows the rules of the time of its response`() async throws {
    let world = try await WireWorld()
    world.origin.serve(
      behavior("video/mp4").with { $0.headWaitsFor = "the rules" }, at: "/a.bin")
    let id = try await world.add("/a.bin")
    try await world.wait("the request", for: id) { $0.state == .running }
    await world.engine.setRules([try rule(1, type: "video/*", directory: "V")], TransferDefaults())
    world.origin.release("the rules")
    let row = try await world.end(of: id)
    #expect(row.path == world.home.documents + "/V/a.bin")
  }
}
