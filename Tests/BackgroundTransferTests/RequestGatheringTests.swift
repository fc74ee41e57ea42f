import KettleControl
import Testing

@testable import BackgroundTransfer

struct RequestGatheringTests {
  private let start = ContinuousClock.now

  private func at(_ milliseconds: Int) -> ContinuousClock.Instant {
    start + .milliseconds(milliseconds)
  }

  @Test func `requests are sent after a short pause of the program`() {
    var gathering = RequestGathering()
    #expect(gathering.decide(lastSerial: nil, isUrgent: false, at: at(0)) == .nothing)
    #expect(gathering.decide(lastSerial: 1, isUrgent: false, at: at(1)) == .wait)
    #expect(gathering.decide(lastSerial: 9, isUrgent: false, at: at(2)) == .wait)
    #expect(gathering.decide(lastSerial: 9, isUrgent: false, at: at(3)) == .wait)
    #expect(gathering.decide(lastSerial: 9, isUrgent: false, at: at(4)) == .send)
    #expect(gathering.decide(lastSerial: nil, isUrgent: false, at: at(4)) == .nothing)
  }

  @Test func `a program that never pauses does not hold its requests back for ever`() {
    var gathering = RequestGathering()
    var sentAt: Int?
    for millisecond in 0...300 where sentAt == nil {
      let serial = Int64(millisecond + 1)
      if gathering.decide(lastSerial: serial, isUrgent: false, at: at(millisecond)) == .send {
        sentAt = millisecond
      }
    }
    #expect(sentAt == 250)
  }

  @Test func `the last requests of a program are sent at once`() {
    var gathering = RequestGathering()
    #expect(gathering.decide(lastSerial: 1, isUrgent: true, at: at(0)) == .send)
  }

  @Test func `an ending program turns off its events`() throws {
    let world = try SessionWorld()
    guard case .background(let core) = world.session.kind else { return }
    _ = world.session.downloadTask(with: SessionWorld.url)
    world.session.downloadTask(with: SessionWorld.url).resume()
    #expect(core.leave() == 0)
    let stop = world.service.wait { request -> WatchEvents.Params? in
      guard case .watch(let params) = request, params.states == [] else { return nil }
      return params
    }
    #expect(stop?.includesProgress == false)
    #expect(world.service.requests.contains { $0.method == AddTransfers.name })
  }
}
