import Foundation
import Testing
import TestSupport

/// Logins at a real Apache.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct LoginTests {
  @Test func `a wrong password is tried once for ten files of a server`() async throws {
    let home = try ServerHome(configuration: "[limits]\ntransfers = 1\n")
    let apache = try await ApacheServer(login: ("ann", "right"), home: home)
    try await home.add(apache.urls(login: "ann:wrong"))
    let outcome = try await home.kettle("wait", "--all", "--timeout", "30")
    #expect(outcome.code == 1, "\(outcome.text)")
    let requests = try await apache.requests.wait(for: "401 ann")
    #expect(requests.filter { $0 == "401 ann" }.count == 1, "\(requests)")
    #expect(try await home.counts() == ["waiting: needsLogin": 10])
  }

  @Test func `the right password brings all files`() async throws {
    let home = try ServerHome()
    let apache = try await ApacheServer(login: ("ann", "right"), home: home)
    try await home.add(apache.urls(login: "ann:right"))
    let outcome = try await home.kettle("wait", "--all", "--timeout", "60")
    #expect(outcome.code == 0, "\(outcome.text)")
    for number in 0..<10 {
      #expect(apache.body.difference(fromFileAt: home.downloads + "/\(number).bin") == nil)
    }
  }
}
