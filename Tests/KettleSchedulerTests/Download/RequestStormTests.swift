import KettleModel
import KettleScheduler
import Testing

/// The number of requests to a host, in simulated time, when many files share few connections.
struct RequestStormTests {
  /// All transfers start at once; one is paused, one stopped, and all responses stall.
  private func play(_ change: (inout SimulatedHost.Settings) -> Void) -> SimulatedHost {
    var settings = SimulatedHost.Settings()
    change(&settings)
    var host = SimulatedHost(settings)
    host.control(.pause, 1, at: 2000)
    host.control(.stop, settings.transferCount - 1, at: 2500)
    host.control(.start, 1, at: 3000)
    host.run(untilMilliseconds: 5000)
    return host
  }

  @Test(arguments: [2, 3, 5, 8], [nil, 1, 5] as [Int?])
  func `files that stall at a host are not requested repeatedly`(
    transferCount: Int, sessionLimit: Int?
  ) {
    for perHost in [1, 5] {
      for stallsAfter: Int64 in [500_000, 2_000_000, 3_500_000] {
        let host = play {
          $0.transferCount = transferCount
          $0.stallsAfter = stallsAfter
          $0.limits.connectionsPerHostMax = perHost
          $0.policy = sessionLimit.map { SessionPolicy(connectionsPerHostMax: $0) }
          $0.seed = UInt64(transferCount)
        }
        let count = host.requests.count
        #expect(count <= 60, "\(count) requests, \(perHost) a host, \(stallsAfter) bytes")
      }
    }
  }

  @Test(arguments: UInt64(1)...4)
  func `a host that resets excess connections is not stormed`(seed: UInt64) {
    let host = play {
      $0.connectionsMax = 3
      $0.seed = seed
    }
    #expect(host.requests.count <= 60, "\(host.requests.count) requests")
  }

  @Test func `a connection that is repeatedly taken away is not replaced every time`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsPerHostMax = 2
    var script = SchedulerScript(limits: limits)
    let total: Int64 = 8 << 20
    let id = script.add(spec())
    let primary = try #require(script.attempt)
    script.head(primary, 200, ["Content-Length": "\(total)", "ETag": "\"v1\""])
    script.opened(primary, partial(total: total))
    for _ in 0..<200 {
      // Another transfer begins, takes the additional connection, and is removed.
      let joining = script.attempts(of: id).last { $0 != primary }
      let other = script.add(spec("http://files.example/other.iso"))
      if let joining { script.ended(joining, .cancelled) }
      let attempt = try #require(script.attempt)
      #expect(script.scheduler.owner(of: attempt) == other)
      script.control(.remove(.stays), other)
      script.ended(attempt, .cancelled)
      script.closed(durable: nil)
      script.advance(milliseconds: 10)
      script.handle(.body(id, .progressed([:])))
    }
    #expect(script.beginnings(of: id) <= 20)
    // A connection that received bytes is not delayed.
    script.handle(.body(id, .progressed([primary: 100_000])))
    #expect(script.attempts(of: id).count == 2)
  }
}

extension SchedulerScript {
  fileprivate func attempts(of id: TransferID) -> [AttemptID] {
    scheduler.machines[id]?.download?.activeAttempts ?? []
  }

  fileprivate func beginnings(of id: TransferID) -> Int {
    actions.count { if case .beginAttempt(id, _) = $0 { true } else { false } }
  }
}
