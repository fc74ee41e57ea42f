import KettleModel
import Testing

@testable import KettleScheduler

/// How many connections a download gets over paths and from servers of every kind, in counted time.
struct ConnectionGrowthTests {
  private func link(_ change: (inout SimulatedLink.Settings) -> Void) -> SimulatedLink {
    var settings = SimulatedLink.Settings()
    change(&settings)
    return SimulatedLink(settings)
  }

  @Test(
    arguments: [
      (1, 125_000_000), (5, 12_500_000), (20, 2_500_000), (20, 12_500_000), (20, 25_000_000),
      (30, 6_000_000), (40, 6_000_000), (45, 1_000_000),
    ] as [(Int64, Int64)])
  func `a line that one connection fills gets at most two`(
    roundTrip: Int64, bytesPerSecond: Int64
  ) throws {
    var link = link {
      $0.roundTripMilliseconds = roundTrip
      $0.bytesPerSecond = bytesPerSecond
    }
    let byteCount = bytesPerSecond * 30
    link.add(byteCount: byteCount)
    let milliseconds = try link.finish()
    #expect(link.openings.count <= 2, "\(link.openings)")
    #expect(milliseconds <= 31_500, "\(milliseconds) ms")
  }

  @Test(arguments: UInt64(1)...20)
  func `a fast line with an unsteady rate gets at most two`(seed: UInt64) throws {
    var link = link {
      $0.roundTripMilliseconds = 1
      $0.bytesPerSecond = 125_000_000
      $0.unsteadiness = 0.3
      $0.seed = seed
    }
    link.add(byteCount: 400 << 20)
    _ = try link.finish()
    #expect(link.openings.count <= 2, "\(link.openings)")
  }

  @Test(arguments: [100, 150, 200, 250, 300, 400] as [Int64], UInt64(1)...4)
  func `a file that a fast line delivers in seconds gets at most two`(
    mebibytes: Int64, seed: UInt64
  ) throws {
    var link = link {
      $0.roundTripMilliseconds = 1
      $0.bytesPerSecond = 118_000_000
      $0.unsteadiness = 0.2
      $0.seed = seed
    }
    link.add(byteCount: mebibytes << 20)
    _ = try link.finish()
    #expect(link.openings.count <= 2, "\(link.openings)")
  }

  @Test func `a line that one connection fills gets no third one after a wait for the disk`() {
    var growth = ConnectionGrowth()
    var now = MonotonicTime(milliseconds: 1_000_000)
    growth.begin(0, at: now)
    let bytesPerMillisecond: Int64 = 118_000
    var targets: [Int] = []
    for step in Int64(1)...800 {
      now = now.advanced(byMilliseconds: 25)
      let present = step * 25 * bytesPerMillisecond
      let seen = ConnectionGrowth.Observation(
        presentByteCount: present, missingByteCount: 1 << 40, activeCount: growth.target,
        deliveringCount: growth.target, flow: step == 99 ? .waitingForDisk : .free,
        roundTripMilliseconds: 1)
      _ = growth.observe(seen, DivisionPolicy(), at: now)
      if targets.last != growth.target { targets.append(growth.target) }
    }
    // It was tried once.
    #expect(targets == [1, 2, 1])
  }

  @Test(arguments: [10, 30, 60, 100] as [Int64], [false, true])
  func `a server that limits each connection gets all sixteen soon`(
    roundTrip: Int64, sendsInBursts: Bool
  ) throws {
    var link = link {
      $0.roundTripMilliseconds = roundTrip
      $0.bytesPerSecond = 125_000_000
      $0.bytesPerSecondPerConnection = 2 << 20
      $0.sendsInBursts = sendsInBursts
    }
    link.add(byteCount: 200 << 20)
    let milliseconds = try link.finish()
    let ideal = Int64(200_000 / 32)
    #expect(link.mostOpen == 16)
    #expect(milliseconds <= ideal * 160 / 100, "\(milliseconds) ms, ideal \(ideal)")
  }

  @Test(arguments: Array(stride(from: 0, to: 1000, by: 50)) as [Int64])
  func `a server that sends once a second gets all sixteen soon, whenever its second begins`(
    secondsBeginAt: Int64
  ) throws {
    var link = link {
      $0.roundTripMilliseconds = 30
      $0.bytesPerSecond = 25_000_000
      $0.bytesPerSecondPerConnection = 2 << 20
      $0.sendsInBursts = true
      $0.secondsBeginAtMilliseconds = secondsBeginAt
    }
    link.add(byteCount: 100 << 20)
    let milliseconds = try link.finish()
    #expect(link.mostOpen == 16)
    #expect(milliseconds <= 6500, "\(milliseconds) ms, \(link.openings)")
  }

