import KettleModel
import Testing

struct HostOrderTests {
  private let now = WallTime(millisecondsSince1970: 0)

  @Test func `working hosts come first, then those with a problem, then those that wait`() {
    let down = HostSnapshot(
      origin: "http://down.example", queuedCount: 1,
      outage: .init(
        since: now, failedProbeCount: 1, nextProbeAt: nil,
        error: TransferFailure(.connectionRefused, on: "down.example")))
    let slow = HostSnapshot(
      origin: "http://slow.example", connections: 1, bytesPerSecond: 10,
      limit: .init(connectionsMax: 1, triedCount: 2, since: now, status: 503))
    let fast = HostSnapshot(origin: "http://fast.example", connections: 4, bytesPerSecond: 1000)
    let idle = HostSnapshot(origin: "http://idle.example", queuedCount: 3)
    let closed = HostSnapshot(origin: "http://closed.example", closedUntil: now)
    let remembered = HostSnapshot(origin: "http://remembered.example")
    let names = HostSnapshot.inOrder([down, remembered, idle, slow, closed, fast]).map(\.origin)
    #expect(names == [fast, slow, closed, down, idle].map(\.origin))
  }
}
