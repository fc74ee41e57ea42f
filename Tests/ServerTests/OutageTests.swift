import Foundation
import Testing
import TestSupport

/// What a server or a name server that is gone for some seconds does to a queue.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct OutageTests {
  @Test func `a server that is down for five seconds loses none of 120 files`() async throws {
    let home = try ServerHome()
    let nginx = try await NginxServer(.init(bytesPerSecond: 50_000), home: home)
    try await home.add(nginx.urls(count: 120))
    // One line is that of the request that showed that it listens.
    _ = try await nginx.statuses.wait(count: 21)
    await nginx.stop()
    try await home.letWork(seconds: 5)
    #expect(try await home.counts()["failed"] == nil)
    try await nginx.start()
    let outcome = try await home.kettle("wait", "--all", "--timeout", "240")
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(try await home.counts() == ["completed": 120])
    let wrong = (0..<120).filter { number in
      nginx.body.difference(fromFileAt: home.downloads + "/\(number).bin") != nil
    }
    #expect(wrong.isEmpty)
  }

  @Test(.enabled(if: geteuid() == 0, "Port 53 and mounts are root's"))
  func `a name server that is silent for ten seconds loses none of 60 files`() async throws {
    let home = try ServerHome()
    let nginx = try await NginxServer(home: home)
    let names = try NameServer()
    try await home.startService(asking: names)
    try await home.add(nginx.urls(count: 60, host: "files.test"))
    try await names.waitForQuery()
    try await home.letWork(seconds: 10)
    names.answer()
    let outcome = try await home.kettle("wait", "--all", "--timeout", "240")
    #expect(outcome.code == 0, "\(outcome.text)")
    #expect(try await home.counts() == ["completed": 60])
  }
}