  @Test(arguments: UInt64(1)...6)
  func `a long path with loss gets all sixteen within a second`(seed: UInt64) throws {
    var link = link {
      $0.roundTripMilliseconds = 100
      $0.bytesPerSecond = 37_500_000
      $0.loss = 0.001
      $0.seed = seed
    }
    link.add(byteCount: 64 << 20)
    let milliseconds = try link.finish()
    #expect(link.mostOpen == 16)
    let atOneSecond = link.openings.count { $0 <= 1000 }
    #expect(atOneSecond >= 8, "\(link.openings), \(milliseconds) ms")
  }

  @Test(arguments: UInt64(1)...20)
  func `a short path with much loss is soon full`(seed: UInt64) throws {
    var link = link {
      $0.roundTripMilliseconds = 20
      $0.bytesPerSecond = 6_250_000
      $0.loss = 0.01
      $0.seed = seed
    }
    link.add(byteCount: 32 << 20)
    let milliseconds = try link.finish()
    #expect(milliseconds <= 6500, "\(milliseconds) ms, \(link.openings)")
  }

  @Test(arguments: stride(from: 400, to: 3000, by: 200).map { Int64($0) })
  func `an outage in the first seconds opens few connections`(begin: Int64) throws {
    var link = link {
      $0.silence = begin..<(begin + 20_000)
    }
    link.add(byteCount: 64 << 20)
    _ = try link.finish()
    let openings = link.openings.count { $0 >= begin && $0 < begin + 2000 }
    #expect(openings <= 4, "\(link.openings)")
  }

  @Test func `a server that begins to limit after a while gets more connections then`() throws {
    var link = link {
      $0.bytesPerSecondPerConnection = 1 << 20
      $0.limitsFrom = 4000
    }
    link.add(byteCount: 150 << 20)
    let milliseconds = try link.finish()
    #expect(link.mostOpen >= 11, "\(link.openings)")
    #expect(milliseconds <= 20_000, "\(milliseconds) ms")
  }

  @Test(arguments: [100_000, 3_000_000, 9_000_000] as [Int64])
  func `a file that is ready within about a second has one connection`(byteCount: Int64) throws {
    var link = link { $0.roundTripMilliseconds = 20 }
    link.add(byteCount: byteCount)
    _ = try link.finish()
    #expect(link.openings.count == 1)
  }

  @Test func `a number that the user gives is used exactly`() throws {
    var link = link { _ in }
    link.add(byteCount: 100 << 20, connections: 6)
    link.run(untilMilliseconds: 1000)
    #expect(link.mostOpen == 6)
    #expect(link.openings.count == 6)
  }

  @Test func `each item of a list has the number of connections that the user gives`() throws {
    var link = link { $0.bytesPerSecondPerConnection = 1 << 20 }
    let ids = (1...3).map { link.add(byteCount: 100 << 20, name: "\($0)", connections: 16) }
    link.run(untilMilliseconds: 2000)
    #expect(ids.map { link.activeCount(of: $0) } == [16, 16, 16])
  }

  @Test func `two files of one host get equal numbers of connections`() throws {
    var link = link {
      $0.bytesPerSecond = 125_000_000
      $0.bytesPerSecondPerConnection = 1 << 20
    }
    let ids = (1...2).map { link.add(byteCount: 200 << 20, name: "\($0)") }
    link.run(untilMilliseconds: 5000)
    #expect(ids.map { link.activeCount(of: $0) } == [12, 12])
  }

  @Test func `a file gives connections back when another one of its host begins`() throws {
    var link = link {
      $0.bytesPerSecond = 125_000_000
      $0.bytesPerSecondPerConnection = 1 << 20
    }
    let first = link.add(byteCount: 400 << 20, name: "1")
    link.run(untilMilliseconds: 3000)
    #expect(link.activeCount(of: first) == 16)
    let second = link.add(byteCount: 400 << 20, name: "2")
    link.run(untilMilliseconds: 9000)
    #expect(link.activeCount(of: first) == 12)
    #expect(link.activeCount(of: second) == 12)
  }

  @Test func `a host that refuses more connections limits the growth`() throws {
    var link = link {
      $0.bytesPerSecondPerConnection = 1 << 20
      $0.connectionsMax = 3
    }
    link.add(byteCount: 50 << 20)
    let milliseconds = try link.finish()
    #expect(milliseconds <= 20_000, "\(milliseconds) ms")
    #expect(link.openings.count < 20, "\(link.openings)")
  }
}
