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

  @Test(arguments: [
    ("limits.schedule.2.rates", "limits.schedule.2.rate"),
    ("limits.schedules.2.hours", "limits.schedule.2.hours"),
    ("limits.schedule.days", "limits.schedule.1.days"), ("limits.rates", "limits.rate"),
    ("queues.night.hour", "queues.night.hours"), ("queue.night.hours", "queues.night.hours"),
    ("host.a.example.connections", "hosts.a.example.connections"),
    ("queues.night.transfer", "queues.night.transfers"),
    ("hosts.a.example.conections", "hosts.a.example.connections"),
    ("rules.2.queeu", "rules.2.queue"), ("network.rate", nil),
    ("queues.night.rate", nil), ("queues.transfers", nil), ("queues.a b.hours", nil),
    ("hosts.connections", nil), ("hosts.a.example.rate", nil),
  ])
  func `the keys of the file are known`(key: String, nearest: String?) {
    #expect(ConfigurationProblem.nearestKey(to: key) == nearest)
  }

  @Test(arguments: ["", ".", "x", "priority", "other.rate", "rules.2.something"])
  func `nothing is suggested when no key or more than one is near`(key: String) {
    #expect(ConfigurationProblem.nearestKey(to: key, in: Self.known) == nil)
  }
}
