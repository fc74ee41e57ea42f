import KettleDesktop
import KettleModel
import Testing

@Suite(.timeLimit(.minutes(5)))
struct NetworkWatchTests {
  private func watch(
    in network: NetworkNamespace
  ) async throws -> (NetworkWatch, AsyncStream<NetworkState>.Iterator) {
    let (states, continuation) = AsyncStream<NetworkState>.makeStream()
    let watch = await network.inside {
      try? NetworkWatch(settling: .milliseconds(20)) { continuation.yield($0) }
    }
    return (try #require(watch ?? nil), states.makeAsyncIterator())
  }

  /// Waits for this state; a changed route is reported in between.
  private func next(
    _ expected: NetworkState, _ states: inout AsyncStream<NetworkState>.Iterator
  ) async -> Bool {
    while let state = await states.next() {
      if state == expected { return true }
    }
    return false
  }

  // Fault 66
  @Test(.enabled("a network of its own can be made") { await NetworkNamespace.make() != nil })
  func `the network state follows the interface, its carrier and its addresses`()
    async throws
  {
    let network = try #require(await NetworkNamespace.make())
    var (watch, states) = try await watch(in: network)
    #expect(await next(.absent, &states))
    await network.ip("link set lo up")
    await network.ip("link add v0 type veth peer name v1")
    await network.ip("link set v1 up")
    await network.ip("link set v0 up")
    await network.ip("addr add 192.0.2.1/24 dev v0")
    #expect(await next(.present, &states))
    // The cable is pulled.
    await network.ip("link set v1 down")
    #expect(await next(.absent, &states))
    await network.ip("link set v1 up")
    #expect(await next(.present, &states))
    await network.ip("addr flush dev v0 scope global")
    #expect(await next(.absent, &states))
    await network.ip("route add default dev v0")
    #expect(await next(.present, &states))
    await network.ip("link del v0")
    #expect(await next(.absent, &states))
    watch.stop()
  }

  @Test(.enabled("a network of its own can be made") { await NetworkNamespace.make() != nil })
  func `an existing network is reported at once`() async throws {
    let network = try #require(await NetworkNamespace.make())
    await network.ip("link add v0 type veth peer name v1")
    await network.ip("link set v1 up")
    await network.ip("link set v0 up")
    await network.ip("-6 addr add 2001:db8::1/64 dev v0 nodad")
    var (watch, states) = try await watch(in: network)
    #expect(await next(.present, &states))
    watch.stop()
  }

  // Fault 66
  @Test(.enabled("a network of its own can be made") { await NetworkNamespace.make() != nil })
  func `a changed route is reported even if a route already existed`() async throws {
    let network = try #require(await NetworkNamespace.make())
    for names in ["v0 type veth peer name v1", "w0 type veth peer name w1"] {
      await network.ip("link add " + names)
    }
    for name in ["v0", "v1", "w0", "w1"] { await network.ip("link set \(name) up") }
    await network.ip("route add default dev v0")
    var (watch, states) = try await watch(in: network)
    #expect(await next(.present, &states))
    await network.ip("route replace default dev w0")
    #expect(await next(.present, &states))
    watch.stop()
  }

  // Fault 66
  @Test(
    .enabled("a network of its own can be made") { await NetworkNamespace.make() != nil },
    arguments: ["192.0.2.2", "192.0.2.1"])
  func `a replaced address is reported although a route existed all the time`(
    address: String
  ) async throws {
    let network = try #require(await NetworkNamespace.make())
    await network.ip("link add v0 type veth peer name v1")
    await network.ip("link set v1 up")
    await network.ip("link set v0 up")
    await network.ip("route add default dev v0")
    await network.ip("addr add 192.0.2.1/24 dev v0")
    var (watch, states) = try await watch(in: network)
    #expect(await next(.present, &states))
    await network.ip("addr del 192.0.2.1/24 dev v0")
    await network.ip("addr add \(address)/24 dev v0")
    #expect(await next(.present, &states))
    watch.stop()
  }

  @Test func `the network of this machine is reported`() async throws {
    let (states, continuation) = AsyncStream<NetworkState>.makeStream()
    let watch = try NetworkWatch { continuation.yield($0) }
    var reports = states.makeAsyncIterator()
    #expect(await reports.next() != nil)
    watch.stop()
  }
}
