import KettleControl
import KettleModel
import Testing

@testable import KettleDaemon

@Suite(.timeLimit(.minutes(5)))
struct AddURLsRequestTests {
  private func urls(_ count: Int) throws -> [TransferURL] {
    try (1...count).map { try TransferURL.parse("https://example.org/\($0).iso").get().url }
  }

  private func params(
    _ count: Int, requestID: String? = nil, _ change: (inout TransferSpec) -> Void = { _ in }
  ) throws -> AddURLs.Params {
    let urls = try urls(count)
    var spec = TransferSpec(url: urls[0])
    spec.beginning = .paused
    change(&spec)
    return try #require(AddURLs.Params(urls: urls, template: spec, requestID: requestID))
  }

  @Test func `both add requests add the same transfers`() async throws {
    let world = try await HandlerWorld()
    let client = world.connect()
    let short = try params(3) { $0.title = "T" }
    let runs = try await world.send(AddURLs.self, .addURLs(short), as: client).runs
    let long = AddTransfers.Params(transfers: short.transfers)
    let ids = try await world.send(AddTransfers.self, .add(long), as: client).ids
    #expect(runs == IDRuns([1, 2, 3].map { TransferID(rawValue: $0) }))
    #expect(ids.map(\.rawValue) == [4, 5, 6])
    for (left, right) in zip(runs.ids, ids) {
      let rows = try [left, right].map { try #require(world.broadcaster.row($0)) }
      #expect(rows[0].url == rows[1].url)
      #expect(rows.allSatisfy { $0.title == "T" && $0.state == .paused })
    }
  }

  @Test func `a repeated request adds once in either form`() async throws {
    let world = try await HandlerWorld()
    let client = world.connect()
    let request = try params(2, requestID: "r")
    let first = try await world.send(AddURLs.self, .addURLs(request), as: client)
    #expect(try await world.send(AddURLs.self, .addURLs(request), as: client) == first)
    let long = AddTransfers.Params(transfers: request.transfers, requestID: "r")
    #expect(try await world.send(AddTransfers.self, .add(long), as: client).ids == first.runs.ids)
    #expect(world.broadcaster.totals.counts == [.paused: 2])
  }
}
