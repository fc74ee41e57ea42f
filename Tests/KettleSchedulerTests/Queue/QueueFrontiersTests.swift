import KettleModel
import Testing

@testable import KettleScheduler

/// Up to which position the queue in memory is complete.
struct QueueFrontiersTests {
  private let host = url("http://a.example/").origin
  private let other = url("http://b.example/").origin

  private func key(_ position: Int64) -> QueueKey {
    QueueKey(MachineFixture.record { $0.queuePosition = position })
  }

  @Test func `everything is covered until something is evicted`() {
    var frontiers = QueueFrontiers()
    #expect(frontiers.frontier(of: host).covers(key(9)))
    frontiers.recordEviction(of: key(5), at: host, in: nil)
    #expect(frontiers.frontier(of: host).covers(key(4)))
    #expect(!frontiers.frontier(of: host).covers(key(6)))
    #expect(frontiers.frontier(of: other).covers(key(6)))
    frontiers.recordEviction(of: key(8), at: host, in: nil)
    #expect(!frontiers.frontier(of: host).covers(key(6)), "the frontier stays in front")
  }

  @Test func `a read moves the frontier of its host`() {
    var frontiers = QueueFrontiers()
    frontiers.recordEviction(of: key(2), at: host, in: nil)
    frontiers.advance(.at(host, countMax: 3), upTo: key(7), hosts: [host])
    #expect(frontiers.frontier(of: host).covers(key(6)))
    #expect(frontiers.incompleteHosts.map(\.origin) == [host])
    frontiers.advance(.at(host, countMax: 3), upTo: nil, hosts: [host])
    #expect(frontiers.incompleteFrontier(of: host) == nil)
  }

  @Test func `a queue that a read leaves out keeps its frontier`() throws {
    let night = try #require(QueueName("night"))
    var frontiers = QueueFrontiers()
    frontiers.recordEviction(of: key(2), at: host, in: night)
    var request = QueueRead.at(host, countMax: 3)
    request.leftOut = [night]
    frontiers.advance(request, upTo: nil, hosts: [host])
    #expect(frontiers.leftOut == [night])
    #expect(frontiers.frontier(of: host).covers(key(9)))
    #expect(frontiers.frontier(of: host, in: night).covers(key(1)))
    #expect(!frontiers.frontier(of: host, in: night).covers(key(9)))
    frontiers.recordEviction(of: key(1), at: host, in: night)
    #expect(!frontiers.frontier(of: host, in: night).covers(key(2)))
    #expect(frontiers.frontier(of: host).covers(key(9)), "the others are complete")
    frontiers.reset()
    #expect(frontiers.leftOut.isEmpty)
    #expect(!frontiers.frontier(of: host).covers(key(1)))
  }

  @Test func `after a reset nothing is covered until the store is read`() {
    var frontiers = QueueFrontiers()
    frontiers.reset()
    #expect(!frontiers.frontier(of: host).covers(key(1)))
    frontiers.advance(.elsewhere(than: [], countMax: 9), upTo: key(4), hosts: [host])
    #expect(frontiers.knownHosts == [host])
    #expect(frontiers.frontier(of: host).covers(key(3)))
    #expect(!frontiers.frontier(of: other).covers(key(5)))
    frontiers.complete()
    #expect(frontiers.frontier(of: other).covers(key(5)))
  }
}
