import KettleModel
import KettleScheduler
import Testing

/// Redirects in the life of one transfer, as scripts of events.
struct RedirectLifeTests {
  @Test func `headers and login for one origin are not sent to another`() throws {
    var script = SchedulerScript()
    var wanted = spec("https://files.example/a.iso")
    wanted.headers = [HeaderField(received: "X-Token", "secret")]
    wanted.login = Login(user: "u", password: "p")
    script.add(wanted)
    let first = try #require(script.plan)
    #expect(first.headers.count == 1)
    #expect(first.login != nil)
    script.head(first.attempt, 302, ["Location": "https://mirror.example/a.iso"])
    script.settled(first.attempt, .cancelled)
    let second = try #require(script.plan)
    #expect(second.url.text == "https://mirror.example/a.iso")
    #expect(second.headers.isEmpty)
    #expect(second.login == nil)
    // Then back to the original origin.
    script.head(second.attempt, 307, ["Location": "https://files.example/b.iso"])
    script.settled(second.attempt, .cancelled)
    let third = try #require(script.plan)
    #expect(third.headers.count == 1)
    #expect(third.login != nil)
  }

  @Test func `a redirected transfer keeps its place until the other host answers`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsPerHostMax = 1
    var script = SchedulerScript(limits: limits)
    let first = script.add(spec())
    let attempt = try #require(script.attempt)
    script.head(attempt, 302, ["Location": "http://mirror.example/a.iso"])
    script.settled(attempt, .cancelled)
    let second = try #require(script.plan)
    #expect(second.url.host == "mirror.example")
    let other = script.add(spec("http://files.example/b.iso"))
    #expect(script.state(other) == .queued)
    // It returns at once, so the other transfer gets the place only after it.
    script.head(second.attempt, 302, ["Location": "http://files.example/c.iso"])
    script.settled(second.attempt, .cancelled)
    let third = try #require(script.plan)
    #expect(third.url.text == "http://files.example/c.iso")
    #expect(script.state(other) == .queued)
    script.head(third.attempt, 302, ["Location": "http://mirror.example/c.iso"])
    script.settled(third.attempt, .cancelled)
    let fourth = try #require(script.attempt)
    script.head(fourth, 200, ["Content-Length": "1000"])
    script.opened(fourth, partial())
    #expect(script.state(other) == .running)
    let taker = try #require(script.attempt)
    // Another version must be requested from the first host, where the place is taken now.
    let failure = TransferFailure(.otherVersion, on: "http://mirror.example/c.iso")
    script.settled(fourth, .failed(failure), durable: 0)
    #expect(script.state(first) == .queued)
    script.head(taker, 404)
    script.settled(taker, .cancelled)
    #expect(script.state(first) == .running)
    #expect(script.plan?.url == spec().url)
  }

  @Test func `a place is kept over several hosts`() throws {
    var limits = TransferQueue.Limits()
    limits.connectionsPerHostMax = 1
    limits.connectionsMax = 2
    var script = SchedulerScript(limits: limits)
    script.add(spec())
    let same = script.add(spec("http://files.example/b.iso"))
    for host in ["b.example", "c.example", "files.example"] {
      let attempt = try #require(script.attempt)
      script.head(attempt, 302, ["Location": "http://\(host)/a.iso"])
      #expect(script.state(same) == .queued)
      script.settled(attempt, .cancelled)
      #expect(script.plan?.url.host == host)
    }
    #expect(script.state(same) == .queued)
    // The place at its host is none of the connections to all hosts.
    let attempt = try #require(script.attempt)
    script.head(attempt, 302, ["Location": "http://b.example/a.iso"])
    script.settled(attempt, .cancelled)
    let other = script.add(spec("http://other.example/b.iso"))
    #expect(script.state(other) == .running)
  }

  @Test func `twenty redirects are followed and the next is refused`() throws {
    var script = SchedulerScript()
    let id = script.add(spec())
    for count in 1...20 {
      let attempt = try #require(script.attempt)
      script.head(attempt, 301, ["Location": "/hop\(count)"])
      script.settled(attempt, .cancelled)
    }
    #expect(script.state(id) == .running)
    let attempt = try #require(script.attempt)
    script.head(attempt, 301, ["Location": "/hop21"])
    script.settled(attempt, .cancelled)
    #expect(script.record(id)?.failure?.code == .tooManyRedirects)
  }

  /// The minimum reaches of a transfer's attempts, given the reaches of the responding servers.
  private func reaches(answeredBy servers: [NetworkReach]) throws -> [NetworkReach] {
    var script = SchedulerScript()
    script.add(spec())
    var reaches: [NetworkReach] = []
    for (hop, server) in servers.enumerated() {
      let plan = try #require(script.plan)
      reaches.append(plan.minimumReach)
      script.head(plan.attempt, 302, ["Location": "http://h\(hop).example/"], from: server)
      script.settled(plan.attempt, .cancelled)
    }
    reaches.append(try #require(script.plan).minimumReach)
    return reaches
  }

  // Fault 54
  @Test func `the farthest server of a redirect chain restricts all later requests`() throws {
    #expect(try reaches(answeredBy: [.world]) == [.machine, .world])
    #expect(try reaches(answeredBy: [.world, .network]) == [.machine, .world, .world])
    #expect(try reaches(answeredBy: [.network, .world]) == [.machine, .network, .world])
    #expect(try reaches(answeredBy: [.network, .machine]) == [.machine, .network, .network])
    #expect(try reaches(answeredBy: [.machine, .machine]) == [.machine, .machine, .machine])
  }

  // Fault 54
  @Test func `a retry follows the redirects again under the same restrictions`() throws {
    var script = SchedulerScript()
    script.add(spec())
    let first = try #require(script.plan)
    script.head(first.attempt, 302, ["Location": "http://other.example/"], from: .world)
    script.settled(first.attempt, .cancelled)
    let second = try #require(script.plan)
    script.ended(second.attempt, .failed(TransferFailure(.connectionLost, on: "other.example")))
    script.closed(durable: nil)
    script.advance(milliseconds: 60_000)
    script.timePasses()
    let retried = try #require(script.plan)
    #expect(retried.attempt != second.attempt)
    #expect(retried.url == first.url)
    #expect(retried.minimumReach == .machine)
    script.head(retried.attempt, 302, ["Location": "http://other.example/"], from: .world)
    script.settled(retried.attempt, .cancelled)
    #expect(script.plan?.minimumReach == .world)
  }

  // Fault 54
  @Test func `a refused address fails the transfer permanently and names the added URL`()
    throws
  {
    var script = SchedulerScript()
    let id = script.add(spec())
    let first = try #require(script.attempt)
    script.head(first, 302, ["Location": "http://nas.example/f"], from: .world)
    script.settled(first, .cancelled)
    let detail = "to http://nas.example/f, which is at 192.168.1.5, a private address"
    script.settled(
      try #require(script.attempt),
      .failed(TransferFailure(.redirectRefused, on: "nas.example", detail: detail)))
    #expect(script.state(id) == .failed)
    #expect(
      script.record(id)?.failure?.sentence
        == "\"http://files.example/a.iso\" leads to an address that is not allowed "
        + "(to http://nas.example/f, which is at 192.168.1.5, a private address); "
        + "add the final link instead")
  }

  /// The script in which a host has asked for 100 seconds, and a transfer of another host that
  /// redirects to it.
  private func redirectToClosedHost() throws -> (SchedulerScript, TransferID) {
    var script = SchedulerScript()
    script.add(spec("https://cdn.example/other"))
    let refused = try #require(script.attempt)
    script.head(refused, 503, ["Retry-After": "100"])
    script.settled(refused, .cancelled)
    let id = script.add(spec("https://files.example/a.iso"))
    let first = try #require(script.attempt)
    script.head(first, 302, ["Location": "https://cdn.example/a.iso"])
    script.settled(first, .cancelled)
    return (script, id)
  }

  @Test func `a host that has asked for a pause is not contacted after a redirect`() throws {
    var (script, id) = try redirectToClosedHost()
    #expect(script.plan?.url.text == "https://files.example/a.iso")
    #expect(script.state(id) == .waiting)
    #expect(script.record(id)?.reason == .retryAfter)
    #expect(script.record(id)?.failure?.subject == "https://cdn.example/a.iso")
    script.advance(milliseconds: 99_000)
    script.timePasses()
    #expect(script.state(id) == .waiting)
    script.advance(milliseconds: 1000)
    script.timePasses()
    let again = try #require(script.attempt)
    #expect(script.plan?.url.text == "https://files.example/a.iso")
    script.head(again, 302, ["Location": "https://cdn.example/a.iso"])
    script.settled(again, .cancelled)
    #expect(script.plan?.url.text == "https://cdn.example/a.iso")
    #expect(script.record(id)?.retryCount == 0)
  }

  @Test func `a start contacts the host of a redirect in spite of its pause`() throws {
    var (script, id) = try redirectToClosedHost()
    script.control(.start, id)
    let again = try #require(script.attempt)
    script.head(again, 302, ["Location": "https://cdn.example/a.iso"])
    script.settled(again, .cancelled)
    #expect(script.plan?.url.text == "https://cdn.example/a.iso")
  }

  @Test func `the URL that answered is left while its host has asked for a pause`() throws {
    var script = SchedulerScript()
    let id = script.add(spec("https://files.example/a.iso"))
    let first = try #require(script.attempt)
    script.head(first, 302, ["Location": "https://cdn.example/a.iso"])
    script.settled(first, .cancelled)
    let second = try #require(script.attempt)
    script.head(
      second, 200, ["Content-Length": "1000", "ETag": "\"v1\"", "Accept-Ranges": "bytes"])
    script.opened(second, partial())
    script.synced(id, 100)
    script.control(.pause, id)
    script.settled(second, .cancelled, durable: 100)
    script.add(spec("https://cdn.example/other"))
    let refused = try #require(script.attempt)
    script.head(refused, 503, ["Retry-After": "100"])
    script.settled(refused, .cancelled)
    script.control(.start, id)
    #expect(script.plan?.url.text == "https://files.example/a.iso")
  }
}
