import Testing

@testable import KettleConfiguration

struct NearestKeyTests {
  private static let known = [
    "limits.rate", "limits.transfers", "rules.#.host", "rules.#.priority", "limits.schedule.#.rate",
  ]

  @Test(arguments: [
    ("limits.transfer", "limits.transfers"), ("network.transfers", "limits.transfers"),
    ("rules.2.hots", "rules.2.host"), ("rules.17.Host", "rules.17.host"),
    ("rule.3.priority", "rules.3.priority"), ("rules.host", "rules.1.host"),
    ("rules.priority", "rules.1.priority"), ("limit.priority", "rules.1.priority"),
    ("limits.shedule.4.rate", "limits.schedule.4.rate"), ("limits.rte", "limits.rate"),
  ])
  func `the nearest key keeps the number of the element`(key: String, nearest: String) {
    #expect(ConfigurationProblem.nearestKey(to: key, in: Self.known) == nearest)
  }

  @Test(arguments: ["", ".", "x", "priority", "other.rate", "rules.2.something"])
  func `nothing is suggested when no key or more than one is near`(key: String) {
    #expect(ConfigurationProblem.nearestKey(to: key, in: Self.known) == nil)
  }
}
