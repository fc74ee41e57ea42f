import KettleModel
import Testing

@testable import KettleScheduler

/// Where further connections may connect to.
struct RedirectedLaneTests {
  private func lane(_ redirects: RedirectChain) -> Lane {
    Lane(
      attempt: AttemptID(rawValue: 1), url: url("http://cdn.example/a"), redirects: redirects,
      asked: nil, range: nil, at: MonotonicTime(milliseconds: 0))
  }

  // Fault 54
  @Test func `further connections are bounded like the one whose redirects they use`() {
    let led = RedirectChain.none.followed(by: .network).followed(by: .world)
    var fetch = Fetch(opener: lane(led), asking: .goingOn, received: ByteRangeSet())
    #expect(fetch.laneRedirects.minimumReach == .world)
    #expect(fetch.laneRedirects.count == 0)
    fetch.sendLanes(to: url("http://files.example/a.iso"), .none)
    #expect(fetch.laneRedirects.minimumReach == .machine)
    fetch.sendLanes(after: lane(led))
    #expect(fetch.laneURL == url("http://cdn.example/a"))
    #expect(fetch.laneRedirects.minimumReach == .world)
  }
}
