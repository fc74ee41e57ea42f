import KettleModel

extension ConnectionGrowth {
  /// The rates of a download at one moment, in bytes per second.
  struct Rates: Sendable {
    /// The span of one step of slow start.
    let round: Int64
    /// Over the quick span.
    let quick: Int64
    /// Over the quick span before that.
    let quickBefore: Int64
    /// Over a span in which a lost packet does not look like a fall.
    private let fallen: Int64
    /// Whether the rate is so high that this machine disturbs it more than the network does. Then a
    /// longer span tells a gain from a disturbance.
    let isFast: Bool
    /// Whether the rate is still growing with each round trip.
    let isClimbing: Bool
    /// Whether it is not growing on its own any more.
    let isSteady: Bool
    private let quickMilliseconds: Int64
    private let arrivals: ArrivalHistory
    private let seen: Observation

    init(_ arrivals: ArrivalHistory, _ seen: Observation) {
      self.arrivals = arrivals
      self.seen = seen
      round = max(seen.roundTripMilliseconds, 25)
      isFast =
        arrivals.rate(overAtMost: ConnectionGrowth.fastMilliseconds)
        >= ConnectionGrowth.fastBytesPerSecondMin
      let span = max(2 * round, isFast ? ConnectionGrowth.fastMilliseconds : 50)
      quickMilliseconds = span
      quick = arrivals.rate(over: span)
      quickBefore = arrivals.rate(over: span, endedAgo: span)
      fallen = arrivals.rate(over: max(5 * round, 150))
      let latest = arrivals.rate(over: round)
      let before = arrivals.rate(over: round, endedAgo: round)
      isClimbing = latest * 100 >= before * 125 && latest > 0
      isSteady = latest * 100 <= before * 110
    }

    /// The server may send once a second.
    var carefulMilliseconds: Int64 { max(1000, 4 * round) }

    func rate(_ pace: Pace) -> Int64 {
      switch pace {
      case .quick: quick
      case .careful: arrivals.rate(over: carefulMilliseconds)
      }
    }

    /// The rate with more connections, in percent of the one before, from which they are worth
    /// keeping. A longer span recognizes a smaller gain: where lost packets leave a twentieth of
    /// the line unused, more connections use it.
    func gainPercent(_ pace: Pace) -> Int64 {
      switch pace {
      case .careful where !isFast: 105
      case .careful, .quick: 110
      }
    }

    /// The rate, in percent of the best one, below which the line is seen to have room.
    var fallPercent: Int64 { isFast ? 66 : 85 }

    /// How long new connections must have delivered before their effect is judged.
    func judgementMilliseconds(_ pace: Pace) -> Int64 {
      switch pace {
      case .quick: max(3 * round, quickMilliseconds + 30)
      case .careful: carefulMilliseconds + 3 * round
      }
    }

    /// The shortest time between two steps. On a short path slow start is over by then, so a line
    /// that one connection fills gets no third one. A long path is too long to wait for that.
    func stepMilliseconds(from count: Int) -> Int64 {
      let isLong = round >= 50
      return isLong ? round : count == 1 ? 150 : 2 * round
    }

    /// Whether the rate is lower than one that was measured over the quick span, and not only
    /// because of a lost packet.
    func hasFallen(below rate: Int64) -> Bool { fallen < rate }

    /// Whether the download reaches a limit that the user has set.
    var isAtLimit: Bool {
      guard let limit = seen.limitBytesPerSecond else { return false }
      return quick >= limit / 10 * 9
    }

    /// Whether the rest arrives so soon that another connection cannot help.
    func isReadySoon(_ policy: DivisionPolicy) -> Bool {
      var left = seen.missingByteCount
      var rate = arrivals.rate(over: round)
      var elapsed: Int64 = 0
      while elapsed < policy.aloneMillisecondsMax {
        left -= rate * round / 1000
        if left <= 0 { return true }
        if isClimbing { rate = min(rate * 17 / 10, policy.aloneBytesPerSecondMin) }
        elapsed += round
      }
      return false
    }
  }
}
