import KettleScheduler
import Testing

/// The simulation of the queue, with numbers that can be checked by hand.
struct QueueEstimateTests {
  /// One host that sends 1000 bytes a second, and its only group.
  private func input(
    _ queued: [Double?], transfersMax: Int = 1, perHost: Int = 5
  ) -> QueueEstimate.Input {
    var input = QueueEstimate.Input()
    input.hosts = [.init(transfersMax: perHost, speed: .bytesPerSecond(1000))]
    input.groups = [.init(host: 0)]
    input.queued = queued.map { .init(group: 0, missing: $0) }
    input.transfersMax = transfersMax
    return input
  }

  private func ends(_ input: QueueEstimate.Input) -> [Int64?] {
    QueueEstimate(input).queued.map(\.end)
  }

  @Test func `with one slot the transfers follow each other`() {
    let estimate = QueueEstimate(input([1000, 2000, 3000]))
    #expect(estimate.queued.map(\.start) == [0, 1000, 3000])
    #expect(estimate.queued.map(\.end) == [1000, 3000, 6000])
    #expect(estimate.end == 6000)
  }

  @Test func `transfers of one host share its speed`() {
    #expect(ends(input([1000, 1000], transfersMax: 2)) == [2000, 2000])
    // The second has the host to itself when the first is complete.
    #expect(ends(input([1000, 3000], transfersMax: 2)) == [2000, 4000])
  }

  @Test func `the limit of a host leaves the slots to others`() {
    var input = input([1000, 1000], transfersMax: 2, perHost: 1)
    input.hosts.append(.init(transfersMax: 5, speed: .bytesPerSecond(500)))
    input.groups.append(.init(host: 1))
    input.queued.append(.init(group: 1, missing: 1000))
    let estimate = QueueEstimate(input)
    #expect(estimate.queued.map(\.start) == [0, 1000, 0])
    #expect(estimate.queued.map(\.end) == [1000, 2000, 2000])
  }

  @Test func `the limit of a session leaves the slots to other sessions`() {
    var input = input([1000, 1000], transfersMax: 2)
    input.groups[0].transfersMax = 1
    input.groups.append(.init(host: 0))
    input.queued.append(.init(group: 1, missing: 500))
    // The first and the third share the host; then the second one starts.
    #expect(QueueEstimate(input).queued.map(\.start) == [0, 1500, 0])
  }

  @Test func `the limit of a user's queue leaves the slots to other queues`() {
    var input = input([1000, 1000], transfersMax: 2)
    input.queues = [.init(transfersMax: 1)]
    input.groups[0].queue = 0
    input.groups.append(.init(host: 0))
    input.queued.append(.init(group: 1, missing: 500))
    #expect(QueueEstimate(input).queued.map(\.start) == [0, 1500, 0])
  }

  @Test func `a closed queue starts when it opens, and nothing is known behind its closing`() {
    var input = input([1000, 1000])
    input.queues = [.init(closedMilliseconds: 5000)]
    input.groups[0].queue = 0
    #expect(QueueEstimate(input).queued.map(\.end) == [6000, 7000])
    input.queues = [.init(closesAfterMilliseconds: 1500)]
    #expect(QueueEstimate(input).queued.map(\.start) == [0, 1000])
    #expect(QueueEstimate(input).queued.map(\.end) == [1000, nil])
    input.queues = [.init(closedMilliseconds: 5000, closesAfterMilliseconds: 6500)]
    #expect(QueueEstimate(input).queued.map(\.end) == [6000, nil])
    input.queues = [.init(closedMilliseconds: .max)]
    #expect(QueueEstimate(input).queued.map(\.start) == [nil, nil])
  }

  @Test func `running transfers keep their slots in an estimate`() {
    var input = input([1000])
    input.running = [.init(group: 0, missing: 2000)]
    let estimate = QueueEstimate(input)
    #expect(estimate.running.map(\.end) == [2000])
    #expect(estimate.queued.map(\.end) == [3000])
  }

  @Test func `a transfer that is complete ends at once`() {
    var input = input([1000])
    input.running = [.init(group: 0, missing: 0)]
    #expect(QueueEstimate(input).running.map(\.end) == [0])
    #expect(ends(input) == [1000])
  }

  @Test func `a start time is kept, and the place in the queue counts from then on`() {
    var input = input([2000, 1000, 1000])
    input.queued[0].notBeforeMilliseconds = 500
    // The first is before the third when the second is complete.
    #expect(QueueEstimate(input).queued.map(\.start) == [1000, 0, 3000])
  }

  @Test func `a host that is closed starts nothing`() {
    var input = input([1000])
    input.hosts[0].closedMilliseconds = 60_000
    #expect(QueueEstimate(input).queued.map(\.start) == [60_000])
  }

  @Test func `limits of transfers leave their rest to the others of the host`() {
    var input = input([1000, 1800], transfersMax: 2)
    input.queued[0].bytesPerSecondMax = 100
    #expect(ends(input) == [10_000, 2000])
  }

  @Test func `a limit for all transfers is divided evenly`() {
    var input = input([1000], transfersMax: 2)
    input.hosts.append(.init(transfersMax: 5, speed: .unlimited))
    input.groups.append(.init(host: 1))
    input.queued.append(.init(group: 1, missing: 1000))
    input.bytesPerSecondMax = 500
    #expect(ends(input) == [4000, 4000])
  }

  @Test func `a host without a measured speed counts as an average one`() {
    var input = input([])
    input.hosts.append(.init(transfersMax: 5, speed: .unknown))
    input.groups.append(.init(host: 1))
    input.queued = [.init(group: 1, missing: 1000)]
    #expect(ends(input) == [1000])
  }

  @Test func `an unknown size or speed yields no estimate, also behind it`() {
    #expect(ends(input([1000, nil, 1000])) == [1000, nil, nil])
    #expect(ends(input([nil, 1000], transfersMax: 2)) == [nil, 2000])
    var unmeasured = input([1000])
    unmeasured.hosts[0].speed = .unknown
    #expect(ends(unmeasured) == [nil])
    #expect(QueueEstimate(unmeasured).end == nil)
  }

  @Test func `a long queue is simulated in order`() {
    let count = 20_000
    var input = input([], transfersMax: 20)
    input.hosts = (0..<50).map { _ in .init(transfersMax: 5, speed: .bytesPerSecond(1_000_000)) }
    input.groups = (0..<50).map { .init(host: $0) }
    input.queued = (0..<count).map { .init(group: $0 % 50, missing: 1_000_000) }
    let estimate = QueueEstimate(input)
    // Twenty hosts at a time, each with a megabyte a second.
    #expect(estimate.end == Int64(count / 20 * 1000))
    let starts = estimate.queued.compactMap(\.start)
    #expect(starts.count == count)
    #expect(starts == starts.sorted())
  }
}
